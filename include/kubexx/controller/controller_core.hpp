#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexx/base/async.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/controller/action.hpp"
#include "kubexx/controller/options.hpp"
#include "kubexx/controller/predicate.hpp"
#include "kubexx/controller/status.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/meta/gvk.hpp"

namespace kubexx::controller {

/// What a controller looks after.
struct Subject {
  meta::GroupKind kind = {};
  bool namespaced = true;
};

/// The keys that a change of a watched object concerns.
using Mapper = std::function<std::vector<meta::ObjectKey>(const meta::Object&)>;
/// The object's controller, if that is a Subject of this kind.
KUBEXX_EXPORT Mapper owner_mapper(Subject subject);

/// The untyped controller that Controller<T> is a shell of.
///
/// Changes of its sources become keys in a queue, workers call the reconcile function with them. A key is with one
/// worker at a time; changes that come meanwhile lead to one more call. A key that failed comes back later and later.
/// No reconcile begins before every source has synced.
///
/// Threads: everything is safe from any thread. Reconciles run on `options.handlers`, predicates and mappers in the
/// handlers of the informers. The destructor stops without draining and waits for running reconciles; it must not run
/// inside one.
/// Stop: see ControllerOptions::drain_deadline. The controller ends when no reconcile runs any more.
/// Errors: a reconcile that throws is reported to the error sink and retried like an Error. Adding a source after the
/// start, starting twice, no workers, or no executors throws std::logic_error.
/// Example:
///
///     auto informer = factory.for_resource({"", "v1", "pods"});
///     controller::ControllerCore core(controller::Subject{{"", "Pod"}}, informer->shared(), {},
///                                     {.executor = client.executor(), .handlers = client.handlers()});
///     core.start(stop, [](const meta::ObjectKey& key, std::stop_token) -> Result<controller::Action> {
///       work(key);
///       return controller::Action::done();
///     });
///     if (auto ended = core.join(); !ended) complain(ended.error());
class KUBEXX_EXPORT ControllerCore {
 public:
  ControllerCore(Subject subject, std::shared_ptr<informer::SharedIndexInformer> informer, Predicate predicate,
                 ControllerOptions options);
  ~ControllerCore();
  ControllerCore(const ControllerCore&) = delete;
  ControllerCore& operator=(const ControllerCore&) = delete;

  /// For an update, the objects before and after it are mapped; a deletion of which nothing is known maps to nothing.
  void watches(std::shared_ptr<informer::SharedIndexInformer> informer, Mapper mapper, Predicate predicate);

  /// Returns at once; the informers are started by whoever has them, before or after.
  void start(std::stop_token stop, Reconcile reconcile);
  /// Waits for the end. Success: it was stopped, and drained if it should. Canceled: stopped, or a source was, before
  /// all were synced. Timeout: sync or drain took longer than allowed; the message says what was missing.
  Result<void> join();
  /// The same as an operation; soon, when it has ended. Its handlers stay with the informers until join() or the
  /// destructor, and do nothing.
  Async<Result<void>> ended_async() const;

  /// From outside of the sources. No effect once the controller was stopped.
  void enqueue(const meta::ObjectKey& key, int priority = 0);
  /// Until the cache of this resource, one of the sources, is at least as new as a version.
  Result<void> wait_until_seen(const meta::GroupVersionResource& resource, std::string_view resource_version,
                               const informer::WaitOptions& options) const;

  /// A picture for people and probes; and what it reconciles.
  ControllerStatus status() const;
  const Subject& subject() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::controller
