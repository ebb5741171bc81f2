#pragma once

#include <chrono>
#include <memory>

#include "kubexx/base/export.hpp"
#include "kubexx/client/resource_api.hpp"

namespace kubexx::client {

/// A watch that goes on where it was when it is cut: reopened from the version of the last event, no event twice, none
/// left out.
///
/// Bookmarks move that version and are not handed on. Whatever ends a watch is answered by the next one, at least
/// `pause` after the last was opened, and after what the server asked for (Retry-After). on_open comes with every new
/// watch, on_end once.
///
/// Threads: lives on the given strand, where its sink is called.
/// Stop: destroy it, on its strand; inside a call of the sink too.
/// Errors: on_end has one, always, when going on is impossible: the version expired (410 in the stream), 401, 403, an
/// object without a version, an event of unknown type. start() refuses a version that is none.
/// Example:
///
///     auto watcher = client::RetryWatcher::start(pods.untyped(), {.resource_version = "1234"}, strand, stream_sink);
///     if (!watcher) complain(watcher.error());
class KUBEXX_EXPORT RetryWatcher final : public meta::Call {
 public:
  /// `options.resource_version` says where to begin; "" and "0" name no version and are an Error.
  static Result<std::unique_ptr<RetryWatcher>> start(const ResourceApi& api, const ListOptions& options,
                                                     const Strand& strand, std::shared_ptr<meta::StreamSink> sink,
                                                     Duration pause = std::chrono::seconds(1));
  ~RetryWatcher() override;
  void hold() override;
  void resume() override;

 private:
  struct Impl;
  explicit RetryWatcher(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::client
