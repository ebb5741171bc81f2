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

namespace kubexx::apiserver {

/// Keeps what Core answers.
class RecordingWriter final : public ResponseWriter {
 public:
  void respond(int code, HeaderFields fields, std::string text) override {
    start(code, std::move(fields));
    write(std::make_shared<const std::string>(std::move(text)));
    finish();
  }
  void start(int code, HeaderFields fields) override {
    status = code;
    headers = std::move(fields);
  }
  void write(SharedBytes bytes) override { body += *bytes; }
  void finish() override { finished = true; }
  void abort() override { aborted = true; }
  std::size_t backlog() const override { return unread; }
  void on_close(std::function<void()> callback) override { close = std::move(callback); }

  std::string header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
  meta::Object object() const { return meta::parse_json(body).value(); }
  /// The events of a watch so far.
  std::vector<meta::Object> events() const {
    std::vector<meta::Object> out;
    std::size_t at = 0;
    while (at < body.size()) {
      const std::size_t end = body.find('\n', at);
      if (end == std::string::npos) break;
      out.push_back(meta::parse_json(std::string_view(body).substr(at, end - at)).value());
      at = end + 1;
    }
    return out;
  }
  /// "ADDED name@version" per event.
  std::vector<std::string> summary() const {
    std::vector<std::string> out;
    for (const meta::Object& event : events()) {
      const meta::Value object = event["object"];
      out.push_back(std::string(event["type"].string()) + ' ' + std::string(object["metadata"]["name"].string()) + '@' +
                    std::string(object["metadata"]["resourceVersion"].string()));
    }
    return out;
  }

  int status = 0;
  HeaderFields headers;
  std::string body;
  bool finished = false;
  bool aborted = false;
  std::size_t unread = 0;
  std::function<void()> close;
};

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
