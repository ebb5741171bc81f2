#pragma once

#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "kubexx/client/discovery.hpp"
#include "kubexx/controller/controller_core.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"

namespace kubexx::controller {

/// Keeps the world in line with objects of type T: a generated type, or meta::Object for a kind known at run time only.
/// This class adds types to ControllerCore and takes informers from a factory, which must outlive it.
///
/// Threads: as ControllerCore: everything is safe from any thread, reconciles run where code may block.
/// Stop: as ControllerCore: keys that wait are still reconciled for `drain_deadline`; then run() returns.
/// Errors: what run() and join() return; an Error of a reconcile is retried, later and later. Misuse throws
/// std::logic_error.
/// Example:
///
///     using controller::Action;
///     controller::Controller<demo::v1::Widget> controller(factory, {.name = "widget", .workers = 2});
///     controller.owns<appsv1::Deployment>();
///     factory.start(stop);
///     auto ended = controller.run(stop, [&](const meta::ObjectKey& key, std::stop_token) -> Result<Action> {
///       auto widget = controller.lister().get(key);
///       if (!widget) return Action::done();  // deleted; owner references clean up
///       work(*widget);
///       return Action::requeue_after(10min);
///     });
template <class T = meta::Object>
class Controller {
 public:
  /// The predicate is for changes of T itself.
  explicit Controller(informer::SharedInformerFactory& factory, ControllerOptions options = {},
                      Predicate predicate = {})
    requires(!std::is_same_v<T, meta::Object>)
      : Controller(factory, factory.informer_for<T>(), std::move(options), std::move(predicate)) {}
  /// With an informer of part of T, or from another factory.
  Controller(informer::SharedInformerFactory& factory, informer::Informer<T> informer, ControllerOptions options = {},
             Predicate predicate = {})
    requires(!std::is_same_v<T, meta::Object>)
      : Controller(factory, std::move(informer),
                   Subject{{std::string(T::kResource.group), std::string(T::kResource.kind)}, T::kResource.namespaced},
                   std::move(options), std::move(predicate)) {}
  /// For any resource that discovery knows; the informer is of that resource.
  Controller(informer::SharedInformerFactory& factory, informer::Informer<T> informer,
             const client::ApiResource& resource, ControllerOptions options = {}, Predicate predicate = {})
      : Controller(factory, std::move(informer), Subject{{resource.resource.group, resource.kind}, resource.namespaced},
                   std::move(options), std::move(predicate)) {}

  /// A change of a U enqueues the T that is its controller, by its owner references.
  template <class U>
  Controller& owns(Predicate predicate = {}) {
    return owns(factory_->template informer_for<U>(), std::move(predicate));
  }
  template <class U>
  Controller& owns(const informer::Informer<U>& informer, Predicate predicate = {}) {
    core_.watches(informer.shared(), owner_mapper(core_.subject()), std::move(predicate));
    return *this;
  }
  /// A change of a U enqueues what the mapper says.
  template <class U>
  Controller& watches(std::function<std::vector<meta::ObjectKey>(const U&)> mapper, Predicate predicate = {}) {
    return watches(factory_->template informer_for<U>(), std::move(mapper), std::move(predicate));
  }
  template <class U>
  Controller& watches(const informer::Informer<U>& informer,
                      std::function<std::vector<meta::ObjectKey>(const U&)> mapper, Predicate predicate = {}) {
    core_.watches(
        informer.shared(),
        [mapper = std::move(mapper)](const meta::Object& object) { return mapper(meta::typed_handle<U>(object)); },
        std::move(predicate));
    return *this;
  }

  /// Blocks until the token fires and the controller has ended; see ControllerCore::join() for what it returns.
  Result<void> run(std::stop_token stop, Reconcile reconcile) {
    start(std::move(stop), std::move(reconcile));
    return join();
  }
  void start(std::stop_token stop, Reconcile reconcile) { core_.start(std::move(stop), std::move(reconcile)); }
  Result<void> join() { return core_.join(); }
  Async<Result<void>> ended_async() const { return core_.ended_async(); }

  /// Calls the reconcile for this key soon, once, however often it is asked for meanwhile.
  void enqueue(const meta::ObjectKey& key, int priority = 0) { core_.enqueue(key, priority); }
  /// Until the cache has seen what was just written, a T or a U that this controller owns or watches. With it a
  /// reconcile is not fooled by a cache that does not know yet what the reconcile before did.
  template <class U>
  Result<void> wait_until_seen(const U& written, const informer::WaitOptions& options = {}) const {
    return core_.wait_until_seen(U::kResource.gvr(), written.resource_version(), options);
  }

  /// Reads the cache of T.
  store::Lister<T> lister() const { return informer_.lister(); }
  const informer::Informer<T>& informer() const noexcept { return informer_; }
  /// A picture for people and probes; and the same controller without types.
  ControllerStatus status() const { return core_.status(); }
  ControllerCore& core() noexcept { return core_; }

 private:
  Controller(informer::SharedInformerFactory& factory, informer::Informer<T> informer, Subject subject,
             ControllerOptions options, Predicate predicate)
      : factory_(&factory),
        informer_(std::move(informer)),
        core_(std::move(subject), informer_.shared(), std::move(predicate), complete(factory, std::move(options))) {}

  static ControllerOptions complete(const informer::SharedInformerFactory& factory, ControllerOptions options) {
    if (!options.executor) options.executor = factory.client().executor();
    if (!options.handlers) options.handlers = factory.client().handlers();
    if (!options.metrics) options.metrics = factory.client().metrics();
    if (!options.tracer) options.tracer = factory.client().tracer();
    return options;
  }

  informer::SharedInformerFactory* factory_;
  informer::Informer<T> informer_;
  ControllerCore core_;
};

}  // namespace kubexx::controller
