#include "kubexx/client/retry_watcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fixture_executor.hpp"
#include "support/function_sink.hpp"
#include "unit/client/fake_client.hpp"

namespace kubexx::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RetryWatcherTest : public testing::Test {
 protected:
  void start(const std::string& version = "1") {
    auto made = RetryWatcher::start(fake.pods(), {.resource_version = version}, strand,
                                    make_sink({.on_event =
                                                   [this](const meta::WatchEvent& event) {
                                                     seen.push_back(std::string(meta::to_string(event.type)) + " " +
                                                                    std::string(event.object.name()));
                                                     if (stop_at == seen.size()) watcher.reset();
                                                   },
                                               .on_end =
                                                   [this](const Result<meta::ListMeta>& result) {
                                                     ++ends;
                                                     if (!result) end = result.error();
                                                   }}));
    ASSERT_TRUE(made);
    watcher = std::move(*made);
    manual->run_until_idle();
  }
  /// The versions that the watches so far began at.
  std::vector<std::string> began_at() const {
    std::vector<std::string> out;
    for (const auto& request : fake.transport->requests) {
      const auto at = request.url.find("resourceVersion=");
      out.push_back(request.url.substr(at + 16, request.url.find('&', at) - at - 16));
    }
    return out;
  }
  void refuse(int code, const std::string& reason) {
    fake.transport->answer(code, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":")" +
                                     reason + R"(","code":)" + std::to_string(code) + "}");
  }
  std::string event(const char* type, const char* name, const char* version) {
    return FakeClient::event(type, name, version);
  }

  FixtureExecutor manual;
  FakeClient fake{manual};
  Strand strand{manual};
  std::unique_ptr<RetryWatcher> watcher;
  std::vector<std::string> seen;
  std::optional<Error> end;
  int ends = 0;
  std::size_t stop_at = 0;
};

// TestNewRetryWatcher
TEST_F(RetryWatcherTest, AVersionThatNamesNoneIsRefused) {
  for (const auto* none : {"", "0"}) {
    EXPECT_FALSE(RetryWatcher::start(fake.pods(), {.resource_version = none}, strand, {}));
  }
  manual->run_until_idle();
  EXPECT_THAT(fake.transport->requests, IsEmpty());
}

// TestRetryWatcher
TEST_F(RetryWatcherTest, AnEndedWatchGoesOnAtTheVersionOfTheLastEvent) {
  fake.watch({event("ADDED", "a", "2"), event("MODIFIED", "a", "3")});
  fake.watch({event("DELETED", "a", "4")});
  fake.watch({}, true);
  start();
  manual->advance(seconds(3));

  EXPECT_THAT(seen, ElementsAre("ADDED a", "MODIFIED a", "DELETED a"));
  EXPECT_THAT(began_at(), ElementsAre("1", "3", "4"));
  EXPECT_EQ(ends, 0);
}

TEST_F(RetryWatcherTest, BookmarksMoveTheVersionAndAreNotHandedOn) {
  fake.watch({event("BOOKMARK", "", "7")});
  fake.watch({}, true);
  start();
  manual->advance(seconds(2));

  EXPECT_THAT(seen, IsEmpty());
  EXPECT_THAT(began_at(), ElementsAre("1", "7"));
  EXPECT_THAT(fake.transport->requests[0].url, HasSubstr("allowWatchBookmarks=true"));
}

TEST_F(RetryWatcherTest, WatchesAreOpenedASecondApartAndNotSooner) {
  for (int i = 0; i < 4; ++i) fake.watch({});
  fake.watch({}, true);
  start();
  EXPECT_EQ(began_at().size(), 1U);

  manual->advance(milliseconds(999));
  EXPECT_EQ(began_at().size(), 1U);
  manual->advance(milliseconds(1));
  EXPECT_EQ(began_at().size(), 2U);
  manual->advance(seconds(2));
  EXPECT_EQ(began_at().size(), 4U);
}

TEST_F(RetryWatcherTest, AWatchThatLastedIsReopenedAtOnce) {
  fake.watch({}, true);
  start();
  manual->advance(seconds(30));

  fake.watch({}, true);
  fake.transport->end_open();
  manual->run_until_idle();

  EXPECT_EQ(began_at().size(), 2U);
}

TEST_F(RetryWatcherTest, WhateverElseKeepsAWatchFromOpeningIsTriedAgain) {
  refuse(410, "Expired");
  refuse(500, "InternalError");
  refuse(504, "Timeout");
  refuse(404, "NotFound");
  refuse(429, "TooManyRequests");
  fake.watch({event("ADDED", "a", "2")}, true);
  start();
  manual->advance(seconds(10));

  EXPECT_THAT(seen, ElementsAre("ADDED a"));
  EXPECT_THAT(began_at(), ElementsAre("1", "1", "1", "1", "1", "1"));
  EXPECT_EQ(ends, 0);
}

TEST_F(RetryWatcherTest, ALostConnectionIsTriedAgain) {
  rest::FakeTransport::Answer cut;
  cut.chunks = {event("ADDED", "a", "2"), R"({"type":"ADD)"};
  cut.error = Error::transport(TransportFailure::Eof, "closed in the middle of the answer");
  fake.transport->answers.push_back(cut);
  fake.watch({event("ADDED", "b", "3")}, true);
  start();
  manual->advance(seconds(3));

  EXPECT_THAT(seen, ElementsAre("ADDED a", "ADDED b"));
  EXPECT_THAT(began_at(), ElementsAre("1", "2"));
}

TEST_F(RetryWatcherTest, ARefusalOfTheCallerIsFinal) {
  for (const int code : {401, 403}) {
    ends = 0;
    refuse(code, code == 401 ? "Unauthorized" : "Forbidden");
    start();
    manual->advance(seconds(10));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->code(), code);
    EXPECT_EQ(ends, 1);
  }
  EXPECT_EQ(began_at().size(), 2U);
}

TEST_F(RetryWatcherTest, AnExpiredVersionInTheStreamIsFinal) {
  fake.watch({event("ADDED", "a", "2"), FakeClient::error_event(410, "Expired"), event("ADDED", "b", "3")});
  start();
  manual->advance(seconds(10));

  EXPECT_THAT(seen, ElementsAre("ADDED a"));
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->is_expired());
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(began_at().size(), 1U);
}

TEST_F(RetryWatcherTest, AnotherErrorInTheStreamIsTriedAgainWhenTheServerSaysSo) {
  fake.watch({FakeClient::error_event(500, "InternalError", 5)});
  fake.watch({event("ADDED", "a", "2")}, true);
  start();

  manual->advance(milliseconds(4999));
  EXPECT_EQ(began_at().size(), 1U);
  manual->advance(milliseconds(2));
  EXPECT_THAT(seen, ElementsAre("ADDED a"));
}

TEST_F(RetryWatcherTest, AServerThatSaysInAYearIsAskedAgainInTenMinutes) {
  fake.watch({FakeClient::error_event(500, "InternalError", 365 * 86400)});
  fake.watch({event("ADDED", "a", "2")}, true);
  start();

  manual->advance(std::chrono::minutes(10) - milliseconds(1));
  EXPECT_EQ(began_at().size(), 1U);
  manual->advance(milliseconds(2));
  EXPECT_THAT(seen, ElementsAre("ADDED a"));
}

TEST_F(RetryWatcherTest, AnEventWithoutAVersionOrOfUnknownTypeIsFinal) {
  for (const auto& bad : {event("ADDED", "a", ""), event("RENAMED", "a", "5")}) {
    end.reset();
    fake.watch({bad});
    start();
    manual->advance(seconds(5));
    ASSERT_TRUE(end) << bad;
  }
  EXPECT_EQ(began_at().size(), 2U);
}

TEST_F(RetryWatcherTest, DestroyedInsideItsCallbackItDeliversNothingMore) {
  fake.watch({event("ADDED", "a", "2") + event("ADDED", "b", "3"), event("ADDED", "c", "4")});
  stop_at = 1;
  start();
  manual->advance(seconds(10));

  EXPECT_THAT(seen, ElementsAre("ADDED a"));
  EXPECT_EQ(ends, 0);
  EXPECT_EQ(began_at().size(), 1U);
}

// TestRetryWatcherToFinishWithUnreadEvents
TEST_F(RetryWatcherTest, AHeldOneDeliversAfterItsResumeAcrossWatches) {
  fake.watch({event("ADDED", "a", "2")});
  fake.watch({event("ADDED", "b", "3")}, true);
  start();
  watcher->hold();
  manual->advance(seconds(5));
  const auto before = seen.size();

  watcher->resume();
  manual->advance(seconds(5));

  EXPECT_LE(before, 1U);
  EXPECT_THAT(seen, ElementsAre("ADDED a", "ADDED b"));
}

}  // namespace
}  // namespace kubexx::client
