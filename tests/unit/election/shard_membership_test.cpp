#include "kubexx/election/shard_membership.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "election/shard_machine.hpp"
#include "support/fixture_executor.hpp"
#include "unit/rest/fake_api.hpp"

namespace kubexx::election {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::FakeApi;
using test::FakeStore;
using testing::ElementsAre;

TEST(ShardSetTest, SharesDivideEverySlotOnce) {
  const std::vector<std::string> members{"a", "b", "c", "d", "e"};
  ShardSet all;
  std::size_t sum = 0;
  for (const auto& member : members) {
    const auto share = ShardSet::share_of(member, members);
    EXPECT_TRUE((all & share).empty());
    EXPECT_GT(share.size(), kShardSlots / 10);
    EXPECT_LT(share.size(), kShardSlots * 3 / 10);
    all = all | share;
    sum += share.size();
  }
  EXPECT_EQ(sum, kShardSlots);
  EXPECT_TRUE(ShardSet::share_of("x", members).empty());
}

TEST(ShardSetTest, AMemberThatLeavesMovesOnlyItsOwnShare) {
  const std::vector<std::string> before{"a", "b", "c"};
  const std::vector<std::string> after{"a", "c"};

  EXPECT_TRUE((ShardSet::share_of("a", before) - ShardSet::share_of("a", after)).empty());
  EXPECT_EQ(ShardSet::share_of("a", after) | ShardSet::share_of("c", after), ShardSet::all());
}

TEST(ShardSetTest, SlotsAreTheSameInEveryVersion) {
  EXPECT_EQ(ShardSet::slot_of("default/a"), ShardSet::slot_of(std::string("default/a")));
  EXPECT_EQ(ShardSet::slot_of("default/web-0"), 775U);
  EXPECT_EQ(ShardSet::slot_of(""), 155U);
}

struct Replica {
  Replica(const std::shared_ptr<ManualExecutor>& executor, const std::shared_ptr<FakeStore>& store, std::string name)
      : api(std::make_shared<FakeApi>(executor, store)), client(fake_client(executor, api)) {
    options.group = "g";
    options.identity = std::move(name);
  }
  void start() {
    ShardCallbacks callbacks;
    callbacks.on_gained = [this](const ShardSet& set) { gained += set.size(); };
    callbacks.on_lost = [this](const ShardSet& set) { lost += set.size(); };
    machine = std::make_shared<ShardMachine>(client, options, callbacks);
    machine->start();
  }
  ShardSet owned() const { return machine ? machine->ledger()->owned() : ShardSet(); }

  std::shared_ptr<FakeApi> api;
  rest::Client client;
  ShardOptions options;
  std::size_t gained = 0;
  std::size_t lost = 0;
  std::shared_ptr<ShardMachine> machine;
};

class ShardMembershipTest : public testing::Test {
 protected:
  Replica& replica(const std::string& name) {
    all.push_back(std::make_unique<Replica>(executor, store, name));
    return *all.back();
  }
  void pass(Duration by) {
    const auto until = executor->clock().now() + by;
    while (executor->clock().now() < until) {
      executor->advance(milliseconds(100));
      check_exclusive();
    }
  }
  void check_exclusive() {
    ShardSet seen;
    for (const auto& r : all) {
      ASSERT_TRUE((seen & r->owned()).empty()) << r->options.identity;
      seen = seen | r->owned();
    }
    covered = seen.size();
  }
  /// A key in what one replica owns now and will lose to the other.
  static std::string key_moving(const std::string& from, const std::vector<std::string>& before,
                                const std::vector<std::string>& after) {
    for (int i = 0;; ++i) {
      auto key = "default/k" + std::to_string(i);
      if (ShardSet::share_of(from, before).contains(key) && !ShardSet::share_of(from, after).contains(key)) return key;
    }
  }

  FixtureExecutor executor;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  std::vector<std::unique_ptr<Replica>> all;
  std::size_t covered = 0;
};

TEST_F(ShardMembershipTest, ASingleReplicaOwnsEverything) {
  auto& a = replica("a");
  a.start();
  pass(seconds(1));

  EXPECT_EQ(a.owned(), ShardSet::all());
  EXPECT_EQ(a.gained, kShardSlots);
  EXPECT_THAT(a.machine->members(), ElementsAre("a"));
}

TEST_F(ShardMembershipTest, ANewReplicaGetsItsShareAfterTheOldOneLetGo) {
  auto& a = replica("a");
  a.start();
  pass(seconds(1));
  auto& b = replica("b");
  b.start();
  pass(seconds(6));

  EXPECT_EQ(a.owned(), ShardSet::share_of("a", {"a", "b"}));
  EXPECT_EQ(b.owned(), ShardSet::share_of("b", {"a", "b"}));
  EXPECT_EQ(a.lost, b.gained);
}

TEST_F(ShardMembershipTest, AKeyThatIsWorkedOnStaysUntilTheWorkIsDone) {
  auto& a = replica("a");
  a.start();
  pass(seconds(1));
  const auto key = key_moving("a", {"a"}, {"a", "b"});
  auto work = a.machine->ledger()->begin(key);
  ASSERT_TRUE(work);
  auto& b = replica("b");
  b.start();
  pass(seconds(60));
  EXPECT_FALSE(a.machine->ledger()->owns(key));  // nothing new begins there
  EXPECT_FALSE(a.machine->ledger()->begin(key));
  EXPECT_TRUE(work.guard().valid());
  EXPECT_TRUE(b.owned().empty());

  work = {};
  pass(seconds(3));

  EXPECT_TRUE(b.machine->ledger()->owns(key));
}

TEST_F(ShardMembershipTest, TheKeysOfADeadReplicaMoveAfterItsLeaseRanOut) {
  auto& a = replica("a");
  auto& b = replica("b");
  a.start();
  b.start();
  pass(seconds(10));
  ASSERT_EQ(covered, kShardSlots);

  b.api->silent = true;
  pass(seconds(14));
  EXPECT_EQ(a.owned(), ShardSet::share_of("a", {"a", "b"}));
  EXPECT_TRUE(b.owned().empty());  // its guard has ended
  pass(seconds(6));

  EXPECT_EQ(a.owned(), ShardSet::all());
}

TEST_F(ShardMembershipTest, AReplicaThatComesBackTakesNothingThatOthersHoldUntilTheyLetGo) {
  auto& a = replica("a");
  auto& b = replica("b");
  a.start();
  b.start();
  pass(seconds(10));
  b.api->unreachable = true;
  pass(seconds(30));
  ASSERT_EQ(a.owned(), ShardSet::all());
  const auto key = key_moving("a", {"a"}, {"a", "b"});
  auto work = a.machine->ledger()->begin(key);

  b.api->unreachable = false;
  pass(seconds(20));
  EXPECT_FALSE(b.machine->ledger()->owns(key));
  work = {};
  pass(seconds(5));

  EXPECT_TRUE(b.machine->ledger()->owns(key));
  EXPECT_EQ(covered, kShardSlots);
}

TEST_F(ShardMembershipTest, AReplicaWhoseMachineSleptOwnsNothingWhenItsNextRenewalSucceeds) {
  FixtureExecutor sleeper;
  const auto both_pass = [&](Duration by) {
    const auto until = executor->clock().now() + by;
    while (executor->clock().now() < until) {
      executor->advance(milliseconds(100));
      sleeper->advance(milliseconds(100));
      check_exclusive();
    }
  };
  auto& a = replica("a");
  auto& b = *all.emplace_back(std::make_unique<Replica>(sleeper, store, "b"));
  a.start();
  b.start();
  both_pass(seconds(10));
  ASSERT_EQ(covered, kShardSlots);

  executor->advance(seconds(30));  // meanwhile the other's clock stands, as it does while a machine sleeps
  ASSERT_EQ(a.owned(), ShardSet::all());
  sleeper->fake_clock().set_wall(sleeper->clock().wall() + seconds(30));
  check_exclusive();

  both_pass(seconds(20));

  EXPECT_EQ(b.owned(), ShardSet::share_of("b", {"a", "b"}));
  EXPECT_EQ(covered, kShardSlots);
}

TEST_F(ShardMembershipTest, LeavingHandsOverWithoutWaitingForTheLease) {
  auto& a = replica("a");
  auto& b = replica("b");
  a.start();
  b.start();
  pass(seconds(10));
  bool left = false;
  b.machine->leave([&] { left = true; });
  pass(seconds(5));

  EXPECT_TRUE(left);
  EXPECT_EQ(a.owned(), ShardSet::all());
}

TEST_F(ShardMembershipTest, LeavingWaitsForWorkAndKeepsTheLeaseMeanwhile) {
  auto& a = replica("a");
  a.start();
  pass(seconds(1));
  auto work = a.machine->ledger()->begin("default/x");
  bool left = false;
  a.machine->leave([&] { left = true; });
  pass(seconds(60));
  EXPECT_FALSE(left);
  EXPECT_TRUE(work.guard().valid());

  work = {};
  pass(seconds(1));
  EXPECT_TRUE(left);
  EXPECT_EQ(executor->pending_timers(), 0U);
}

TEST_F(ShardMembershipTest, ADeletedLeaseCountsUntilItWouldHaveRunOut) {
  auto& a = replica("a");
  auto& b = replica("b");
  a.start();
  b.start();
  pass(seconds(10));
  b.api->silent = true;
  store->objects.erase("/apis/coordination.k8s.io/v1/namespaces/default/leases/g-b");
  pass(seconds(9));
  EXPECT_EQ(a.owned(), ShardSet::share_of("a", {"a", "b"}));
  pass(seconds(10));

  EXPECT_EQ(a.owned(), ShardSet::all());
}

TEST_F(ShardMembershipTest, LeasesOfReplicasLongGoneAreRemoved) {
  auto& a = replica("a");
  auto& b = replica("b");
  a.start();
  b.start();
  pass(seconds(5));
  b.machine->leave([] {});
  pass(seconds(70));

  EXPECT_EQ(store->objects.size(), 1U);
}

TEST_F(ShardMembershipTest, UnderRandomFaultsNoKeyHasTwoOwnersAndAfterwardsEachHasOne) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    executor.renew(seed);
    store = std::make_shared<FakeStore>();
    all.clear();
    Random random(seed);
    std::vector<ShardWork> works;
    for (int i = 0; i < 5; ++i) replica("r" + std::to_string(i)).start();
    for (int step = 0; step < 400; ++step) {
      auto& one = *all[random.below(5)];
      switch (random.below(12)) {
        case 0:
          one.api->unreachable = !one.api->unreachable;
          break;
        case 1:
          one.api->silent = !one.api->silent;
          break;
        case 2:
          one.api->answer_latency = milliseconds(random.below(7000));
          break;
        case 3:
          one.api->latency = milliseconds(random.below(3000));
          break;
        case 4:
          if (auto work = one.machine->ledger()->begin("k" + std::to_string(random.below(5000)))) {
            works.push_back(std::move(work));
          }
          break;
        case 5:
          works.clear();
          break;
        case 6:
          one.machine->abandon();  // dies and starts again
          executor->run_until_idle();
          one.start();
          break;
        default:
          break;
      }
      pass(milliseconds(random.below(1500)));
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << " step " << step;
    }
    works.clear();
    for (auto& r : all) {
      r->api->unreachable = r->api->silent = false;
      r->api->latency = r->api->answer_latency = {};
    }
    pass(seconds(45));
    EXPECT_EQ(covered, kShardSlots) << "seed " << seed;
  }
}

TEST(ShardOptionsTest, NamesAndDurationsAreChecked) {
  ShardOptions good;
  good.group = "g";
  good.identity = "a";
  EXPECT_TRUE(good.validate());
  auto bad = good;
  bad.identity = "a,b";
  EXPECT_FALSE(bad.validate());
  bad = good;
  bad.group = "";
  EXPECT_FALSE(bad.validate());
  bad = good;
  bad.renew_deadline = bad.lease_duration;
  EXPECT_FALSE(bad.validate());
}

}  // namespace
}  // namespace kubexx::election
