#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/election/candidate.hpp"

namespace kubexx::election {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

/// What a term is known by, and how it is handed over.
class LeaderTermTest : public LeaderElectionTest {
 protected:
  /// A candidate that leads; its work has been called.
  void lead(Candidate& one) {
    one.start();
    pass(milliseconds(1));
    one.run_handlers();
  }
  std::string annotation(const std::string& key) {
    return std::string(store->objects.at(kPath).annotations()[key].string());
  }
};

TEST_F(LeaderTermTest, ItsTokenIsThatOfTheWriteThatBeganItAndStaysThroughRenewals) {
  put({"", 1, "", "", 4});
  lead(*a);
  const auto begun = store->objects.at(kPath);
  pass(seconds(8));

  EXPECT_NE(store->objects.at(kPath).resource_version(), begun.resource_version());
  EXPECT_EQ(a->guard.token(), (FencingToken{5, std::string(begun.resource_version())}));
  EXPECT_EQ(a->machine->status().token, a->guard.token());
}

TEST_F(LeaderTermTest, ASecondTermOfTheSameIdentityHasANewerTokenAndANumberOfItsOwn) {
  lead(*a);
  const auto first = a->guard.token();
  a->api->unreachable = true;
  pass(seconds(11));
  ASSERT_TRUE(a->ended);
  a->api->unreachable = false;
  lead(*a);

  EXPECT_EQ(record().holder, "a");
  EXPECT_EQ(a->guard.token().transitions, first.transitions + 1);
  EXPECT_TRUE(a->guard.token().newer_than(first));
}

TEST_F(LeaderTermTest, ADeletedLeaseIsMadeAnewWithTheSameNumberAndTheNextTermIsNewer) {
  put({"", 1, "", "", 4});
  lead(*a);
  const auto token = a->guard.token();
  store->objects.erase(kPath);
  pass(seconds(3));
  EXPECT_TRUE(a->machine->is_leader());
  EXPECT_EQ(record().transitions, 5);
  EXPECT_EQ(a->guard.token(), token);

  a->machine->stop();
  pass(milliseconds(1));
  lead(*b);
  EXPECT_EQ(b->guard.token().transitions, 6);
  EXPECT_TRUE(b->guard.token().newer_than(token));
}

TEST_F(LeaderTermTest, ATermThatAnotherOfTheSameNameBeganEndsThisOne) {
  lead(*a);
  const auto twin = candidate("a");
  lead(*twin);
  pass(seconds(3));

  EXPECT_FALSE(a->guard.valid());
  EXPECT_TRUE(a->ended);
  EXPECT_TRUE(twin->guard.valid());
  EXPECT_TRUE(twin->guard.token().newer_than(a->guard.token()));
}

TEST_F(LeaderTermTest, ItsAnnotationsAreOnTheLeaseWhileItHoldsItAndForeignOnesStay) {
  a->options.annotations = {{"address", "10.0.0.1:80"}};
  b->options.annotations = {{"address", "10.0.0.2:80"}};
  lead(*a);
  EXPECT_EQ(annotation("address"), "10.0.0.1:80");
  auto draft = store->objects.at(kPath).edit();
  draft["metadata"]["annotations"]["theirs"].set("1");
  store->put(kPath, draft.to_object());
  pass(seconds(3));
  EXPECT_EQ(annotation("address"), "10.0.0.1:80");

  a->machine->stop();
  pass(milliseconds(1));
  EXPECT_EQ(record().holder, "");
  EXPECT_EQ(annotation("address"), "");
  EXPECT_EQ(annotation("theirs"), "1");

  lead(*b);
  EXPECT_EQ(annotation("address"), "10.0.0.2:80");
}

TEST_F(LeaderTermTest, AStoppedLeadersWorkHasItsTimeAndNoGuardedWritePassesAfterIt) {
  a->options.stop_timeout = seconds(5);
  a->hold_work = true;
  lead(*a);
  pass(seconds(60));
  a->machine->stop();
  pass(seconds(4));
  EXPECT_TRUE(a->guard.stop_token().stop_requested());
  EXPECT_TRUE(a->machine->status().stopping);
  EXPECT_EQ(a->write(), "");
  const auto renewed = record().renewed;

  executor->fake_clock().advance(seconds(1));  // no timer runs
  EXPECT_THAT(a->write(), HasSubstr("no more writes"));
  EXPECT_FALSE(a->machine->is_leader());
  pass(seconds(8));
  EXPECT_EQ(record().holder, "a");  // not given away under its work
  EXPECT_EQ(record().renewed, renewed);
  EXPECT_FALSE(a->ended);

  a->work.reset();
  pass(milliseconds(1));
  EXPECT_EQ(record().holder, "");
  EXPECT_TRUE(a->ended);
}

TEST_F(LeaderTermTest, WorkThatIsHeldKeepsTheLeaseAfterTheCallbackHasReturned) {
  a->hold_work = true;
  lead(*a);
  b->start();
  a->machine->stop();
  pass(seconds(30));
  EXPECT_EQ(record().holder, "a");
  EXPECT_TRUE(a->guard.valid());

  a->work.reset();
  EXPECT_EQ(a->guard.hold(), nullptr);
  pass(seconds(5));
  EXPECT_TRUE(a->ended);
  EXPECT_EQ(record().holder, "b");
}

TEST_F(LeaderTermTest, TheLeaseOfALeaderWhoseWorkNeverEndsRunsOutForOthers) {
  a->options.stop_timeout = seconds(5);
  a->hold_work = true;
  lead(*a);
  b->start();
  a->machine->stop();
  const auto stopped = executor->clock().now();
  while (record().holder == "a" && executor->clock().now() < stopped + seconds(60)) {
    EXPECT_TRUE(executor->clock().now() < stopped + seconds(5) || !a->guard.valid());
    pass(milliseconds(100));
  }

  EXPECT_EQ(record().holder, "b");
  EXPECT_GE(executor->clock().now(), stopped + seconds(15));
  a->work.reset();
  pass(seconds(1));
  EXPECT_TRUE(a->ended);
  EXPECT_EQ(record().holder, "b");
}

TEST_F(LeaderTermTest, TwoElectionsOfOneProgramDoNotTouchEachOther) {
  lead(*a);
  LeaderElectionOptions other = a->options;
  other.name = "gadget";
  int gadget_terms = 0;
  bool ended = false;
  LeaderCallbacks callbacks;
  callbacks.on_started_leading = [&](const LeaderGuard&) { ++gadget_terms; };
  const auto gadget = std::make_shared<LeaderMachine>(*a->client, other, callbacks);
  gadget->start([&] { ended = true; });
  pass(seconds(1));
  a->run_handlers();
  ASSERT_EQ(gadget_terms, 1);
  EXPECT_TRUE(gadget->is_leader());

  a->machine->stop();
  pass(seconds(60));
  EXPECT_TRUE(a->ended);
  EXPECT_TRUE(gadget->is_leader());
  EXPECT_FALSE(ended);
  gadget->stop();
  pass(seconds(1));
  EXPECT_TRUE(ended);
}

TEST(FencingTokenTest, TheVersionOrdersAndTransitionsWhereVersionsAreNoNumbers) {
  EXPECT_TRUE((FencingToken{1, "1000"}.newer_than({9, "999"})));  // the Lease was deleted between
  EXPECT_FALSE((FencingToken{9, "999"}.newer_than({1, "1000"})));
  EXPECT_FALSE((FencingToken{3, "7"}.newer_than({3, "7"})));
  EXPECT_TRUE((FencingToken{4, "x"}.newer_than({3, "y"})));
  EXPECT_FALSE((FencingToken{3, "y"}.newer_than({4, "7"})));
}

TEST(FencingTokenTest, SurvivesItsTextAndOtherTextIsAnError) {
  const FencingToken token{7, "123456789012345678901234"};
  EXPECT_EQ(token.to_string(), "7/123456789012345678901234");
  EXPECT_EQ(FencingToken::parse(token.to_string()).value(), token);
  for (const auto* bad : {"", "7", "x/1", "-1/2", "/3"}) EXPECT_FALSE(FencingToken::parse(bad)) << bad;
}

}  // namespace
}  // namespace kubexx::election
