#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inspect/site.hpp"
#include "kubexx/meta/json.hpp"
#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::inspect {

inline constexpr const char* kToken = "0123456789abcdef";

/// The page of one scripted informer, without sockets and on a clock of its own.
class SiteTest : public ::testing::Test {
 protected:
  void make(meta::GroupVersionResource resource, std::vector<meta::Object> objects, Site::Settings settings = {}) {
    script->answer(std::move(objects), "5");
    informer::InformerOptions options;
    options.resource = std::move(resource);
    options.executor = executor;
    options.handlers = executor;
    options.reflector.emplace();
    options.reflector->version_check = Duration::zero();
    informer = informer::SharedIndexInformer::create(script, std::move(options));
    site = std::make_unique<Site>(std::move(settings), Access({kToken, true, {"named.example"}}), *executor);
    site->catalog().add([shared = informer] { return std::vector{shared}; });
  }
  void sync() {
    informer->start();
    executor->run_until_idle();
  }
  ~SiteTest() override {
    if (site) site->catalog().clear();
    if (!informer) return;
    informer->stop();
    executor->run_until_idle();
  }

  static httpd::Request request(std::string target, httpd::HeaderFields headers = {}) {
    httpd::Request made;
    made.method = "GET";
    made.target = std::move(target);
    made.headers = std::move(headers);
    made.headers.emplace_back("host", "127.0.0.1:4000");
    return made;
  }
  /// With the token.
  Answer get(const std::string& target) {
    return ask(request(target, {{"authorization", std::string("Bearer ") + kToken}}));
  }
  Answer ask(const httpd::Request& asked) {
    std::optional<Answer> answered;
    site->answer(asked, [&](Answer answer) { answered = std::move(answer); });
    executor->run_until_idle();
    EXPECT_TRUE(answered);
    return answered.value_or(Answer());
  }
  meta::Object json(const std::string& target) {
    const auto answer = get(target);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return meta::object_from_json(answer.body);
  }
  void send(meta::WatchEventType type, meta::Object object) {
    script->stream().send({type, std::move(object)});
    executor->run_until_idle();
  }

  FixtureExecutor executor;
  std::shared_ptr<reflector::Script> script = std::make_shared<reflector::Script>();
  std::shared_ptr<informer::SharedIndexInformer> informer;
  std::unique_ptr<Site> site;
};

/// The YAML that the page shows of an object.
inline std::string yaml_in(const meta::Object& answer) {
  std::string text;
  for (const meta::Value line : answer["lines"].items()) text += std::string(line["t"].string()) + "\n";
  return text;
}

}  // namespace kubexx::inspect
