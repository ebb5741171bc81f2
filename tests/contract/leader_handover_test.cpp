#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kubexx/client/resource_api.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/election/leader_observer.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/in_process_transport.hpp"
#include "support/fixture_executor.hpp"

namespace kubexx::election {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const meta::GroupVersionResource kLeases{"coordination.k8s.io", "v1", "leases"};

/// A system outside Kubernetes that looks at fencing tokens.
struct OutsideSystem {
  void write(const FencingToken& token) {
    if (newest && newest->newer_than(token)) {
      ++refused;
    } else if (!newest || token.newer_than(*newest)) {
      newest = token;
      ++terms;
    }
    ++writes;
  }
  std::optional<FencingToken> newest;
  int terms = 0;
  int writes = 0;
  int refused = 0;
};

/// Clients on the fake clock that talk to one server in this process.
class FakeWorld {
 public:
  explicit FakeWorld(std::uint64_t seed) : executor(seed), random(seed) {
    apiserver::Options options;
    options.authentication = false;
    options.executor = executor;
    options.seed = 1;
    core = std::make_unique<apiserver::Core>(options);
    transport = std::make_shared<testkit::InProcessTransport>(*core, executor);
  }
  rest::Client client() {
    rest::Config config;
    config.host = "http://in.process";
    rest::ClientOptions options;
    options.transport = transport;
    options.executor = executor;
    options.handlers = executor;
    options.metrics = std::make_shared<MetricsRegistry>();
    options.random = &random;
    return rest::Client::create(config, options).value();
  }
  template <class Condition>
  bool until(const Condition& condition) {
    for (int step = 0; step < 10'000; ++step) {
      if (condition()) return true;
      executor->advance(milliseconds(10));
    }
    return false;
  }
  std::string holder() const {
    const auto lease = core->get(kLeases, {"default", "shop"});
    return lease ? std::string((*lease)["spec"]["holderIdentity"].string()) : std::string();
  }

  FixtureExecutor executor;
  Random random;
  std::unique_ptr<apiserver::Core> core;
  std::shared_ptr<testkit::InProcessTransport> transport;
};

/// A replica whose leading work goes on beside the callback, writes to both systems, and takes its time to end.
class WritingReplica {
 public:
  WritingReplica(FakeWorld& world, OutsideSystem& outside, const std::string& name)
      : world_(world), outside_(outside), client_(world.client()), name_(name) {
    LeaderElectionOptions options;
    options.name = "shop";
    options.identity = name;
    options.retry_period = milliseconds(200);
    options.annotations = {{"shop.example/address", name + ":80"}};
    options.random = &world.random;
    LeaderCallbacks callbacks;
    callbacks.on_started_leading = [this](const LeaderGuard& guard) {
      guard_ = guard;
      work_ = guard.hold();
      farewell_ = static_cast<int>(world_.random.below(20));
      write();
    };
    elector = LeaderElector::create(client_, options, callbacks).value();
  }

  const std::string& name() const { return name_; }
  std::unique_ptr<LeaderElector> elector;
  int failed = 0;  // guarded writes

 private:
  void write() {
    outside_.write(guard_.token());
    const client::ResourceApi maps(guard_.guarded(client_), {"", "v1", "configmaps"}, "default");
    const auto name = "default/t" + std::to_string(guard_.token().transitions) + "." + std::to_string(++number_);
    maps.create_async(testkit::make_config_map(name, name_)).start([this](const Result<meta::Object>& made) {
      if (!made) ++failed;
      if (guard_.stop_token().stop_requested() && farewell_-- <= 0) {
        work_.reset();
        return;
      }
      next_ = world_.executor->post_after(milliseconds(50), [this] { write(); });
    });
  }

  FakeWorld& world_;
  OutsideSystem& outside_;
  const rest::Client client_;
  const std::string name_;
  LeaderGuard guard_;
  std::shared_ptr<void> work_;
  Timer next_;
  int farewell_ = 0;  // writes after it was told to stop
  int number_ = 0;
};

/// The terms of the guarded writes, in the order in which the server made them; each once for every run of its writes.
std::vector<std::string> runs_of_terms(const apiserver::Core& core) {
  std::map<std::uint64_t, std::string> terms;  // by version
  for (const auto& map : core.list({"", "v1", "configmaps"}, "default")) {
    terms[std::stoull(std::string(map.resource_version()))] = std::string(map.name().substr(0, map.name().find('.')));
  }
  std::vector<std::string> runs;
  for (const auto& [version, term] : terms) {
    if (runs.empty() || runs.back() != term) runs.push_back(term);
  }
  return runs;
}

class LeaderHandoverTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  LeaderHandoverTest() {
    for (const auto* name : {"a", "b", "c"}) {
      replicas_.push_back(std::make_unique<WritingReplica>(world_, outside_, name));
      replicas_.back()->elector->start();
    }
    observer_ = LeaderObserver::create(world_.client(), {.name = "shop"}).value();
    observer_->start();
  }
  /// The destructors wait, and nobody else drives the executor then.
  ~LeaderHandoverTest() override {
    for (auto& each : replicas_) each->elector->stop();
    observer_->stop();
    const auto over = [](const auto& each) { return !each->elector->status().standing; };
    EXPECT_TRUE(world_.until([&] { return std::all_of(replicas_.begin(), replicas_.end(), over); }));
    world_.executor->run_until_idle();
  }
  WritingReplica& replica(const std::string& name) {
    for (auto& each : replicas_) {
      if (each->name() == name) return *each;
    }
    throw std::logic_error("no replica " + name);
  }

  FakeWorld world_{GetParam()};
  OutsideSystem outside_;
  std::vector<std::unique_ptr<WritingReplica>> replicas_;
  std::unique_ptr<LeaderObserver> observer_;
};

TEST_P(LeaderHandoverTest, AHundredTimesByStopNoTwoLeadersWriteAndTheObserverIsRightAtOnce) {
  ASSERT_TRUE(world_.until([&] { return !world_.holder().empty(); }));

  for (int handover = 0; handover < 100; ++handover) {
    const auto before = world_.holder();
    auto& elector = *replica(before).elector;
    elector.stop();
    ASSERT_TRUE(world_.until([&] { return !world_.holder().empty() && world_.holder() != before; })) << handover;

    const auto now = observer_->view();  // the clock has not moved since
    EXPECT_EQ(now.holder, world_.holder()) << handover;
    EXPECT_EQ(now.annotation("shop.example/address"), now.holder + ":80");
    EXPECT_TRUE(now.watching);
    ASSERT_TRUE(world_.until([&] { return !elector.status().standing; }));
    elector.start();
  }

  for (const auto& each : replicas_) EXPECT_EQ(each->failed, 0);
  EXPECT_EQ(outside_.refused, 0);
  EXPECT_EQ(outside_.terms, 101);
  EXPECT_GT(outside_.writes, 500);
  const auto runs = runs_of_terms(*world_.core);
  EXPECT_EQ(std::set(runs.begin(), runs.end()).size(), runs.size()) << "writes of two terms are mixed";
  EXPECT_GE(runs.size(), 100U);
}

TEST_P(LeaderHandoverTest, WithoutAServerNobodyLeadsAndTheObserverSaysTheLastKnownAndItsAge) {
  ASSERT_TRUE(world_.until([&] { return !world_.holder().empty(); }));
  world_.executor->advance(seconds(5));
  const auto before = observer_->view();
  ASSERT_EQ(before.holder, world_.holder());
  EXPECT_FALSE(before.expired());
  EXPECT_LE(before.age, seconds(1));

  auto outage = world_.transport->refuse_connections();
  world_.executor->advance(seconds(20));
  const auto away = observer_->view();
  EXPECT_EQ(away.holder, before.holder);
  EXPECT_EQ(away.annotation("shop.example/address"), before.holder + ":80");
  EXPECT_FALSE(away.watching);
  EXPECT_GE(away.age, seconds(20));
  EXPECT_TRUE(away.expired());
  for (const auto& each : replicas_) EXPECT_FALSE(each->elector->is_leader());

  outage.end();
  for (const auto& each : replicas_) {
    if (!each->elector->status().standing) each->elector->start();
  }
  ASSERT_TRUE(world_.until([&] {
    return std::any_of(replicas_.begin(), replicas_.end(), [](auto& each) { return each->elector->is_leader(); });
  }));
  ASSERT_TRUE(world_.until([&] { return observer_->view().watching; }));
  EXPECT_EQ(observer_->view().holder, world_.holder());
  EXPECT_LT(observer_->view().age, seconds(1));
  EXPECT_TRUE(replica(world_.holder()).elector->status().token->newer_than(*outside_.newest) ||
              replica(world_.holder()).elector->status().token == outside_.newest);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LeaderHandoverTest, testing::Values(1, 2, 3));

}  // namespace
}  // namespace kubexx::election
