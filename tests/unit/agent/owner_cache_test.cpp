#include "agent/owner_cache.hpp"

#include <gtest/gtest.h>

#include "unit/agent/node_objects.hpp"

namespace kubexx::agent::detail {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

OwnerQuestion question(const std::string& name, const std::string& namespace_ = "shop") {
  return {{"apps", "v1", "replicasets"}, namespace_, name, "uid-of-" + name};
}

class OwnerCacheTest : public testing::Test {
 protected:
  std::string asked() {
    const auto next = cache_.next();
    return next ? next->name : "";
  }
  std::string told(const std::string& name, const Result<meta::Object>& answer) {
    const auto news = cache_.answered(question(name), answer);
    return !news ? "nothing new" : news->above ? news->above->name : "nobody";
  }

  FakeClock clock_;
  OwnerCache cache_{
      {.most_requests = 2, .refresh = hours(1), .backoff = {.initial = seconds(1), .cap = minutes(5), .jitter = 0}},
      clock_};
};

TEST_F(OwnerCacheTest, EachOwnerIsAskedForOnceAndFewAtATime) {
  for (const auto* name : {"a", "b", "a", "c", "b"}) EXPECT_FALSE(cache_.find_or_ask(question(name)));

  EXPECT_EQ(asked(), "a");
  EXPECT_EQ(asked(), "b");
  EXPECT_EQ(asked(), "") << "two are under way";
  EXPECT_EQ(told("a", owner_of("ReplicaSet", "a", "Deployment/web")), "web");
  EXPECT_EQ(asked(), "c");
  EXPECT_EQ(told("b", owner_of("ReplicaSet", "b", "")), "nobody");
  EXPECT_EQ(asked(), "");
  EXPECT_EQ(cache_.find_or_ask(question("a"))->above->name, "web");
  EXPECT_EQ(cache_.find_or_ask(question("b"))->above, nullptr);
  EXPECT_EQ(cache_.known(), 2U);
  EXPECT_EQ(cache_.pending(), 1U);
}

TEST_F(OwnerCacheTest, WhatPodsOfOneNamespaceSayCountsInNoOther) {
  EXPECT_FALSE(cache_.find_or_ask(question("a", "hostile")));
  EXPECT_FALSE(cache_.find_or_ask(question("a")));
  EXPECT_EQ(cache_.next()->namespace_, "hostile");
  EXPECT_TRUE(cache_.answered(question("a", "hostile"), Error::api(404, "NotFound", "no")));

  EXPECT_FALSE(cache_.find_or_ask(question("a")));
  EXPECT_EQ(cache_.next()->namespace_, "shop");
}

TEST_F(OwnerCacheTest, AnotherObjectOfTheSameNameAnswersNothing) {
  cache_.find_or_ask(question("a"));
  asked();
  auto other = owner_of("ReplicaSet", "a", "Deployment/web").edit();
  other["metadata"]["uid"].set("another");
  EXPECT_EQ(told("a", other.to_object()), "nobody");
}

TEST_F(OwnerCacheTest, AfterAFailureAllWaitLongerAndLonger) {
  cache_.find_or_ask(question("a"));
  cache_.find_or_ask(question("b"));
  asked();
  EXPECT_EQ(told("a", Error::api(503, "ServiceUnavailable", "later")), "nothing new");

  EXPECT_EQ(asked(), "");
  EXPECT_EQ(cache_.due(), clock_.now() + seconds(1));
  EXPECT_TRUE(cache_.last_error());
  clock_.advance(seconds(1));
  EXPECT_EQ(asked(), "b");
  told("b", Error::timeout("no answer"));
  EXPECT_EQ(cache_.due(), clock_.now() + seconds(2));
  clock_.advance(seconds(2));
  EXPECT_EQ(asked(), "a");
  EXPECT_EQ(told("a", owner_of("ReplicaSet", "a", "Deployment/web")), "web");
  EXPECT_FALSE(cache_.last_error());
}

TEST_F(OwnerCacheTest, WhatIsForbiddenKeepsNoOtherWaiting) {
  cache_.find_or_ask(question("a"));
  cache_.find_or_ask(question("b"));
  asked();
  told("a", Error::api(403, "Forbidden", "no"));

  EXPECT_EQ(asked(), "b");
  EXPECT_EQ(told("b", owner_of("ReplicaSet", "b", "")), "nobody");
  clock_.advance(minutes(5));
  cache_.refresh();
  EXPECT_EQ(asked(), "a");
}

TEST_F(OwnerCacheTest, ARequestThatCanNeverBeAnsweredIsNotRepeated) {
  cache_.find_or_ask(question("../a"));
  asked();
  EXPECT_EQ(told("../a", Error::config("no name")), "nobody");
  EXPECT_EQ(asked(), "");
}

TEST_F(OwnerCacheTest, WhatWasAskedLongAgoIsAskedAgainAndOnlyChangesAreNews) {
  cache_.find_or_ask(question("a"));
  asked();
  told("a", owner_of("ReplicaSet", "a", "Deployment/web"));
  EXPECT_EQ(cache_.due(), clock_.now() + hours(1));

  for (const auto& [above, news] : {std::pair{"Deployment/web", "nothing new"}, {"Deployment/other", "other"}}) {
    clock_.advance(hours(1));
    cache_.refresh();
    EXPECT_EQ(asked(), "a");
    EXPECT_EQ(told("a", owner_of("ReplicaSet", "a", above)), news);
  }
  clock_.advance(hours(1));
  cache_.refresh();
  asked();
  EXPECT_EQ(told("a", Error::api(404, "NotFound", "gone")), "nothing new") << "its pods were its own";
  EXPECT_EQ(cache_.find_or_ask(question("a"))->above->name, "other");
}

TEST_F(OwnerCacheTest, WhatNoPodNamesAnyMoreIsForgotten) {
  cache_.find_or_ask(question("a"));
  cache_.find_or_ask(question("b"));
  asked();
  told("a", owner_of("ReplicaSet", "a", ""));
  cache_.keep_only({question("b").key()});

  EXPECT_EQ(cache_.known(), 0U);
  EXPECT_EQ(cache_.pending(), 1U);
  EXPECT_EQ(asked(), "b");
  cache_.keep_only({});
  EXPECT_EQ(told("b", owner_of("ReplicaSet", "b", "")), "nothing new");
  EXPECT_EQ(cache_.due(), TimePoint::max());
}

}  // namespace
}  // namespace kubexx::agent::detail
