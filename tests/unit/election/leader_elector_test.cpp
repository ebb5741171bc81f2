#include "kubexx/election/leader_elector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/election/candidate.hpp"

namespace kubexx::election {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::FakeApi;
using test::FakeStore;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(LeaderElectionTest, WithoutALeaseItIsCreatedAndHeld) {
  a->start();
  pass(milliseconds(1));
  a->run_handlers();

  EXPECT_EQ(record().holder, "a");
  EXPECT_EQ(record().duration_seconds, 15);
  EXPECT_EQ(record().transitions, 0);
  EXPECT_EQ(a->terms, 1);
  EXPECT_TRUE(a->machine->is_leader());
  EXPECT_THAT(a->leaders, ElementsAre("a"));
  EXPECT_THAT(a->events, ElementsAre("a became leader"));
}

TEST_F(LeaderElectionTest, ALeaseOfNobodyIsTakenAtOnceAndForeignLabelsStay) {
  a->options.labels = {{"app", "widget"}};
  put({"", 1, "", "", 4});
  a->start();
  pass(milliseconds(1));

  EXPECT_EQ(record().holder, "a");
  EXPECT_EQ(record().transitions, 5);
  EXPECT_EQ(store->objects.at(kPath).labels()["theirs"].string(), "1");
  EXPECT_EQ(store->objects.at(kPath).labels()["app"].string(), "widget");
}

TEST_F(LeaderElectionTest, ALeaseWithoutARecordIsTaken) {
  store->put(kPath, new_lease("default", "widget").to_object());
  a->start();
  pass(milliseconds(1));

  EXPECT_EQ(record().holder, "a");
}

TEST_F(LeaderElectionTest, AHeldLeaseIsTakenOnlyAfterItsDurationWithoutARenewalByTheLocalClock) {
  // Renewed in the far future by a holder whose calendar is wrong: only our own waiting counts.
  put({"other", 15, "2099-01-01T00:00:00.000000Z", "2099-01-01T00:00:00.000000Z", 1});
  a->start();
  pass(seconds(14));
  EXPECT_EQ(record().holder, "other");
  EXPECT_FALSE(a->machine->is_leader());

  pass(seconds(6));

  EXPECT_EQ(record().holder, "a");
  EXPECT_EQ(record().transitions, 2);
  a->run_handlers();
  EXPECT_THAT(a->leaders, ElementsAre("other", "a"));
}

TEST_F(LeaderElectionTest, RenewalsOfTheHolderAreRespected) {
  a->start();
  pass(milliseconds(1));
  b->start();
  pass(seconds(120));

  EXPECT_EQ(record().holder, "a");
  EXPECT_EQ(record().transitions, 0);
  EXPECT_EQ(b->machine->leader(), "a");
  EXPECT_FALSE(b->machine->is_leader());
}

TEST_F(LeaderElectionTest, ARenewalIsOneWriteWithoutARead) {
  a->start();
  pass(milliseconds(1));
  a->api->sent.clear();
  pass(seconds(8));

  EXPECT_EQ(a->api->count("GET"), 0U);
  EXPECT_EQ(a->api->count("PUT"), 4U);
}

TEST_F(LeaderElectionTest, AfterAConflictTheLeaderLooksAndRenews) {
  a->start();
  pass(milliseconds(1));
  const auto label = store->objects.at(kPath);
  auto draft = label.edit();
  draft["metadata"]["labels"]["by"].set("someone");
  store->put(kPath, draft.to_object());
  a->api->sent.clear();
  pass(seconds(2));

  EXPECT_EQ(a->api->count("PUT"), 2U);
  EXPECT_EQ(a->api->count("GET"), 1U);
  EXPECT_TRUE(a->machine->is_leader());
}

TEST_F(LeaderElectionTest, ALeaderThatFindsAnotherHolderEndsItsTermAtOnce) {
  a->start();
  pass(milliseconds(1));
  a->run_handlers();
  put({"b", 15, "", "x", 9});
  pass(seconds(2));

  EXPECT_TRUE(a->guard.stop_token().stop_requested());
  EXPECT_FALSE(a->guard.valid());
  EXPECT_TRUE(a->ended);
  EXPECT_THAT(a->write(), HasSubstr("no more writes"));
}

TEST_F(LeaderElectionTest, TheGuardEndsBeforeAnotherCandidateCanLead) {
  a->start();
  pass(milliseconds(1));
  a->run_handlers();
  b->start();
  pass(seconds(5));
  EXPECT_EQ(a->write(), "");

  a->api->unreachable = true;
  const auto cut = executor->clock().now();
  while (record().holder != "b" && executor->clock().now() < cut + seconds(60)) {
    EXPECT_TRUE(a->guard.valid() || a->guard.stop_token().stop_requested());
    pass(milliseconds(100));
  }

  EXPECT_EQ(record().holder, "b");
  EXPECT_TRUE(a->ended);
  EXPECT_LE(a->guard.deadline() + seconds(3), executor->clock().now());
  EXPECT_LE(executor->clock().now() - cut, seconds(15) + seconds(2) * 11 / 5);  // lease + retry with its jitter
}

TEST_F(LeaderElectionTest, AWriteIsRefusedAfterTheDeadlineEvenIfNoTimerRan) {
  a->start();
  pass(milliseconds(1));
  a->run_handlers();
  ASSERT_EQ(a->write(), "");
  const auto sent = a->api->sent.size();

  executor->fake_clock().advance(seconds(10));  // as after SIGSTOP: time has passed, nothing has run

  EXPECT_FALSE(a->guard.valid());
  Strand strand(executor);
  std::optional<Error> refused;
  rest::Request request;
  request.method = "DELETE";
  request.path = {{"", "v1", "configmaps"}, "default", "c", ""};
  const auto call = a->guard.guarded(*a->client).start(request, strand, [&](Result<rest::Response> answer) {
    if (!answer) refused = answer.error();
  });
  executor->run_until_idle();
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->is_canceled());
  for (std::size_t i = sent; i < a->api->sent.size(); ++i) EXPECT_NE(a->api->sent[i].method, "DELETE");
}

TEST_F(LeaderElectionTest, ReadsPassAGuardThatHasEnded) {
  a->start();
  pass(milliseconds(1));
  Strand strand(executor);
  bool answered = false;
  rest::Request request;
  request.path = {{"", "v1", "configmaps"}, "default", "c", ""};
  const auto call = LeaderGuard().guarded(*a->client).start(request, strand, [&](Result<rest::Response> answer) {
    answered = !answer && answer.error().is_not_found();
  });
  executor->run_until_idle();

  EXPECT_TRUE(answered);
  EXPECT_THAT(a->write(), HasSubstr("no more writes"));  // a default guard lets no write pass
}

TEST_F(LeaderElectionTest, TheDeadlineCountsFromTheStartOfASlowRenewal) {
  a->start();
  pass(milliseconds(1));
  a->run_handlers();
  a->api->answer_latency = seconds(4);
  pass(seconds(8));

  const auto last_put = [&] {
    TimePoint time;
    for (const auto& s : a->api->sent) {
      if (s.method == "PUT" && s.time + seconds(4) <= executor->clock().now()) time = s.time;
    }
    return time;
  }();
  EXPECT_EQ(a->guard.deadline(), last_put + seconds(10));
}

TEST_F(LeaderElectionTest, AJumpOfTheCalendarNeverEndsATerm) {
  a->start();
  pass(milliseconds(1));
  a->run_handlers();
  executor->fake_clock().set_wall(executor->clock().wall() - hours(24));
  pass(seconds(30));
  EXPECT_EQ(a->write(), "");

  executor->fake_clock().set_wall(executor->clock().wall() + hours(48));
  EXPECT_THAT(a->write(), HasSubstr("suspended"));
  pass(seconds(2));
  EXPECT_EQ(a->write(), "");
  EXPECT_TRUE(a->machine->is_leader());
}

TEST_F(LeaderElectionTest, AStoppedLeaderRenewsUntilItsWorkReturnedThenGivesTheLeaseBack) {
  a->start();
  pass(milliseconds(1));  // the work has been started and has not returned: its executor stands still
  a->machine->stop();
  pass(seconds(30));
  EXPECT_FALSE(a->ended);
  EXPECT_EQ(record().holder, "a");
  EXPECT_TRUE(a->machine->is_leader());

  a->run_handlers();
  pass(milliseconds(1));

  EXPECT_TRUE(a->ended);
  EXPECT_TRUE(a->guard.stop_token().stop_requested());
  EXPECT_FALSE(a->guard.valid());
  EXPECT_EQ(record().holder, "");
  EXPECT_EQ(record().duration_seconds, 1);
  a->run_handlers();
  EXPECT_THAT(a->leaders, ElementsAre("a", ""));
}

TEST_F(LeaderElectionTest, TheReleaseReadsFirstAndSurvivesAConflict) {
  a->start();
  pass(milliseconds(1));
  a->run_handlers();
  a->api->sent.clear();
  int conflicts = 0;
  a->api->intercept = [&](const FakeApi::Sent& call) -> std::optional<FakeApi::Answer> {
    if (call.method == "PUT" && conflicts++ == 0) return FakeApi::failure(409, "Conflict");
    return std::nullopt;
  };
  a->machine->stop();
  pass(milliseconds(1));

  std::vector<std::string> methods;
  for (const auto& s : a->api->sent) methods.push_back(s.method);
  EXPECT_THAT(methods, ElementsAre("GET", "PUT", "GET", "PUT"));
  EXPECT_EQ(record().holder, "");
}

TEST_F(LeaderElectionTest, StoppingDuringTheFirstWriteStillGivesTheLeaseBack) {
  a->api->answer_latency = seconds(1);
  a->start();
  pass(milliseconds(1500));  // created on the server, the answer is on its way
  ASSERT_EQ(record().holder, "a");
  a->machine->stop();
  pass(seconds(5));

  EXPECT_EQ(record().holder, "");
  EXPECT_TRUE(a->ended);
  EXPECT_EQ(a->terms, 0);
}

TEST_F(LeaderElectionTest, AStopWhileAnotherLeadsEndsAtOnce) {
  put({"other", 15, "", "x", 1});
  a->start();
  pass(seconds(1));
  a->machine->stop();
  executor->run_until_idle();

  EXPECT_TRUE(a->ended);
  EXPECT_EQ(executor->pending_timers(), 0U);
}

TEST_F(LeaderElectionTest, ALeaderWithoutAServerEndsAtItsDeadlineAndItsHealthSaysSoOnlyAfterTheTolerance) {
  a->start();
  pass(milliseconds(1));
  a->api->silent = true;
  pass(seconds(9));
  EXPECT_TRUE(a->machine->is_leader());
  EXPECT_TRUE(a->machine->check(seconds(20)));
  pass(seconds(1));

  EXPECT_FALSE(a->machine->is_leader());
  EXPECT_TRUE(a->machine->check(seconds(0)));  // not leading any more: healthy
  EXPECT_FALSE(a->ended);                      // its work has not returned
  a->run_handlers();
  EXPECT_TRUE(a->ended);
}

TEST_F(LeaderElectionTest, AStuckExecutorMakesALeaderUnhealthy) {
  a->start();
  pass(milliseconds(1));
  executor->fake_clock().advance(seconds(20));
  EXPECT_TRUE(a->machine->check(seconds(20)));
  executor->fake_clock().advance(seconds(16));

  EXPECT_FALSE(a->machine->check(seconds(20)));
}

TEST_F(LeaderElectionTest, FiveCandidatesUnderRandomCutsNeverShareTheRightToWrite) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    executor.renew(seed);
    store = std::make_shared<FakeStore>();
    Random random(seed);  // also the jitter of all candidates
    std::vector<std::unique_ptr<Candidate>> all;
    for (int i = 0; i < 5; ++i) {
      all.push_back(candidate("c" + std::to_string(i)));
      all.back()->options.random = &random;
      all.back()->start();
    }
    int led = 0;
    for (int step = 0; step < 600; ++step) {
      auto& one = all[random.below(5)];
      const auto dice = random.below(20);
      if (dice == 0) one->api->unreachable = !one->api->unreachable;
      if (dice == 1) one->api->silent = !one->api->silent;
      if (dice == 2) one->api->answer_latency = milliseconds(random.below(8000));
      pass(milliseconds(random.below(1000)));
      int valid = 0;
      for (auto& c : all) {
        c->run_handlers();
        if (c->guard.valid()) ++valid;
        if (c->ended) {
          c->ended = false;
          c->start();
        }
      }
      ASSERT_LE(valid, 1) << "seed " << seed << " step " << step;
      led += valid;
    }
    EXPECT_GT(led, 0) << seed;
  }
}

TEST(LeaderOptionsTest, DurationsMustLeaveRoomForEachOther) {
  LeaderElectionOptions good;
  good.name = "n";
  good.identity = "i";
  EXPECT_TRUE(good.validate());

  const auto refused = [&](auto change) {
    auto options = good;
    change(options);
    return !options.validate().has_value();
  };
  EXPECT_TRUE(refused([](auto& o) { o.identity = ""; }));
  EXPECT_TRUE(refused([](auto& o) { o.name = ""; }));
  EXPECT_TRUE(refused([](auto& o) { o.renew_deadline = seconds(15); }));
  EXPECT_TRUE(refused([](auto& o) { o.retry_period = seconds(9); }));
  EXPECT_TRUE(refused([](auto& o) { o.retry_period = seconds(0); }));
}

TEST(LeaseRecordTest, SurvivesTheWayThroughALease) {
  const LeaseRecord record{"a", 15, "2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:01.000000Z", 3};
  auto lease = new_lease("ns", "n");
  record.write_to(lease);

  EXPECT_EQ(LeaseRecord::of(lease.to_object()), record);
}

TEST(LeaseRecordTest, ADurationThatMakesNoSenseIsReplacedOrBounded) {
  EXPECT_EQ((LeaseRecord{"a", 0, "", "", 0}.duration(seconds(15))), seconds(15));
  EXPECT_EQ((LeaseRecord{"a", -5, "", "", 0}.duration(seconds(15))), seconds(15));
  EXPECT_EQ((LeaseRecord{"a", INT64_MAX, "", "", 0}.duration(seconds(15))), hours(24 * 365));
}

TEST(LeaderHealthTest, WithoutAnElectorItIsHealthy) {
  EXPECT_TRUE(LeaderHealth().check());
}

}  // namespace
}  // namespace kubexx::election
