// greeting_operator NAME [--listen ADDRESS] [--show-in NAMESPACE]: one replica, with a name that no other has; runs
// until SIGINT or SIGTERM. The definition of Greeting (greeting_crd.yaml) is installed before, by whoever may.
#include <iostream>
#include <string_view>

#include "kubexx/base/log.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/events/event_broadcaster.hpp"
#include "kubexx/manager/manager.hpp"
#include "reconciler.hpp"

using namespace kubexx;
using greeting_operator::ConfigMap;
using greeting_operator::Greeting;

namespace {

struct Flags {
  std::string name;
  std::string listen = "127.0.0.1:0";
  std::string show_in = "default";
};

bool parse(int argc, char** argv, Flags& flags) {
  if (argc < 2 || argc % 2 != 0) return false;
  flags.name = argv[1];
  for (int i = 2; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    std::string* const value = flag == "--listen" ? &flags.listen : flag == "--show-in" ? &flags.show_in : nullptr;
    if (!value) return false;
    *value = argv[i + 1];
  }
  return true;
}

Result<void> run(const rest::Client& client, const Flags& flags) {
  // [begin manager]
  informer::SharedInformerFactory factory(client);
  const auto greetings = factory.informer_for<Greeting>();
  const auto maps = factory.informer_for<ConfigMap>({.namespaces = {flags.show_in}});
  events::EventBroadcaster broadcaster(client);
  const auto recorder = broadcaster.recorder("greeting-operator", flags.name);

  manager::ManagerOptions options;
  options.pages = inspect::Options{.listen = flags.listen, .allow_remote = true};
  options.election = election::LeaderElectionOptions{.name = "greeting-operator", .identity = flags.name};
  auto program = manager::Manager::create(client, std::move(options));
  if (!program) return program.error();
  (*program)->add(factory);
  (*program)->add_controller<Greeting>("greeting", [&](const manager::ComponentRun& run) {
    // For one term: writes end with the leadership, and the next term has a controller of its own.
    const controller::CachedClient cached(factory, {.writer = run.guard.guarded(client)});
    cached.use(maps);
    manager::ControllerParts<Greeting> parts;
    parts.controller = std::make_shared<controller::Controller<Greeting>>(
        factory, controller::ControllerOptions{.name = "greeting", .workers = 2});
    parts.reconcile = greeting_operator::Reconciler(cached, flags.show_in, recorder);
    return parts;
  });
  return (*program)->run(stop_on_signals());
  // [end manager]
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  if (!parse(argc, argv, flags)) {
    std::cerr << "usage: greeting_operator NAME [--listen ADDRESS] [--show-in NAMESPACE]\n";
    return 2;
  }
  set_log_sink(stderr_log_sink());
  const auto client = rest::Client::load();
  if (!client) return std::cerr << client.error() << '\n', 1;
  if (const auto ended = run(*client, flags); !ended) return std::cerr << ended.error() << '\n', 1;
  return 0;
}
