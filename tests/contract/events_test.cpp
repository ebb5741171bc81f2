#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "kubexx/events/event_broadcaster.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::events {
namespace {

using std::chrono::seconds;

class EventBroadcasterTest : public ::testing::Test {
 protected:
  EventBroadcasterTest() { pod_ = server_.seed(testkit::make_pod("default/web")).value(); }
  std::vector<meta::Object> events(EventApi api = EventApi::Core) {
    return server_.core().list(api == EventApi::Core ? meta::GroupVersionResource{"", "v1", "events"}
                                                     : meta::GroupVersionResource{"events.k8s.io", "v1", "events"});
  }
  apiserver::Server server_;
  meta::Object pod_;
};

TEST_F(EventBroadcasterTest, WhatWasRecordedIsOnTheServerWhenShutdownReturns) {
  EventBroadcaster broadcaster(testkit::client(server_));
  const auto recorder = broadcaster.recorder("widget-controller");
  for (int i = 0; i < 5; ++i) recorder.event(pod_, "Normal", "Synced", "all is well");
  recorder.event(pod_, "Warning", "Broken", "it is not");

  EXPECT_TRUE(broadcaster.shutdown(seconds(10)));

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

TEST_F(EventBroadcasterTest, TheDestructorFlushes) {
  {
    EventBroadcaster(testkit::client(server_)).recorder("c").event(pod_, "Normal", "Synced", "m");
  }

  EXPECT_EQ(events().size(), 1U);
}

TEST_F(EventBroadcasterTest, TheNewerApiStoresASeriesWithTheWholeCount) {
  EventBroadcasterOptions options;
  options.api = EventApi::Events;
  EventBroadcaster broadcaster(testkit::client(server_), options);
  const auto recorder = broadcaster.recorder("widget-controller", "pod-1");
  for (int i = 0; i < 5; ++i) recorder.event(pod_, "Normal", "Synced", "all is well", {.action = "Syncing"});

  EXPECT_TRUE(broadcaster.shutdown(seconds(10)));

  const auto all = events(EventApi::Events);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]["series"]["count"].int_or(0), 5);
  EXPECT_EQ(all[0]["reportingController"].string(), "widget-controller");
  EXPECT_EQ(all[0]["regarding"]["name"].string(), "web");
}

TEST_F(EventBroadcasterTest, RecordingFromManyThreadsDuringShutdownIsSafe) {
  EventBroadcaster broadcaster(testkit::client(server_));
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

TEST_F(EventBroadcasterTest, ListenersHearEveryEventInOrder) {
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
    const auto client = testkit::client(server_);
    EventBroadcaster broadcaster(client, options);
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
