#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexx/rest/client.hpp"
#include "support/fixture_executor.hpp"
#include "support/function_sink.hpp"
#include "unit/rest/fake_transport.hpp"

namespace kubexx::rest {

inline constexpr const char* kPod = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})";

class RestClientTest : public testing::Test {
 protected:
  Client make(Config config = {}) {
    if (config.host.empty()) config.host = "https://server.example:6443/base";
    ClientOptions options;
    options.transport = transport;
    options.executor = executor;
    options.handlers = executor;
    options.metrics = std::make_shared<MetricsRegistry>();
    options.on_warning = [this](std::string_view text) { warnings.emplace_back(text); };
    return Client::create(std::move(config), std::move(options)).value();
  }
  Request get_pod() {
    Request request;
    request.path = {{"", "v1", "pods"}, "ns", "a", ""};
    return request;
  }
  /// Sends, runs everything that is ready, and gives the answer if there is one.
  std::optional<Result<Response>> send(const Client& client, Request request) {
    answer.reset();
    call = client.start(std::move(request), strand, [this](Result<Response> result) { answer = std::move(result); });
    executor->run_until_idle();
    return answer;
  }

  FixtureExecutor executor;
  std::shared_ptr<FakeTransport> transport = std::make_shared<FakeTransport>(executor);
  Strand strand{executor};
  std::optional<Result<Response>> answer;
  std::unique_ptr<meta::Call> call;
  std::vector<std::string> warnings;
};

}  // namespace kubexx::rest
