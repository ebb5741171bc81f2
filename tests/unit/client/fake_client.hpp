#pragma once

#include <memory>
#include <string>

#include "kubexx/client/dynamic_client.hpp"
#include "unit/rest/fake_transport.hpp"

namespace kubexx::client {

/// A client whose server answers as scripted. With threads of its own the blocking calls work; with a ManualExecutor
/// time stands still until the test moves it.
struct FakeClient {
  explicit FakeClient(std::shared_ptr<Executor> on = std::make_shared<ThreadExecutor>())
      : executor(std::move(on)), transport(std::make_shared<rest::FakeTransport>(executor)), client(make()) {}

  rest::Client make() {
    rest::Config config;
    config.host = "https://server.example";
    rest::ClientOptions options;
    options.transport = transport;
    options.executor = executor;
    options.metrics = std::make_shared<MetricsRegistry>();
    return rest::Client::create(std::move(config), std::move(options)).value();
  }
  ResourceApi pods() const { return DynamicClient(client).resource({"", "v1", "pods"}).namespaced("ns"); }

  /// A watch with these events that then ends, or stays open.
  void watch(std::vector<std::string> events, bool stays_open = false) {
    rest::FakeTransport::Answer answer;
    answer.chunks = std::move(events);
    answer.stays_open = stays_open;
    transport->answers.push_back(std::move(answer));
  }
  static std::string event(const std::string& type, const std::string& name, const std::string& version) {
    return R"({"type":")" + type + R"(","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
           R"(","resourceVersion":")" + version + "\"}}}\n";
  }
  static std::string error_event(int code, const std::string& reason, int retry_after = 0) {
    return R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":")" +
           reason + R"(","code":)" + std::to_string(code) +
           (retry_after ? R"(,"details":{"retryAfterSeconds":)" + std::to_string(retry_after) + "}" : "") + "}}\n";
  }

  std::shared_ptr<Executor> executor;
  std::shared_ptr<rest::FakeTransport> transport;
  rest::Client client;
};

}  // namespace kubexx::client
