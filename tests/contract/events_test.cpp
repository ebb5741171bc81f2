#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "contract/any_server.hpp"
#include "kubexx/events/event_broadcaster.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::events {
namespace {

using std::chrono::seconds;

class EventBroadcasterTest : public contract::AnyServerTest {
 protected:
  void SetUp() override {
    AnyServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const auto made = api(kPods).create(testkit::make_pod(key("web")));
    ASSERT_TRUE(made) << made.error();
    pod_ = *made;
  }
  void TearDown() override {
    if (pod_) {
      static_cast<void>(api(kPods).remove("web", {.grace_period_seconds = 0}));
      static_cast<void>(api({"", "v1", "events"}).remove_collection());
    }
    AnyServerTest::TearDown();
  }
  std::vector<meta::Object> events(EventApi which = EventApi::Core) {
    const auto list = api({which == EventApi::Core ? "" : "events.k8s.io", "v1", "events"}).list_all();
    EXPECT_TRUE(list) << list.error();
    return list ? list->items : std::vector<meta::Object>();
  }
  meta::Object pod_;

 private:
  const meta::GroupVersionResource kPods{"", "v1", "pods"};
};
INSTANTIATE_TEST_SUITE_P(AnyServer, EventBroadcasterTest, contract::kAnyServer, contract::server_name);

TEST_P(EventBroadcasterTest, WhatWasRecordedIsOnTheServerWhenShutdownReturns) {
  EventBroadcaster broadcaster(client());
  const auto recorder = broadcaster.recorder("widget-controller");
  for (int i = 0; i < 5; ++i) recorder.event(pod_, "Normal", "Synced", "all is well");
  recorder.event(pod_, "Warning", "Broken", "it is not");

  EXPECT_TRUE(broadcaster.shutdown(seconds(60)));

  const auto all = events();
  ASSERT_EQ(all.size(), 2U);
  std::int64_t count = 0;
  for (const auto& event : all) {
    count += event["count"].int_or(0);
    EXPECT_EQ(event["involvedObject"]["uid"].string(), pod_.uid());
    EXPECT_EQ(event["source"]["component"].string(), "widget-controller");
  }
  EXPECT_EQ(count, 6);
}

TEST_P(EventBroadcasterTest, TheDestructorFlushes) {
  {
    EventBroadcaster(client()).recorder("c").event(pod_, "Normal", "Synced", "m");
  }

  EXPECT_EQ(events().size(), 1U);
}

TEST_P(EventBroadcasterTest, TheNewerApiStoresASeriesWithTheWholeCount) {
  EventBroadcasterOptions options;
  options.api = EventApi::Events;
  EventBroadcaster broadcaster(client(), options);
  const auto recorder = broadcaster.recorder("widget-controller", "pod-1");
  for (int i = 0; i < 5; ++i) recorder.event(pod_, "Normal", "Synced", "all is well", {.action = "Syncing"});

  EXPECT_TRUE(broadcaster.shutdown(seconds(60)));

  const auto all = events(EventApi::Events);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]["series"]["count"].int_or(0), 5);
  EXPECT_EQ(all[0]["reportingController"].string(), "widget-controller");
  EXPECT_EQ(all[0]["regarding"]["name"].string(), "web");
}

TEST_P(EventBroadcasterTest, RecordingFromManyThreadsDuringShutdownIsSafe) {
  EventBroadcaster broadcaster(client());
  const auto recorder = broadcaster.recorder("c");
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) recorder.event(pod_, "Normal", "R" + std::to_string(t), "m");
    });
  }
  broadcaster.shutdown(seconds(10));
  threads.clear();

  recorder.event(pod_, "Normal", "Late", "m");
  for (const auto& event : events()) EXPECT_NE(event["reason"].string(), "Late");
}

TEST_P(EventBroadcasterTest, ListenersHearEveryEventInOrder) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> heard;
  EventBroadcasterOptions options;
  options.on_event = [&](const meta::Object& event) {
    const std::lock_guard lock(mutex);
    heard.emplace_back(event["message"].string());
    changed.notify_all();
  };
  {
    EventBroadcaster broadcaster(client(), options);
    const auto recorder = broadcaster.recorder("c");
    for (int i = 0; i < 50; ++i) recorder.event(pod_, "Normal", "R", std::to_string(i));
    broadcaster.shutdown(seconds(10));
  }
  std::unique_lock lock(mutex);
  ASSERT_TRUE(changed.wait_for(lock, seconds(10), [&] { return heard.size() == 50; }));

  EXPECT_EQ(heard.front(), "0");
  EXPECT_EQ(heard.back(), "49");
}

}  // namespace
}  // namespace kubexx::events
