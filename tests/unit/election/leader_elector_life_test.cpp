#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kubexx/election/leader_elector.hpp"
#include "support/fixture_executor.hpp"
#include "unit/base/wait.hpp"
#include "unit/rest/fake_api.hpp"

namespace kubexx::election {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// An elector whose every part runs on one executor; its leading work only begins.
class LeaderElectorLifeTest : public testing::Test {
 protected:
  std::unique_ptr<LeaderElector> make() {
    LeaderCallbacks callbacks;
    callbacks.on_started_leading = [this](const LeaderGuard&) { ++terms; };
    callbacks.on_stopped_leading = [this] {
      ++ends;
      if (on_stopped) on_stopped();
    };
    return LeaderElector::create(fake_client(executor, api), {.name = "widget", .identity = "a"}, callbacks).value();
  }

  FixtureExecutor executor;
  std::shared_ptr<test::FakeStore> store = std::make_shared<test::FakeStore>();
  std::shared_ptr<test::FakeApi> api = std::make_shared<test::FakeApi>(executor, store);
  int terms = 0;
  int ends = 0;
  std::function<void()> on_stopped;
};

TEST_F(LeaderElectorLifeTest, ASecondCandidacyAtTheSameTimeIsRefused) {
  const auto elector = make();
  elector->start();
  EXPECT_THROW(elector->start(), std::logic_error);
  elector->stop();
  EXPECT_THROW(elector->start(), std::logic_error);
  executor->run_until_idle();
  EXPECT_EQ(ends, 1);

  elector->start();
  executor->advance(milliseconds(1));
  EXPECT_EQ(terms, 1);
  elector->stop();
  executor->run_until_idle();
}

TEST_F(LeaderElectorLifeTest, ALostTermEndsTheCandidacyAndItsEndMayStartTheNext) {
  const auto elector = make();
  std::stop_source stop;
  on_stopped = [&] {
    if (!stop.stop_requested()) elector->start(stop.get_token());
  };
  elector->start(stop.get_token());
  int ended = 0;
  elector->ended_async().start([&](const Result<void>&) { ++ended; });
  executor->advance(milliseconds(1));
  EXPECT_EQ(terms, 1);

  api->unreachable = true;
  executor->advance(seconds(11));
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(ended, 1);
  EXPECT_FALSE(elector->is_leader());
  api->unreachable = false;
  executor->advance(seconds(30));
  EXPECT_EQ(terms, 2);
  EXPECT_TRUE(elector->is_leader());

  stop.request_stop();
  executor->run_until_idle();
  EXPECT_EQ(ends, 2);
  EXPECT_EQ(ended, 1);
}

TEST_F(LeaderElectorLifeTest, EveryoneWhoWaitsForTheEndIsToldAndLateOnesToo) {
  const auto elector = make();
  elector->start();
  int told = 0;
  for (int i = 0; i < 3; ++i) elector->ended_async().start([&](const Result<void>& end) { told += end ? 1 : 100; });
  executor->advance(seconds(5));
  EXPECT_EQ(told, 0);
  elector->stop();
  EXPECT_EQ(told, 0);
  executor->run_until_idle();
  EXPECT_EQ(told, 3);
  elector->ended_async().start([&](const Result<void>&) { ++told; });
  executor->run_until_idle();
  EXPECT_EQ(told, 4);
}

TEST_F(LeaderElectorLifeTest, WhoWaitsForTheTermIsToldWhenItBeginsAlsoFromBeforeTheStart) {
  const auto elector = make();
  std::vector<std::string> told;
  const auto note = [&](const Result<ElectionStatus>& now) {
    told.push_back(now ? now->token->to_string() : now.error().message());
  };
  const auto leads = [](const ElectionStatus& now) { return now.leading; };
  elector->until_async(leads).start(note);
  executor->advance(seconds(60));
  EXPECT_TRUE(told.empty());
  EXPECT_FALSE(elector->status().standing);

  elector->start();
  EXPECT_TRUE(elector->status().standing);
  executor->advance(milliseconds(1));
  EXPECT_THAT(told, testing::ElementsAre("0/1"));
  elector->until_async(leads).start(note);
  executor->run_until_idle();
  EXPECT_THAT(told, testing::ElementsAre("0/1", "0/1"));
  EXPECT_EQ(elector->status().holder, "a");
  elector->stop();
  executor->run_until_idle();
  EXPECT_EQ(elector->status().token, std::nullopt);
}

TEST_F(LeaderElectorLifeTest, AWaitEndsWithItsTokenItsTimeTheCandidacyOrWhatItsConditionThrows) {
  const auto elector = make();
  elector->start();
  std::vector<std::string> told;
  const auto note = [&](const Result<ElectionStatus>& now) { told.push_back(now ? "met" : now.error().message()); };
  const auto never = [](const ElectionStatus& now) { return now.holder == "nobody we know"; };
  std::stop_source stop;
  elector->until_async(never, {.stop = stop.get_token()}).start(note);
  elector->until_async(never, {.timeout = seconds(3)}).start(note);
  elector
      ->until_async([](const ElectionStatus& now) -> bool {
        if (now.leading) throw std::runtime_error("what a question");
        return false;
      })
      .start(note);
  executor->advance(milliseconds(1));
  EXPECT_THAT(told, testing::ElementsAre("exception: what a question"));
  stop.request_stop();
  executor->run_until_idle();
  EXPECT_THAT(told, testing::ElementsAre("exception: what a question", "canceled"));
  executor->advance(seconds(4));
  EXPECT_EQ(told.size(), 3U);
  EXPECT_EQ(told.back(), "it did not come in time");

  elector->until_async(never).start(note);
  elector->until_async([](const ElectionStatus& now) { return !now.standing; }).start(note);
  executor->run_until_idle();
  EXPECT_EQ(told.size(), 3U);
  elector->stop();
  executor->run_until_idle();
  EXPECT_THAT(told, testing::Contains("met"));
  EXPECT_THAT(told, testing::Contains("the candidacy has ended"));
  elector->until_async(never).start(note);
  executor->run_until_idle();
  EXPECT_EQ(told.size(), 6U);
  EXPECT_EQ(executor->pending_timers(), 0U);
}

TEST_F(LeaderElectorLifeTest, TheDestructorStopsAndWaitsForTheEnd) {
  auto* const elector = make().release();
  on_stopped = [&] { elector->start(); };  // in vain, the elector goes
  elector->start();
  executor->advance(milliseconds(1));
  test::Count done;
  const std::jthread dropping([&] {
    delete elector;
    done.add();
  });
  while (done.value() == 0) {
    if (!executor->run_one()) std::this_thread::yield();
  }

  EXPECT_EQ(ends, 1);
  EXPECT_EQ(terms, 1);
}

}  // namespace
}  // namespace kubexx::election
