#include "kubexx/election/leader_observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "kubexx/election/leader_elector.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::election {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

const meta::GroupVersionResource kWatchedLeases{"coordination.k8s.io", "v1", "leases"};

class LeaderObserverTest : public testing::Test {
 protected:
  void hold(const std::string& holder, std::int64_t transitions, const std::string& address = "",
            const std::string& name = "shop") {
    meta::Draft lease;
    lease["apiVersion"].set("coordination.k8s.io/v1");
    lease["kind"].set("Lease");
    lease["metadata"]["namespace"].set("default");
    lease["metadata"]["name"].set(name);
    if (!address.empty()) lease["metadata"]["annotations"]["address"].set(address);
    lease["spec"]["holderIdentity"].set(holder);
    lease["spec"]["leaseDurationSeconds"].set(15);
    lease["spec"]["leaseTransitions"].set(transitions);
    lease["spec"]["renewTime"].set("2026-01-01T00:00:00.000000Z");
    ASSERT_TRUE(server_.seed(lease.to_object()));
  }
  std::unique_ptr<LeaderObserver> observe(std::function<void(const LeaderView&)> on_change = nullptr) {
    auto made = LeaderObserver::create(testkit::client(server_), {.name = "shop", .on_change = std::move(on_change)});
    made.value()->start();
    return std::move(made).value();
  }
  static auto leads(const std::string& holder) {
    return [holder](const LeaderView& now) { return now.known && now.holder == holder; };
  }

  apiserver::Server server_;
};

TEST_F(LeaderObserverTest, SaysTheHolderItsAnnotationsAndThatThereIsNone) {
  const auto observer = observe();
  const auto nobody = observer->wait_until(leads(""), {.timeout = seconds(20)});
  ASSERT_TRUE(nobody) << nobody.error();

  hold("other", 1, "1.1.1.1:1", "other-lease");
  hold("a", 3, "10.0.0.1:80");
  const auto now = observer->wait_until(leads("a"), {.timeout = seconds(20)});

  ASSERT_TRUE(now) << now.error();
  EXPECT_EQ(now->annotation("address"), "10.0.0.1:80");
  EXPECT_EQ(now->annotation("none"), "");
  EXPECT_EQ(now->transitions, 3);
  EXPECT_EQ(now->lease_duration, seconds(15));
  EXPECT_FALSE(now->expired());
  ASSERT_TRUE(server_.core().remove(kWatchedLeases, {"default", "shop"}));
  EXPECT_TRUE(observer->wait_until(leads(""), {.timeout = seconds(20)}));
}

TEST_F(LeaderObserverTest, TellsChangesOfTheLeaderInOrderAndNoRenewals) {
  std::mutex mutex;
  std::vector<std::string> told;
  const auto observer = observe([&](const LeaderView& now) {
    const std::lock_guard lock(mutex);
    told.push_back(now.holder + "@" + now.annotation("address"));
  });
  ASSERT_TRUE(observer->wait_until(leads(""), {.timeout = seconds(20)}));
  hold("a", 1, "x");
  hold("a", 1, "x");
  hold("a", 1, "y");
  hold("", 1);
  hold("b", 2);
  hold("b", 3);  // another term of the same name
  ASSERT_TRUE(server_.core().remove(kWatchedLeases, {"default", "shop"}));

  const auto all = [&] {
    const std::lock_guard lock(mutex);
    return told.size() >= 6;
  };
  EXPECT_TRUE(testkit::eventually(all));
  const std::lock_guard lock(mutex);
  EXPECT_THAT(told, ElementsAre("a@x", "a@y", "@", "b@", "b@", "@"));
}

TEST_F(LeaderObserverTest, ACallbackThatBlocksDelaysNeitherTheViewNorThoseWhoWait) {
  std::promise<void> go;
  const auto observer = observe([wait = go.get_future().share()](const LeaderView&) { wait.wait(); });
  hold("a", 1);
  EXPECT_TRUE(observer->wait_until(leads("a"), {.timeout = seconds(20)}));
  hold("b", 2);
  EXPECT_TRUE(observer->wait_until(leads("b"), {.timeout = seconds(20)}));
  EXPECT_EQ(observer->view().holder, "b");
  go.set_value();
}

TEST_F(LeaderObserverTest, AsksOnceAndNeverPolls) {
  LeaderElectionOptions options;
  options.name = "shop";
  options.identity = "a";
  options.retry_period = milliseconds(20);
  LeaderCallbacks callbacks;
  callbacks.on_started_leading = [](const LeaderGuard&) {};
  const auto elector = LeaderElector::create(testkit::client(server_), options, callbacks).value();
  auto config = testkit::config(server_);
  config.user_agent = "the-observer";
  const auto observer = LeaderObserver::create(rest::Client::create(config).value(), {.name = "shop"}).value();
  observer->start();
  elector->start();
  ASSERT_TRUE(observer->wait_until(leads("a"), {.timeout = seconds(20)}));
  const auto first = observer->view().resource_version;

  const auto renewals = std::make_shared<int>(0);
  const auto seen = observer->wait_until(
      [last = first, renewals](const LeaderView& now) mutable {
        if (now.resource_version != std::exchange(last, now.resource_version)) ++*renewals;
        return *renewals >= 20;
      },
      {.timeout = seconds(20)});
  ASSERT_TRUE(seen) << seen.error();
  EXPECT_LE(server_.requests().count("", "", {.user_agent = "the-observer"}), 2U);
  EXPECT_EQ(server_.requests().count("get", "leases", {.user_agent = "the-observer"}), 0U);
  for (const auto& each : server_.requests().entries("watch", "leases", {.user_agent = "the-observer"})) {
    EXPECT_EQ(each.options.field_selector, "metadata.name=shop");
    EXPECT_EQ(each.namespace_, "default");
  }
}

TEST_F(LeaderObserverTest, WhileTheServerIsAwayItSaysTheLastKnownAndHowOldThatIs) {
  hold("a", 1, "10.0.0.1:80");
  const auto observer = observe();
  ASSERT_TRUE(observer->wait_until(leads("a"), {.timeout = seconds(20)}));

  auto outage = server_.refuse_connections();
  EXPECT_TRUE(testkit::eventually([&] { return !observer->view().watching; }));
  const auto earlier = observer->view();
  EXPECT_TRUE(testkit::eventually([&] { return observer->view().age >= earlier.age + milliseconds(50); }));
  const auto away = observer->view();
  EXPECT_EQ(away.holder, "a");
  EXPECT_EQ(away.annotation("address"), "10.0.0.1:80");
  EXPECT_TRUE(away.known);
  EXPECT_FALSE(away.watching);
  EXPECT_GE(away.unrenewed_for, milliseconds(50));

  hold("b", 2, "10.0.0.2:80");
  outage.end();
  const auto back = observer->wait_until(leads("b"), {.timeout = seconds(20)});
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(back->annotation("address"), "10.0.0.2:80");
  EXPECT_LT(back->age, seconds(10));
}

TEST_F(LeaderObserverTest, AWaitEndsWithItsTokenItsTimeAndTheObserver) {
  auto observer = observe();
  const auto never = [](const LeaderView&) { return false; };
  EXPECT_TRUE(observer->wait_until(never, {.timeout = milliseconds(1)}).error().is_timeout());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(observer->wait_until(never, {.stop = stop.get_token()}).error().is_canceled());

  std::promise<Result<LeaderView>> told;
  observer->until_async(never).start([&](Result<LeaderView> view) { told.set_value(std::move(view)); });
  observer->stop();
  EXPECT_TRUE(told.get_future().get().error().is_canceled());
  EXPECT_TRUE(observer->wait_until(never).error().is_canceled());
}

TEST_F(LeaderObserverTest, RefusesALeaseWithoutAName) {
  EXPECT_FALSE(LeaderObserver::create(testkit::client(server_), {}));
}

}  // namespace
}  // namespace kubexx::election
