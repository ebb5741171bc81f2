#include "demo_cluster.hpp"

#include <optional>
#include <thread>

#include "demo_folder.hpp"
#include "kubexx/apiserver/workload.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/base/version.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/yaml.hpp"
#include "sample.hpp"

namespace kubexx::app {
namespace {

using namespace std::chrono_literals;
const meta::GroupVersionResource kFoos{"samplecontroller.k8s.io", "v1alpha1", "foos"};

std::string foo(const std::string& name, int replicas) {
  return "{apiVersion: samplecontroller.k8s.io/v1alpha1, kind: Foo, metadata: {name: " + name +
         ", namespace: demo}, spec: {deploymentName: " + name + ", replicas: " + std::to_string(replicas) + "}}";
}

}  // namespace

struct DemoCluster::State {
  ~State() {
    scaler = {};
    controller = {};
    workload.reset();
    client.reset();
    server.reset();
  }
  Result<void> install_foos(const std::stop_token& stop) const {
    if (auto installed = sample::install_crd(*client, stop); !installed) return installed.error();
    for (const auto& text : {foo("example-foo", 1), foo("second-foo", 2)}) {
      if (auto seeded = server->seed(meta::object_from_yaml(text)); !seeded) return seeded.error();
    }
    return {};
  }
  void scale(const std::stop_token& stop) const {
    const client::ResourceApi foos(*client, kFoos, "demo");
    for (int round = 0; !wait_for_stop(stop, 4s); ++round) {
      const std::string name = round % 2 == 0 ? "example-foo" : "second-foo";
      const auto patch = R"({"spec":{"replicas":)" + std::to_string(1 + (round + round / 2) % 4) + "}}";
      client::WriteOptions options;
      options.stop = stop;
      static_cast<void>(foos.patch(name, client::PatchType::Merge, patch, options).has_value());
    }
  }

  std::unique_ptr<DemoFolder> folder;
  std::string kubeconfig;
  std::shared_ptr<ThreadExecutor> actors = std::make_shared<ThreadExecutor>();
  std::unique_ptr<apiserver::Server> server;
  std::optional<rest::Client> client;
  std::unique_ptr<apiserver::Workload> workload;
  std::jthread controller;
  std::jthread scaler;
};

Result<std::unique_ptr<DemoCluster>> DemoCluster::start(std::size_t pods, const std::stop_token& stop) {
  auto state = std::make_unique<State>();
  apiserver::Options options;
  options.tls = true;
  auto server = apiserver::Server::start(options);
  if (!server) return server.error();
  state->server = std::move(*server);

  auto folder = DemoFolder::create();
  if (!folder) return folder.error();
  state->folder = std::move(*folder);
  state->kubeconfig = state->folder->path() + "/kubeconfig";
  if (auto written = state->server->write_kubeconfig(state->kubeconfig); !written) return written.error();
  rest::LoadOptions load;
  load.kubeconfig = state->kubeconfig;
  auto config = rest::Config::load(load);
  if (!config) return config.error();
  config->user_agent = "kubexx/" KUBEXX_VERSION;
  config->timeout = 10s;  // the server is in this process; without descriptors it accepts nobody
  auto client = rest::Client::create(std::move(*config));
  if (!client) return client.error();
  state->client = *client;

  apiserver::WorkloadOptions moving;
  moving.pods = pods;
  state->workload = std::make_unique<apiserver::Workload>(state->server->core(), state->actors, moving);
  if (auto installed = state->install_foos(stop); !installed) return installed.error();
  state->controller = std::jthread([client = *client](const std::stop_token& ending) {
    call_isolated("the sample controller", [&] {
      if (auto ended = sample::run_short(client, ending); !ended && !ended.error().is_canceled()) {
        log(LogLevel::Error, "the sample controller ended", {{"error", ended.error()}});
      }
    });
  });
  state->scaler = std::jthread([raw = state.get()](const std::stop_token& ending) { raw->scale(ending); });
  return std::unique_ptr<DemoCluster>(new DemoCluster(std::move(state)));
}

DemoCluster::DemoCluster(std::unique_ptr<State> state) : state_(std::move(state)) {}
DemoCluster::~DemoCluster() = default;
const rest::Client& DemoCluster::client() const {
  return *state_->client;
}
std::string DemoCluster::url() const {
  return state_->server->url();
}
const std::string& DemoCluster::kubeconfig() const {
  return state_->kubeconfig;
}
apiserver::Server& DemoCluster::server() {
  return *state_->server;
}
Result<void> DemoCluster::install_foos(const std::stop_token& stop) {
  return state_->install_foos(stop);
}

}  // namespace kubexx::app
