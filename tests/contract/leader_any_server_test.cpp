#include <gtest/gtest.h>

#include "contract/any_server.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/election/leader_observer.hpp"

namespace kubexx::election {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const meta::GroupVersionResource kElectionLeases{"coordination.k8s.io", "v1", "leases"};

/// Candidates for one Lease and somebody who looks on, on any server.
class LeaderElectionTest : public contract::AnyServerTest {
 protected:
  void TearDown() override {
    if (!IsSkipped()) static_cast<void>(api(kElectionLeases).remove("shop"));
    AnyServerTest::TearDown();
  }
  std::unique_ptr<LeaderElector> candidate(const std::string& identity) const {
    LeaderElectionOptions options;
    options.namespace_ = namespace_();
    options.name = "shop";
    options.identity = identity;
    options.retry_period = milliseconds(200);
    options.annotations = {{"address", identity + ":80"}};
    LeaderCallbacks callbacks;
    callbacks.on_started_leading = [](const LeaderGuard&) {};
    return LeaderElector::create(client(), options, callbacks).value();
  }
  static Result<ElectionStatus> wait_to_lead(const LeaderElector& elector) {
    return elector.wait_until([](const ElectionStatus& now) { return now.leading; }, {.timeout = seconds(30)});
  }
};
INSTANTIATE_TEST_SUITE_P(AnyServer, LeaderElectionTest, contract::kAnyServer, contract::server_name);

TEST_P(LeaderElectionTest, TheNextLeadsWhenTheFirstHasStoppedAndTheObserverFollows) {
  const auto observer = LeaderObserver::create(client(), {.namespace_ = namespace_(), .name = "shop"}).value();
  observer->start();
  const auto first = candidate("a");
  const auto second = candidate("b");
  first->start();
  const auto term = wait_to_lead(*first);
  ASSERT_TRUE(term) << term.error();
  second->start();
  const auto sees = [&](const std::string& holder) {
    return observer->wait_until([holder](const LeaderView& now) { return now.known && now.holder == holder; },
                                {.timeout = seconds(30)});
  };
  const auto seen = sees("a");
  ASSERT_TRUE(seen) << seen.error();
  EXPECT_EQ(seen->annotation("address"), "a:80");
  EXPECT_FALSE(second->is_leader());

  first->stop();

  const auto next = wait_to_lead(*second);
  ASSERT_TRUE(next) << next.error();
  EXPECT_TRUE(next->token->newer_than(*term->token));
  const auto followed = sees("b");
  ASSERT_TRUE(followed) << followed.error();
  EXPECT_EQ(followed->annotation("address"), "b:80");
  EXPECT_FALSE(first->is_leader());
}

}  // namespace
}  // namespace kubexx::election
