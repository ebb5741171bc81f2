#include "demo_cluster.hpp"

#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <thread>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/apiserver/workload.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/yaml.hpp"

namespace kubexx::app {
namespace {

using namespace std::chrono_literals;
const meta::GroupVersionResource kFoos{"samplecontroller.k8s.io", "v1alpha1", "foos"};

constexpr const char* kFooDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.samplecontroller.k8s.io
  annotations: {api-approved.kubernetes.io: "unapproved, a sample"}
spec:
  group: samplecontroller.k8s.io
  names: {kind: Foo, plural: foos, singular: foo}
  scope: Namespaced
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                deploymentName: {type: string}
                replicas: {type: integer, minimum: 1, maximum: 10}
            status:
              type: object
              properties:
                availableReplicas: {type: integer}
      subresources: {status: {}}
      additionalPrinterColumns:
        - {name: Deployment, type: string, jsonPath: .spec.deploymentName}
        - {name: Replicas, type: integer, jsonPath: .spec.replicas}
        - {name: Available, type: integer, jsonPath: .status.availableReplicas}
        - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
)";

std::string foo(const std::string& name, int replicas) {
  return "{apiVersion: samplecontroller.k8s.io/v1alpha1, kind: Foo, metadata: {name: " + name +
         ", namespace: demo}, spec: {deploymentName: " + name + ", replicas: " + std::to_string(replicas) + "}}";
}

/// A new definition is served a moment later.
Result<meta::Object> seed_when_served(apiserver::Server& server, const meta::Object& object) {
  const auto deadline = Clock::system().now() + 10s;
  while (true) {
    auto seeded = server.seed(object);
    if (seeded || Clock::system().now() >= deadline) return seeded;
    wait_for_stop({}, 5ms);
  }
}

}  // namespace

struct DemoCluster::State {
  ~State() {
    scaler = {};
    workload.reset();
    client.reset();
    server.reset();
    std::error_code ignored;
    if (!folder.empty()) std::filesystem::remove_all(folder, ignored);
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

  std::string folder;
  std::string kubeconfig;
  std::shared_ptr<ThreadExecutor> actors = std::make_shared<ThreadExecutor>();
  std::unique_ptr<apiserver::Server> server;
  std::optional<rest::Client> client;
  std::unique_ptr<apiserver::Workload> workload;
  std::jthread scaler;
};

Result<std::unique_ptr<DemoCluster>> DemoCluster::start(std::size_t pods) {
  auto state = std::make_unique<State>();
  apiserver::Options options;
  options.tls = true;
  auto server = apiserver::Server::start(options);
  if (!server) return server.error();
  state->server = std::move(*server);

  auto pattern = (std::filesystem::temp_directory_path() / "kubexx-demo-XXXXXX").string();
  if (!mkdtemp(pattern.data())) return Error::config("no folder can be made in " + pattern);
  state->folder = pattern;
  state->kubeconfig = pattern + "/kubeconfig";
  if (auto written = state->server->write_kubeconfig(state->kubeconfig); !written) return written.error();
  rest::LoadOptions load;
  load.kubeconfig = state->kubeconfig;
  auto config = rest::Config::load(load);
  if (!config) return config.error();
  config->user_agent = "kubexx/" KUBEXX_VERSION;
  auto client = rest::Client::create(std::move(*config));
  if (!client) return client.error();
  state->client = *client;

  apiserver::WorkloadOptions moving;
  moving.pods = pods;
  state->workload = std::make_unique<apiserver::Workload>(state->server->core(), state->actors, moving);
  auto definition = state->server->seed(meta::object_from_yaml(kFooDefinition));
  if (!definition) return definition.error();
  for (const auto& text : {foo("example-foo", 1), foo("second-foo", 2)}) {
    if (auto seeded = seed_when_served(*state->server, meta::object_from_yaml(text)); !seeded) return seeded.error();
  }
  state->scaler = std::jthread([raw = state.get()](const std::stop_token& stop) { raw->scale(stop); });
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

}  // namespace kubexx::app
