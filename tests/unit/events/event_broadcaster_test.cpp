#include "kubexx/events/event_broadcaster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/event_sink.hpp"
#include "support/fixture_executor.hpp"
#include "unit/rest/fake_api.hpp"

namespace kubexx::events {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::FakeApi;
using test::FakeStore;
using testing::ElementsAre;
using testing::StartsWith;

const std::string kEvents = "/api/v1/namespaces/default/events";

/// A sink on the fake clock. The blocking shell around it is tested in tests/contract, on threads.
class EventSinkTest : public testing::Test {
 protected:
  void make(EventBroadcasterOptions options = {}) {
    sink = std::make_shared<EventSink>(fake_client(executor, api, metrics), options);
    api_kind = options.api;
    sink->start();
  }
  void record(const std::string& message, const std::string& object = "web") {
    EventRecord e;
    e.first = e.last = executor->clock().wall();
    e.namespace_ = "default";
    e.name = event_name(object, e.first);
    e.about = {"v1", "Pod", "default", object, "uid", "7", ""};
    e.type = "Normal";
    e.reason = "Pulled";
    e.message = message;
    e.component = "test";
    e.instance = "host";
    sink->push(std::move(e));
    executor->advance(milliseconds(1));
  }
  double counter(const char* result) {
    return metrics->counter("kubexx_events_total", "", {{"result", result}}).value();
  }
  std::vector<meta::Object> stored() {
    std::vector<meta::Object> all;
    for (const auto& [path, object] : store->objects) all.push_back(object);
    return all;
  }

  FixtureExecutor executor;
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  std::shared_ptr<FakeApi> api = std::make_shared<FakeApi>(executor, store);
  std::shared_ptr<MetricsRegistry> metrics = std::make_shared<MetricsRegistry>();
  EventApi api_kind = EventApi::Core;
  std::shared_ptr<EventSink> sink;
};

TEST_F(EventSinkTest, RepeatedEventsAreOneObjectWithACount) {
  make();
  for (int i = 0; i < 3; ++i) record("a");

  ASSERT_EQ(stored().size(), 1U);
  const auto event = stored()[0];
  EXPECT_EQ(event["count"].int_or(0), 3);
  EXPECT_EQ(event["message"].string(), "a");
  EXPECT_EQ(event["involvedObject"]["name"].string(), "web");
  EXPECT_EQ(event["source"]["component"].string(), "test");
  EXPECT_EQ(api->count("POST"), 1U);
  EXPECT_EQ(api->count("PATCH"), 2U);
}

TEST_F(EventSinkTest, APatchOfAnEventTheServerForgotCreatesItAgainWithItsCount) {
  make();
  record("a");
  store->objects.clear();
  record("a");

  ASSERT_EQ(stored().size(), 1U);
  EXPECT_EQ(stored()[0]["count"].int_or(0), 2);
}

TEST_F(EventSinkTest, ARefusalIsGivenUpAtOnce) {
  make();
  api->intercept = [](const FakeApi::Sent&) { return FakeApi::failure(403, "Forbidden"); };
  record("a");
  executor->advance(minutes(5));

  EXPECT_EQ(api->sent.size(), 1U);
  EXPECT_EQ(counter("failed"), 1);
}

TEST_F(EventSinkTest, AWriteWithoutAnswerIsTriedTwelveTimesTenSecondsApart) {
  make();
  api->unreachable = true;
  record("a");
  executor->advance(minutes(10));

  ASSERT_EQ(api->sent.size(), 12U);
  EXPECT_LT(api->sent[1].time - api->sent[0].time, seconds(10));
  EXPECT_EQ(api->sent[11].time - api->sent[10].time, seconds(10));
  EXPECT_EQ(counter("failed"), 1);
}

TEST_F(EventSinkTest, AServerThatComesBackGetsWhatWaitedInOrder) {
  make();
  api->unreachable = true;
  record("a", "one");
  record("b", "two");
  executor->advance(seconds(15));
  api->unreachable = false;
  executor->advance(seconds(15));

  std::vector<std::string> order;
  for (const auto& object : stored()) order.emplace_back(object["involvedObject"]["name"].string());
  EXPECT_THAT(order, ElementsAre("one", "two"));
  EXPECT_LT(stored()[0].resource_version(), stored()[1].resource_version());
}

TEST_F(EventSinkTest, AServerThatNeverAnswersDoesNotHoldTheQueueForEver) {
  EventBroadcasterOptions options;
  options.tries = 1;
  make(options);
  api->silent = true;
  record("a", "one");
  api->silent = false;
  record("b", "two");
  EXPECT_EQ(stored().size(), 0U);

  executor->advance(seconds(30));

  EXPECT_EQ(stored().size(), 1U);
}

TEST_F(EventSinkTest, WhatDoesNotFitInTheQueueIsDroppedAndCounted) {
  EventBroadcasterOptions options;
  options.queue = 2;
  make(options);
  api->silent = true;
  for (int i = 0; i < 5; ++i) record(std::to_string(i));

  EXPECT_EQ(counter("dropped"), 2);  // one is being written, two wait
}

TEST_F(EventSinkTest, ClosingWritesWhatWaitsWithOneTryEachAndRefusesLaterEvents) {
  make();
  api->unreachable = true;
  record("a", "one");
  record("b", "two");
  record("c", "three");
  api->sent.clear();

  std::optional<bool> complete;
  sink->close(seconds(5), [&](bool all) { complete = all; });
  executor->run_until_idle();

  EXPECT_EQ(complete, true);
  EXPECT_EQ(api->sent.size(), 3U);
  EXPECT_EQ(counter("failed"), 3);
  record("d");
  EXPECT_EQ(counter("dropped"), 1);
  EXPECT_EQ(executor->pending_timers(), 0U);
}

TEST_F(EventSinkTest, ClosingEndsAtItsDeadlineAndCountsWhatIsLeft) {
  make();
  api->silent = true;
  record("a", "one");
  record("b", "two");

  std::optional<bool> complete;
  sink->close(seconds(5), [&](bool all) { complete = all; });
  executor->advance(seconds(4));
  EXPECT_FALSE(complete);
  executor->advance(seconds(1));

  EXPECT_EQ(complete, false);
  EXPECT_EQ(counter("dropped"), 2);
}

TEST_F(EventSinkTest, SeriesAreWrittenAtTheSecondEventAtRefreshAndAtClose) {
  EventBroadcasterOptions options;
  options.api = EventApi::Events;
  options.series_finish = minutes(60);
  make(options);
  for (int i = 0; i < 4; ++i) record("a");
  ASSERT_EQ(stored().size(), 1U);
  EXPECT_EQ(stored()[0].api_version(), "events.k8s.io/v1");
  EXPECT_EQ(stored()[0]["series"]["count"].int_or(0), 2);
  EXPECT_EQ(stored()[0]["action"].string(), "Pulled");

  executor->advance(minutes(30));
  EXPECT_EQ(stored()[0]["series"]["count"].int_or(0), 4);

  record("a");
  bool closed = false;
  sink->close(seconds(5), [&](bool) { closed = true; });
  executor->run_until_idle();
  EXPECT_TRUE(closed);
  EXPECT_EQ(stored()[0]["series"]["count"].int_or(0), 5);
}

class EventRecorderTest : public testing::Test {
 protected:
  meta::Object pod(const std::string& text = R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"name":"web","namespace":"shop","uid":"u1","resourceVersion":"9"}})") {
    return meta::parse_json(text).value();
  }
  FakeClock clock;
  std::vector<meta::Object> seen;
  EventRecorder recorder = EventRecorder::to([this](const meta::Object& e) { seen.push_back(e); }, clock);
};

TEST_F(EventRecorderTest, SaysEverythingAboutItsObject) {
  recorder.event(
      pod(), "Warning", "Killed", "out of memory",
      {.action = "Killing", .related = pod(), .field_path = "spec.containers{c}", .annotations = {{"k", "v"}}});

  ASSERT_EQ(seen.size(), 1U);
  const auto& e = seen[0];
  EXPECT_EQ(e.namespace_(), "shop");
  EXPECT_THAT(std::string(e.name()), StartsWith("web."));
  EXPECT_EQ(e["type"].string(), "Warning");
  EXPECT_EQ(e["reason"].string(), "Killed");
  EXPECT_EQ(e["message"].string(), "out of memory");
  EXPECT_EQ(e["count"].int_or(0), 1);
  EXPECT_EQ(e["involvedObject"]["uid"].string(), "u1");
  EXPECT_EQ(e["involvedObject"]["resourceVersion"].string(), "9");
  EXPECT_EQ(e["involvedObject"]["fieldPath"].string(), "spec.containers{c}");
  EXPECT_EQ(e["related"]["name"].string(), "web");
  EXPECT_EQ(e["action"].string(), "Killing");
  EXPECT_EQ(e.annotations()["k"].string(), "v");
  EXPECT_EQ(e["firstTimestamp"].string(), "2023-11-14T22:13:20Z");
}

TEST_F(EventRecorderTest, AClusterWideObjectsEventsLiveInTheDefaultNamespace) {
  recorder.event(pod(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})"), "Normal", "R", "m");

  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].namespace_(), "default");
  EXPECT_FALSE(seen[0]["involvedObject"]["namespace"].exists());
}

TEST_F(EventRecorderTest, UnknownTypesAndNamelessObjectsAreDropped) {
  recorder.event(pod(), "Info", "R", "m");
  recorder.event(meta::Object{}, "Normal", "R", "m");

  EXPECT_TRUE(seen.empty());
}

TEST_F(EventRecorderTest, ADefaultOneDoesNothing) {
  const EventRecorder none;
  none.event(pod(), "Normal", "R", "m");

  EXPECT_TRUE(seen.empty());
}

}  // namespace
}  // namespace kubexx::events
