// A manager as a program has it: threads, sockets, pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kubexx/base/stop.hpp"
#include "kubexx/manager/manager.hpp"
#include "kubexx/testkit/client.hpp"
#include "support/log_lines.hpp"

namespace kubexx::manager {
namespace {

using ::testing::HasSubstr;

class ManagerPagesTest : public ::testing::Test {
 protected:
  /// What a page of the program answers to who has the token.
  Result<rest::Response> ask(const std::string& path) {
    const auto url = program->page_url();
    rest::Config config;
    config.host = url.substr(0, url.find("/?"));
    rest::Request request;
    request.absolute_path = path;
    request.query = {{"verbose", "1"}, {"token", url.substr(url.find("token=") + 6)}};
    request.accept = "*/*";
    return rest::Client::create(config, {.executor = client.executor(), .max_retries = 0}).value().send(request);
  }
  static std::string text_of(const Result<rest::Response>& answer) {
    return answer ? answer->body : std::to_string(answer.error().code());
  }
  std::string failed() {
    std::string text;
    for (const auto& each : program->health().run(HealthProbe::Readiness)) {
      if (each.state == HealthState::Failed) text += each.name + ": " + each.reason;
    }
    return text;
  }

  apiserver::Server server;
  rest::Client client = testkit::client(server);
  informer::DynamicSharedInformerFactory factory{client};
  std::unique_ptr<Manager> program;
};

TEST_F(ManagerPagesTest, ThePagesAnswerFromTheBeginningAndSayWhatIsMissing) {
  ManagerOptions options;
  options.pages = inspect::Options{};
  program = Manager::create(client, options).value();
  const auto maps = factory.for_resource({"", "v1", "configmaps"}).value();
  program->add(factory);
  std::atomic<bool> full = false;
  auto disk = program->health().add("disk", HealthProbe::Readiness, [&]() -> Health {
    return full ? Health(Error::config("the disk is full")) : Health();
  });
  auto refused = server.core().add_fault({.resource = "configmaps", .status = 503});
  program->start();
  ASSERT_TRUE(program->wait_until([](const ManagerStatus& now) {
    const auto* informers = now.find("informers");
    return informers && informers->state == ComponentState::Starting;
  }));
  EXPECT_EQ(failed(), "manager: starting: informers");
  EXPECT_EQ(text_of(ask("/readyz")), "503");
  EXPECT_THAT(text_of(ask("/healthz")), HasSubstr("healthz check passed"));

  refused.end();
  ASSERT_TRUE(program->wait_until([](const ManagerStatus& now) { return now.state == ManagerState::Running; }));
  EXPECT_THAT(text_of(ask("/readyz")), HasSubstr("[+]manager ok"));
  full = true;
  EXPECT_EQ(failed(), "disk: the disk is full");
  EXPECT_EQ(text_of(ask("/readyz")), "503");
  EXPECT_THAT(text_of(ask("/metrics")), HasSubstr("kubexx_store_objects"));

  program->stop();
  EXPECT_TRUE(program->ended_async().wait());
  EXPECT_EQ(program->page_url(), "");
}

TEST_F(ManagerPagesTest, RunBlocksUntilTheTokenFiresAndTasksRunWhereTheyMayBlock) {
  program = Manager::create(client).value();
  std::stop_source stop;
  std::atomic<int> beats{0};
  program->add(task_component(client, "heart", [&](const ComponentRun& run) -> Result<void> {
    while (!wait_for_stop(run.stop, std::chrono::milliseconds(1))) {
      if (++beats == 3) stop.request_stop();
    }
    return {};
  }));
  EXPECT_TRUE(program->run(stop.get_token()));
  EXPECT_GE(beats, 3);
  EXPECT_EQ(program->status().find("heart")->state, ComponentState::Ended);
}

TEST_F(ManagerPagesTest, AnAddressThatIsTakenIsTheReasonWhyItEnds) {
  const LogLines log;
  auto first = inspect::Server::start().value();
  ManagerOptions options;
  options.pages = inspect::Options{.listen = "127.0.0.1:" + std::to_string(first->port())};
  program = Manager::create(client, options).value();
  const auto ended = program->run({});
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message(), HasSubstr("component pages did not start: inspector"));
}

TEST_F(ManagerPagesTest, AManagerThatGoesStopsWhatItRuns) {
  std::atomic<bool> over = false;
  program = Manager::create(client).value();
  program->add(factory);
  program->add(task_component(client, "task", [&](const ComponentRun& run) -> Result<void> {
    wait_for_stop(run.stop);
    over = true;
    return {};
  }));
  program->start();
  ASSERT_TRUE(program->wait_until([](const ManagerStatus& now) { return now.state == ManagerState::Running; }));
  program.reset();
  EXPECT_TRUE(over);
}

}  // namespace
}  // namespace kubexx::manager
