#include <thread>
#include <vector>

#include "deployment.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/clientset/apps/v1.hpp"
#include "kubexx/controller/owner_reference.hpp"
#include "kubexx/workqueue/rate_limiting_queue.hpp"
#include "sample.hpp"
#include "samplecontroller/v1alpha1.hpp"

namespace sample {

using namespace kubexx;
using meta::ObjectKey;

informer::FactoryOptions factory_options(const Options& options) {
  informer::InformerOptions all;
  all.scope.namespaces = {options.namespace_};
  all.resync_period = options.resync;
  all.backoff = options.backoff;
  return {.defaults = std::move(all)};
}

class Controller::Impl {
 public:
  // [begin constructor]
  Impl(const clientset::Clientset& kube, const samplecontroller::Clientset& samples,
       informer::Informer<Deployment> deployments, informer::Informer<Foo> foos, Options options)
      : options_(std::move(options)),
        kube_(kube),
        samples_(samples),
        deployments_(std::move(deployments)),
        foos_(std::move(foos)),
        queue_(kube.client().executor(), rate_limiter(options_), {.name = "Foos"}),
        broadcaster_(kube.client(), options_.events),
        recorder_(broadcaster_.recorder(kComponent)) {
    // [end constructor]
    // [begin handlers]
    foo_handler_ = foos_.add_event_handler({
        .on_add = [this](const Foo& foo) { enqueue(foo); },
        .on_update = [this](const Foo& foo) { enqueue(foo); },
    });
    deployment_handler_ = deployments_.add_event_handler({
        .on_add = [this](const Deployment& deployment) { enqueue_owner(deployment); },
        .on_update =
            [this](const Deployment& before, const Deployment& after) {
              // A resync: nothing changed.
              if (before.resource_version() != after.resource_version()) enqueue_owner(after);
            },
        .on_delete = [this](const auto& gone) { enqueue_owner(gone.last_known()); },
    });
    // [end handlers]
  }

  // [begin run]
  Result<void> run(std::stop_token stop) {
    const auto synced = informer::wait_for_cache_sync(stop, {deployments_, foos_});
    if (!synced) return *synced.as_error();
    log(LogLevel::Info, "the caches are synced, the workers start", {{"workers", options_.workers}});
    {
      std::vector<std::jthread> workers;
      for (std::size_t i = 0; i < options_.workers; ++i) {
        workers.emplace_back([this, stop] { work(stop); });
      }
      wait_for_stop(stop);
      queue_.shut_down();
    }
    log(LogLevel::Info, "the workers have ended");
    return {};
  }
  // [end run]

 private:
  // [begin work]
  void enqueue(const meta::Object& foo) { queue_.add(ObjectKey::of(foo)); }

  void enqueue_owner(const Deployment& deployment) {
    const auto owner = meta::controller_of(deployment);
    if (owner["kind"].string() != Foo::kKind) return;
    const auto foo =
        foos_.lister().get(ObjectKey{std::string(deployment.namespace_()), std::string(owner["name"].string())});
    if (foo) enqueue(*foo);
  }

  void work(const std::stop_token& stop) {
    while (const auto key = queue_.get(stop)) {
      const auto done = sync(*key, stop);
      if (done) {
        queue_.forget(*key);
      } else {
        log(LogLevel::Warning, "sync failed", {{"foo", key->to_string()}, {"error", done.error()}});
        queue_.add_rate_limited(*key);
      }
      queue_.done(*key);
    }
  }
  // [end work]

  // [begin sync]
  /// Makes the Deployment what the Foo asks for, then the Foo's status what the Deployment is.
  Result<void> sync(const ObjectKey& key, const std::stop_token& stop) {
    const auto foo = foos_.lister().get(key);
    if (!foo) return {};  // gone; the garbage collector takes its Deployment
    const std::string name(foo->spec().deployment_name());
    if (name.empty()) {
      // Trying again would not help: somebody has to change the Foo.
      report_error(Error::config("deploymentName must be given"), key.to_string());
      return {};
    }

    auto deployment = deployments_.lister().get(ObjectKey{key.namespace_, name});
    if (!deployment && deployment.error().is_not_found()) deployment = create(*foo, name, stop);
    if (!deployment) return deployment.error();

    if (!meta::is_controlled_by(*deployment, *foo)) {
      recorder_.event(*foo, "Warning", kExists, exists_message(*foo));
      return Error::config(exists_message(*foo));
    }

    if (deployment->spec().replicas() != wanted_replicas(*foo)) {
      auto draft = deployment->edit();
      draft.spec().set_replicas(wanted_replicas(*foo));
      deployment = kube_.apps().v1().deployments(key.namespace_).update(draft, {.stop = stop});
      if (!deployment) return deployment.error();
    }

    if (auto updated = update_status(*foo, *deployment, stop); !updated) return updated;
    recorder_.event(*foo, "Normal", kSynced, kSyncedMessage);
    return {};
  }
  // [end sync]

  // [begin create]
  Result<Deployment> create(const Foo& foo, const std::string& name, const std::stop_token& stop) {
    DeploymentDraft draft;
    draft.metadata().set_name(name);
    draft.metadata().set_namespace_(foo.namespace_());
    if (auto owned = controller::set_controller_reference(foo, draft); !owned) return owned.error();
    fill_deployment(foo, draft);
    return kube_.apps().v1().deployments(std::string(foo.namespace_())).create(draft, {.stop = stop});
  }
  // [end create]

  // [begin update_status]
  Result<void> update_status(const Foo& foo, const Deployment& deployment, const std::stop_token& stop) {
    auto draft = foo.edit();  // what the cache holds never changes: this is a copy
    draft.status().set_available_replicas(deployment.status().available_replicas());
    if (!draft.changed()) return {};
    const auto saved =
        samples_.samplecontroller().v1alpha1().foos(std::string(foo.namespace_())).update_status(draft, {.stop = stop});
    if (!saved) return saved.error();
    return {};
  }
  // [end update_status]

  // [begin members]
  const Options options_;
  const clientset::Clientset kube_;
  const samplecontroller::Clientset samples_;
  const informer::Informer<Deployment> deployments_;
  const informer::Informer<Foo> foos_;
  workqueue::RateLimitingQueue<ObjectKey> queue_;
  events::EventBroadcaster broadcaster_;
  events::EventRecorder recorder_;
  informer::Registration foo_handler_;  // last: no handler runs when the others go
  informer::Registration deployment_handler_;
  // [end members]
};

Controller::Controller(const clientset::Clientset& kube, const samplecontroller::Clientset& samples,
                       informer::Informer<Deployment> deployments, informer::Informer<Foo> foos, Options options)
    : impl_(std::make_unique<Impl>(kube, samples, std::move(deployments), std::move(foos), std::move(options))) {}
Controller::~Controller() = default;
Result<void> Controller::run(std::stop_token stop) {
  return impl_->run(std::move(stop));
}

}  // namespace sample
