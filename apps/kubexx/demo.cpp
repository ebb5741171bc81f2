#include <iostream>
#include <memory>

#include "command.hpp"
#include "kubexx/apiserver/server.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::app {

void add_demo(CLI::App& parent, Run& run) {
  auto* command = parent.add_subcommand("demo", "A small cluster in this process, and an informer on it");
  command->callback([&run] {
    run = [] {
      const auto stop = stop_on_signals();
      auto server = apiserver::Server::start({});
      if (!server) return fail(server.error());
      rest::Config config;
      config.host = (*server)->url();
      config.bearer_token = (*server)->admin_token();
      config.allow_insecure_credentials = true;
      auto client = rest::Client::create(config);
      if (!client) return fail(client.error());
      for (int i = 0; i < 3; ++i) {
        auto seeded =
            (*server)->seed(meta::object_from_json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-)" +
                                                   std::to_string(i) + R"(","namespace":"default"}})"));
        if (!seeded) return fail(seeded.error());
      }
      informer::DynamicSharedInformerFactory factory(*client);
      auto pods = factory.for_resource({"", "v1", "pods"});
      if (!pods) return fail(pods.error());
      informer::ResourceEventHandlerFuncs<> handler;
      handler.on_add = [](const meta::Object& pod) { std::cout << "+ " << pod.name() << std::endl; };
      const auto registration = pods->informer().add_event_handler(std::move(handler));
      factory.start(stop);
      if (!factory.wait_for_cache_sync(stop)) return kFailed;
      if (!registration.wait_until_synced(stop)) return kFailed;
      std::cout << pods->lister().list().size() << " pods in the cache" << std::endl;
      return 0;
    };
  });
}

}  // namespace kubexx::app
