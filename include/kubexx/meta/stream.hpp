#pragma once

#include <cstddef>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/watch_event.hpp"

namespace kubexx::meta {

/// Receives what a list (one request, one page) or a watch brings; the one vocabulary of decoders, clients and
/// reflectors. Calls come in order, one at a time, on the strand the call was started with.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  virtual void on_open() {}                                              ///< the server accepted the request
  virtual void on_item(Object item) { static_cast<void>(item); }         ///< of a list
  virtual void on_event(WatchEvent event) { static_cast<void>(event); }  ///< of a watch
  /// So many bytes arrived; what they hold comes next. If the source can tell.
  virtual void on_bytes(std::size_t received) { static_cast<void>(received); }
  /// Exactly once, last. A watch that the server closed cleanly ends without an Error and with an empty ListMeta;
  /// before on_open: the request was refused or never arrived. An Error of kind Decode: something could not be read,
  /// and what would follow cannot be trusted.
  virtual void on_end(Result<ListMeta> end) = 0;
};

/// A request under way. Destroy it on its strand: from then on its sink is not called any more, and its stream is
/// closed. Destroying it inside one of its own callbacks is allowed.
class Call {
 public:
  virtual ~Call() = default;
  /// For a reader that falls behind, on the strand: nothing more is read until resume(). What the bytes at hand hold is
  /// still delivered. A source without a stream of bytes may ignore it.
  virtual void hold() {}
  virtual void resume() {}
};

}  // namespace kubexx::meta
