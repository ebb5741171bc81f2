#include "kubexx/client/until.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "unit/client/fake_client.hpp"

namespace kubexx::client {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

Condition named(std::string name) {
  return [name](const meta::WatchEvent& event) -> Result<bool> { return event.object.name() == name; };
}

// TestUntil
TEST(UntilTest, TheEventThatMeetsTheConditionIsReturned) {
  FakeClient fake;
  fake.watch({FakeClient::event("ADDED", "a", "2"), FakeClient::event("MODIFIED", "b", "3")}, true);

  const auto event = until(fake.pods(), {.resource_version = "1"}, {named("b")});

  ASSERT_TRUE(event) << event.error();
  EXPECT_EQ(event->type, meta::WatchEventType::Modified);
  EXPECT_EQ(event->object.resource_version(), "3");
}

// TestUntilMultipleConditions
TEST(UntilTest, ConditionsAreMetInTheirOrderAndOneEventMayMeetSeveral) {
  FakeClient fake;
  fake.watch({FakeClient::event("ADDED", "b", "2"), FakeClient::event("ADDED", "a", "3"),
              FakeClient::event("ADDED", "b", "4")},
             true);
  std::vector<std::string> asked;
  const auto any = [&](const meta::WatchEvent& event) -> Result<bool> {
    asked.emplace_back(event.object.resource_version());
    return true;
  };

  const auto event = until(fake.pods(), {.resource_version = "1"}, {named("a"), any, named("b")});

  ASSERT_TRUE(event);
  EXPECT_EQ(event->object.resource_version(), "4");
  EXPECT_THAT(asked, ElementsAre("3"));
}

// TestUntilErrorCondition
TEST(UntilTest, TheErrorOfAConditionIsReturned) {
  FakeClient fake;
  fake.watch({FakeClient::event("ADDED", "a", "2")}, true);

  const auto event = until(fake.pods(), {.resource_version = "1"},
                           {[](const meta::WatchEvent&) -> Result<bool> { return Error::config("no good"); }});

  ASSERT_FALSE(event);
  EXPECT_THAT(event.error().message(), HasSubstr("no good"));
}

// TestUntilTimeout
TEST(UntilTest, ItEndsWithItsTimeout) {
  FakeClient fake;
  fake.watch({FakeClient::event("ADDED", "a", "2")}, true);

  const auto event = until(fake.pods(), {.resource_version = "1", .timeout = milliseconds(20)}, {named("b")});

  ASSERT_FALSE(event);
  EXPECT_TRUE(event.error().is_timeout());
}

TEST(UntilTest, ItEndsWithStop) {
  FakeClient fake;
  fake.watch({FakeClient::event("ADDED", "a", "2")}, true);
  std::stop_source stop;

  const auto event = until(fake.pods(), {.resource_version = "1", .stop = stop.get_token()},
                           {[&](const meta::WatchEvent&) -> Result<bool> {
                             stop.request_stop();
                             return false;
                           }});

  ASSERT_FALSE(event);
  EXPECT_TRUE(event.error().is_canceled());
}

// TestUntilFail
TEST(UntilTest, WithoutRetryAWatchThatEndsIsAnError) {
  FakeClient fake;
  fake.watch({FakeClient::event("ADDED", "a", "2")});

  const auto event = until_without_retry(fake.pods(), {}, {named("b")});

  ASSERT_FALSE(event);
  EXPECT_TRUE(event.error().is_connection_lost());
}

TEST(UntilTest, WithoutRetryTheErrorInTheStreamIsReturned) {
  FakeClient fake;
  fake.watch({FakeClient::error_event(410, "Expired")}, true);

  EXPECT_TRUE(until_without_retry(fake.pods(), {}, {named("b")}).error().is_expired());
}

TEST(UntilTest, ARetriedOneNeedsAVersionAndSomethingToWaitFor) {
  FakeClient fake;
  EXPECT_THAT(until(fake.pods(), {}, {named("a")}).error().message(), HasSubstr("begins at a version"));
  EXPECT_FALSE(until(fake.pods(), {.resource_version = "1"}, {}));
}

}  // namespace
}  // namespace kubexx::client
