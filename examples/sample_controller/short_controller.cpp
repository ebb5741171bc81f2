#include "deployment.hpp"
#include "kubexx/controller/controller.hpp"
#include "kubexx/controller/owner_reference.hpp"
#include "kubexx/controller/writes.hpp"
#include "sample.hpp"

namespace sample {

using namespace kubexx;
using controller::Action;
using meta::ObjectKey;

Result<void> run_short(const rest::Client& client, std::stop_token stop, const Options& options) {
  const auto sources = factory_options(options);
  // [begin short]
  informer::SharedInformerFactory factory(client, sources);
  events::EventBroadcaster broadcaster(client, options.events);
  const auto recorder = broadcaster.recorder(kComponent);
  const client::Api<Foo> foos(client);
  const client::Api<Deployment> deployments(client);

  controller::Controller<Foo> controller(
      factory, {.name = "foo", .workers = options.workers, .rate_limiter = rate_limiter(options)});
  controller.owns<Deployment>();  // a change of an owned Deployment enqueues its Foo
  factory.start(stop);
  return controller.run(stop, [&](const ObjectKey& key, std::stop_token until) -> Result<Action> {
    const auto foo = controller.lister().get(key);
    if (!foo) return Action::done();  // gone; the garbage collector takes its Deployment
    const std::string name(foo->spec().deployment_name());
    if (name.empty()) return Action::give_up(Error::config("deploymentName must be given"));

    const auto deployment =
        controller::create_or_update(deployments, {key.namespace_, name},
                                     [&](DeploymentDraft& draft) -> Result<void> {
                                       const meta::Object& existing = draft.draft().original();
                                       if (!existing) {
                                         fill_deployment(*foo, draft);
                                       } else if (!meta::is_controlled_by(existing, *foo)) {
                                         recorder.event(*foo, "Warning", kExists, exists_message(*foo));
                                         return Error::config(exists_message(*foo));
                                       }
                                       draft.spec().set_replicas(wanted_replicas(*foo));
                                       return controller::set_controller_reference(*foo, draft);
                                     },
                                     {.stop = until});
    if (!deployment) return deployment.error();

    auto next = foo->edit();
    next.status().set_available_replicas(deployment->object.status().available_replicas());
    const auto saved = foos.patch(next, {.stop = until}, "status");
    if (!saved) return saved.error();
    recorder.event(*foo, "Normal", kSynced, kSyncedMessage);
    return Action::done();
  });
  // [end short]
}

}  // namespace sample
