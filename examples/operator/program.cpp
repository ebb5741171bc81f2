#include "program.hpp"

#include "kubexx/events/event_broadcaster.hpp"
#include "kubexx/manager/manager.hpp"
#include "reconciler.hpp"

namespace greeting_operator {

using namespace kubexx;

Result<void> run(const rest::Client& client, const Options& options, std::stop_token stop) {
  // [begin manager]
  informer::SharedInformerFactory factory(client);
  const auto objects = factory.informer_for<Greeting>();
  const auto maps = factory.informer_for<ConfigMap>({.namespaces = {options.show_in}});
  events::EventBroadcaster broadcaster(client);
  const auto recorder = broadcaster.recorder("greeting-operator", options.name);

  manager::ManagerOptions all;
  all.pages = inspect::Options{.listen = options.listen, .allow_remote = true};
  all.election = election::LeaderElectionOptions{
      .namespace_ = options.namespace_, .name = "greeting-operator", .identity = options.name};
  auto program = manager::Manager::create(client, std::move(all));
  if (!program) return program.error();
  (*program)->add(factory);
  (*program)->add_controller<Greeting>("greeting", [&](const manager::ComponentRun& run) {
    // For one term: writes end with the leadership, and the next term has a controller of its own.
    const controller::CachedClient cached(factory, {.writer = run.guard.guarded(client)});
    cached.use(maps);
    manager::ControllerParts<Greeting> parts;
    parts.controller = std::make_shared<controller::Controller<Greeting>>(
        factory, controller::ControllerOptions{.name = "greeting", .workers = 2});
    parts.reconcile = Reconciler(cached, options.show_in, recorder);
    return parts;
  });
  return (*program)->run(stop);
  // [end manager]
}

}  // namespace greeting_operator
