#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/stream.hpp"

namespace kubexx::reflector {

/// Where a Reflector gets its objects: lists and watches one resource. Implementations: from a client and a resource
/// (informer/client_lister_watcher.hpp), from two functions (ListWatchFuncs), scripts in tests.
///
/// Threads: called on the strand, and never blocks; results arrive on the strand. The sink is kept alive by the call.
/// Stop: destroying the call, on its strand; the sink is not called any more. A blocking function of ListWatchFuncs is
/// told by its token and not waited for.
/// Errors: arrive at the sink's on_end(), once. What is thrown ends the reflector's round as an error does; what a
/// function of ListWatchFuncs throws is an Error.
/// Example:
///
///     reflector::ListWatchFuncs functions;
///     functions.list = [api = pods.untyped()](const meta::ListOptions& how,
///                                             std::stop_token stop) -> Result<reflector::ObjectList> {
///       auto page = api.list({.limit = how.limit, .continue_token = how.continue_token, .stop = stop});
///       if (!page) return page.error();
///       return reflector::ObjectList{page->meta, page->items};
///     };
///     auto source = reflector::make_lister_watcher(functions, std::make_shared<ElasticExecutor>());
class KUBEXX_EXPORT ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  /// Begins a list or a watch. The sink is called on the strand, until the end, an Error, or the call is destroyed.
  virtual std::unique_ptr<meta::Call> list(const meta::ListOptions& options, const Strand& strand,
                                           std::shared_ptr<meta::StreamSink> sink) = 0;
  virtual std::unique_ptr<meta::Call> watch(const meta::ListOptions& options, const Strand& strand,
                                            std::shared_ptr<meta::StreamSink> sink) = 0;
  /// The server's current version, as the end of a list; items do not matter.
  virtual std::unique_ptr<meta::Call> current_version(const Strand& strand, std::shared_ptr<meta::StreamSink> sink) {
    meta::ListOptions one;
    one.limit = 1;
    return list(one, strand, std::move(sink));
  }
  /// False: do not try a WatchList (sendInitialEvents), list right away.
  virtual bool supports_watch_list() const { return true; }
  /// False: the resource has no watch verb; the reflector lists again from time to time instead.
  virtual bool supports_watch() const { return true; }
  /// Calls `served` once, on the strand, when a resource that answered 404 may be there again (a CRD came back). Null:
  /// this source cannot tell, and the reflector tries again after its backoff.
  virtual std::unique_ptr<meta::Call> await_served(const Strand& strand, Task served) {
    static_cast<void>(strand);
    static_cast<void>(served);
    return nullptr;
  }
  /// Until when no WatchList is tried, because one of this resource and these selectors was refused. A source whose
  /// server outlives reflectors (a client's) remembers that for all of them; each reflector does so for itself anyway.
  virtual std::optional<TimePoint> watch_list_refused_until() const { return std::nullopt; }
  virtual void refuse_watch_list_until(TimePoint until) { static_cast<void>(until); }
};

/// A stream of events that a user-made watch function returns; next() blocks.
class KUBEXX_EXPORT EventStream {
 public:
  virtual ~EventStream() = default;
  /// The next event; an empty optional when the stream closed cleanly; Canceled when stop fired.
  virtual Result<std::optional<meta::WatchEvent>> next(std::stop_token stop) = 0;
};

/// Objects of a list, and the version that it is of.
struct ObjectList {
  meta::ListMeta meta = {};
  std::vector<meta::Object> items = {};
};

/// A ListerWatcher made of two blocking functions, run on the given executor (an ElasticExecutor: they may block).
struct ListWatchFuncs {
  std::function<Result<ObjectList>(const meta::ListOptions&, std::stop_token)> list = {};
  std::function<Result<std::unique_ptr<EventStream>>(const meta::ListOptions&, std::stop_token)> watch = {};
  bool supports_watch_list = false;
};
/// A source of these functions, which run on `blocking`.
KUBEXX_EXPORT std::shared_ptr<ListerWatcher> make_lister_watcher(ListWatchFuncs functions,
                                                                 std::shared_ptr<Executor> blocking);

}  // namespace kubexx::reflector
