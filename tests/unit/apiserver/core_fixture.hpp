#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/meta/json.hpp"
#include "support/fixture_executor.hpp"
#include "unit/apiserver/recording_writer.hpp"

namespace kubexx::apiserver {

/// A Core on a ManualExecutor, without threads and sockets.
class CoreFixture : public testing::Test {
 protected:
  CoreFixture() { open({}); }

  void open(Options options) {
    core.reset();
    executor.renew();
    options.executor = executor;
    options.seed = 7;
    core = std::make_unique<Core>(std::move(options));
    executor->run_until_idle();
  }

  std::shared_ptr<RecordingWriter> send(std::string method, std::string target, std::string body = {},
                                        std::string content_type = "application/json", HeaderFields more = {}) {
    Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = {{"authorization", "Bearer " + core->admin_token()}, {"user-agent", "test/1.0"}};
    if (!request.body.empty()) request.headers.emplace_back("content-type", std::move(content_type));
    for (auto& header : more) {
      std::erase_if(request.headers, [&](const auto& known) { return known.first == header.first; });
      if (!header.second.empty()) request.headers.push_back(std::move(header));
    }
    auto writer = std::make_shared<RecordingWriter>();
    core->handle(std::move(request), writer);
    return writer;
  }
  std::shared_ptr<RecordingWriter> get(std::string target, std::string accept = "application/json") {
    return send("GET", std::move(target), {}, {}, {{"accept", std::move(accept)}});
  }
  void settle() { executor->run_until_idle(); }

  /// Creates a config map with one value; its version.
  std::uint64_t put_config_map(const std::string& name, const std::string& value, const std::string& labels = "{}") {
    const std::string body =
        R"({"metadata":{"name":")" + name + R"(","labels":)" + labels + R"(},"data":{"v":")" + value + "\"}}";
    auto answer = send("POST", kConfigMaps, body);
    if (answer->status == 409) answer = send("PUT", kConfigMaps + '/' + name, body);
    EXPECT_LT(answer->status, 300) << answer->body;
    return core->version();
  }

  const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";
  FixtureExecutor executor;
  std::unique_ptr<Core> core;
};

}  // namespace kubexx::apiserver
