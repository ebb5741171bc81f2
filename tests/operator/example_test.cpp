// examples/operator as two processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/conditions.hpp"
#include "kubexx/meta/yaml.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "support/program.hpp"

namespace kubexx {
namespace {

using testkit::eventually;

const meta::GroupVersionResource kGreetings{"hello.example.com", "v1", "greetings"};

apiserver::Options open_server() {
  apiserver::Options options;
  options.authentication = false;
  return options;
}

meta::Object from_example(const std::string& file) {
  std::ifstream in(KUBEXX_SOURCE_DIR "/examples/operator/" + file);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return meta::parse_yaml(text).value().front();
}

class OperatorExampleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto definition = from_example("greeting_crd.yaml");
    const client::ResourceApi all(client, {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
    ASSERT_TRUE(all.create(definition));
    ASSERT_TRUE(eventually([&] {
      const auto now = all.get(definition.name());
      return now && meta::is_condition_true(*now, "Established");
    }));
  }
  std::string shown() {
    const auto map = maps.get("default.morning");
    return map ? std::string((*map)["data"]["message"].string()) : "nothing";
  }
  std::string status() {
    const auto greeting = greetings.get("morning");
    return greeting ? std::string((*greeting)["status"]["shown"].string()) : "gone";
  }
  /// Asked until it says so: it may still be starting.
  static bool becomes_ready(const Program& program) {
    std::string line;  // I 12:00:01.123 the pages are open address="http://127.0.0.1:40000"
    if (!eventually([&] { return !(line = program.next_error()).empty(); })) return false;
    rest::Config config;
    config.host = line.substr(line.find("http"), line.rfind('"') - line.find("http"));
    const auto pages = rest::Client::create(config).value();
    return eventually([&] {
      const auto answer = pages.send({.absolute_path = "/readyz", .accept = "*/*"});
      return answer && answer->body.starts_with("ok");
    });
  }

  apiserver::Server server{open_server()};
  rest::Client client = testkit::client(server);
  client::ResourceApi greetings{client, kGreetings, "default"};
  client::ResourceApi maps{client, {"", "v1", "configmaps"}, "default"};
  Kubeconfig kubeconfig{server.url()};
};

TEST_F(OperatorExampleTest, ShowsChangesHidesAndHandsOver) {
  Program one("greeting_operator", {"one"});
  Program two("greeting_operator", {"two"});
  EXPECT_TRUE(eventually([&] { return greetings.create(from_example("example_greeting.yaml")).has_value(); }));
  EXPECT_TRUE(eventually([&] { return shown() == "Good morning" && status() == "Good morning"; }));
  EXPECT_TRUE(becomes_ready(two));

  ASSERT_TRUE(greetings.patch("morning", client::PatchType::Merge, R"({"spec":{"message":"Good night"}})"));
  EXPECT_TRUE(eventually([&] { return shown() == "Good night" && status() == "Good night"; }));
  EXPECT_EQ(greetings.get("morning").value()["status"]["updates"].int_or(0), 2);

  EXPECT_EQ(one.end(SIGTERM), 0);  // whichever leads: two is left
  ASSERT_TRUE(greetings.patch("morning", client::PatchType::Merge, R"({"spec":{"message":"Hello again"}})"));
  EXPECT_TRUE(eventually([&] { return shown() == "Hello again"; }));

  ASSERT_TRUE(greetings.remove("morning"));
  EXPECT_TRUE(eventually([&] { return shown() == "nothing" && status() == "gone"; }));
  const client::ResourceApi events(client, {"", "v1", "events"}, "default");
  EXPECT_TRUE(eventually([&] {
    const auto all = events.list().value().items;
    return std::any_of(all.begin(), all.end(), [](const auto& each) { return each["reason"].string() == "Hidden"; });
  }));
  EXPECT_EQ(two.end(SIGTERM), 0);
}

TEST_F(OperatorExampleTest, EndsWithALineWhenItsPagesCannotBeOpened) {
  Program program("greeting_operator", {"one", "--listen", "nowhere"});
  EXPECT_THAT(program.next_error(), ::testing::HasSubstr("listen is an IP address and a port"));
  EXPECT_EQ(program.end(), 1);
}

}  // namespace
}  // namespace kubexx
