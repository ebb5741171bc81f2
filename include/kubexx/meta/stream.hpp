#pragma once

#include <cstddef>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/watch_event.hpp"

namespace kubexx::meta {

/// What an item of a list says of itself before it is read; borrowed from the text.
struct ItemIdentity {
  std::string_view namespace_ = {};
  std::string_view name = {};
  std::string_view uid = {};
  std::string_view resource_version = {};
};

/// Receives what a list (one request, one page) or a watch brings; the one vocabulary of decoders, clients and
/// reflectors.
///
/// Threads: calls come in order, one at a time, on the strand the call was started with; they must not block.
/// Stop: destroying the Call, also inside one of these; nothing is called any more.
/// Errors: arrive at on_end(). A sink must not throw: the stream would not be read any further.
/// Example:
///
///     class Greeting final : public meta::StreamSink {
///      public:
///       void on_event(meta::WatchEvent event) override { greet(event.object.key()); }
///       void on_end(Result<meta::ListMeta> end) override {
///         if (!end) complain(end.error());
///       }
///     };
///     auto call = pods.untyped().start_watch({}, strand, std::make_shared<Greeting>());
class KUBEXX_EXPORT StreamSink {
 public:
  virtual ~StreamSink() = default;
  virtual void on_open() {}                                              ///< the server accepted the request
  virtual void on_item(Object item) { static_cast<void>(item); }         ///< of a list
  virtual void on_event(WatchEvent event) { static_cast<void>(event); }  ///< of a watch
  /// Whether find_known() is worth asking now: for items, and for added objects of a watch.
  virtual bool has_known() const { return false; }
  /// The object that this is, if it is there already with this uid and version. It is delivered then, and what the
  /// stream says of it is not read.
  virtual Object find_known(const ItemIdentity& identity) const {
    static_cast<void>(identity);
    return {};
  }
  /// So many bytes arrived; what they hold comes next. If the source can tell.
  virtual void on_bytes(std::size_t received) { static_cast<void>(received); }
  /// Exactly once, last. A watch that the server closed cleanly ends without an Error and with an empty ListMeta;
  /// before on_open: the request was refused or never arrived. An Error of kind Decode: something could not be read,
  /// and what would follow cannot be trusted.
  virtual void on_end(Result<ListMeta> end) = 0;
};

/// A request under way. Destroy it on its strand: from then on its sink is not called any more, and its stream is
/// closed. Destroying it inside one of its own callbacks is allowed.
class KUBEXX_EXPORT Call {
 public:
  virtual ~Call() = default;
  /// For a reader that falls behind, on the strand: nothing more is read until resume(). What the bytes at hand hold is
  /// still delivered. A source without a stream of bytes may ignore it.
  virtual void hold() {}
  virtual void resume() {}
};

}  // namespace kubexx::meta
