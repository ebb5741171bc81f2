#include <gmock/gmock.h>

#include "core_fixture.hpp"

namespace kubexx::apiserver {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

class WatchTest : public CoreFixture {
 protected:
  std::shared_ptr<RecordingWriter> watch(const std::string& query) { return get(kConfigMaps + "?watch=1" + query); }
  std::string at(std::uint64_t version) { return std::to_string(version); }
};

TEST_F(WatchTest, FromAVersionItGetsWhatFollowsInOrder) {
  const std::uint64_t start = put_config_map("a", "1");
  put_config_map("b", "1");

  const auto seen = watch("&resourceVersion=" + at(start));
  put_config_map("a", "2");
  send("DELETE", kConfigMaps + "/b");

  EXPECT_THAT(seen->summary(),
              ElementsAre("ADDED b@" + at(start + 1), "MODIFIED a@" + at(start + 2), "DELETED b@" + at(start + 3)));
}

TEST_F(WatchTest, WithoutAVersionItStartsWithTheState) {
  const std::uint64_t a = put_config_map("a", "1");

  EXPECT_THAT(watch("")->summary(), ElementsAre("ADDED a@" + at(a)));
  EXPECT_THAT(watch("&resourceVersion=0")->summary(), ElementsAre("ADDED a@" + at(a)));
}

TEST_F(WatchTest, InitialEventsEndWithTheAnnotatedBookmark) {
  put_config_map("a", "1");

  const auto seen = watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");

  const auto events = seen->events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1]["type"].string(), "BOOKMARK");
  EXPECT_EQ(meta::to_json(events[1]["object"]),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":")" + at(core->version()) +
                R"(","annotations":{"k8s.io/initial-events-end":"true"}}})");
  EXPECT_EQ(watch("&sendInitialEvents=true")->status, 422);
}

TEST_F(WatchTest, AnObjectThatLeavesTheSelectorIsDeletedAsItLastMatched) {
  const auto seen = watch("&labelSelector=app%3Dx");
  put_config_map("a", "1", R"({"app":"x"})");
  put_config_map("a", "2", R"({"app":"y"})");
  const std::uint64_t left = core->version();
  put_config_map("a", "3", R"({"app":"x"})");

  EXPECT_THAT(seen->summary(),
              ElementsAre("ADDED a@" + at(left - 1), "DELETED a@" + at(left), "ADDED a@" + at(left + 1)));
  EXPECT_EQ(seen->events()[1]["object"]["data"]["v"].string(), "1");
}

TEST_F(WatchTest, AVersionThatIsTooOldIsAnErrorEvent) {
  put_config_map("a", "1");
  core->compact_history();

  const auto seen = watch("&resourceVersion=1");

  EXPECT_EQ(seen->status, 200);
  EXPECT_TRUE(seen->finished);
  const meta::Object event = seen->events().front();
  EXPECT_EQ(event["type"].string(), "ERROR");
  EXPECT_EQ(event["object"]["message"].string(), "too old resource version: 1 (" + at(core->version()) + ")");
  EXPECT_EQ(event["object"]["reason"].string(), "Expired");
  EXPECT_EQ(event["object"]["code"].int_or(0), 410);
}

TEST_F(WatchTest, AVersionInTheFutureIsSilentUntilItIsReached) {
  const auto seen = watch("&allowWatchBookmarks=true&resourceVersion=" + at(core->version() + 2));
  put_config_map("a", "1");
  put_config_map("b", "1");
  executor->advance(seconds(90));
  EXPECT_THAT(seen->summary(), ElementsAre("BOOKMARK @" + at(core->version())));
  put_config_map("c", "1");

  EXPECT_EQ(seen->summary().back(), "ADDED c@" + at(core->version()));
}

TEST_F(WatchTest, ItEndsCleanlyAfterItsTimeoutWithABookmarkTwoSecondsBefore) {
  const auto seen = watch("&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion=" + at(core->version()));

  executor->advance(seconds(2));
  EXPECT_THAT(seen->summary(), ElementsAre("BOOKMARK @" + at(core->version())));
  EXPECT_FALSE(seen->finished);
  executor->advance(seconds(2));
  EXPECT_TRUE(seen->finished);
  EXPECT_EQ(core->watchers(), 0u);
}

TEST_F(WatchTest, AWatcherThatDoesNotReadIsCutOff) {
  Options options;
  options.watch_backlog = 1000;
  open(options);
  const auto slow = watch("");
  const auto fast = watch("");
  slow->unread = 1001;

  put_config_map("a", "1");
  put_config_map("b", "1");

  EXPECT_TRUE(slow->aborted);
  EXPECT_EQ(fast->events().size(), 2u);
  EXPECT_EQ(core->watchers(), 1u);
}

TEST_F(WatchTest, APeerThatLeavesIsForgotten) {
  const auto seen = watch("");
  seen->close();

  EXPECT_EQ(core->watchers(), 0u);
}

TEST_F(WatchTest, BadVersionsAndSelectorsAreRefusedBeforeTheStream) {
  EXPECT_EQ(watch("&resourceVersion=abc")->status, 500);
  EXPECT_EQ(watch("&labelSelector=a%20in%20b")->status, 400);
  EXPECT_EQ(core->watchers(), 0u);
}

TEST_F(WatchTest, AnInterruptionCutsWatchesAndRefusesNewOnesUntilItEnds) {
  const auto before = watch("");
  {
    auto outage = core->interrupt_watches();
    EXPECT_TRUE(before->aborted);
    const auto refused = watch("");
    EXPECT_EQ(refused->status, 429);
    EXPECT_EQ(refused->header("Retry-After"), "1");
    EXPECT_EQ(get(kConfigMaps)->status, 200);
  }
  EXPECT_EQ(watch("")->status, 200);
  EXPECT_EQ(core->requests().count("watch", "configmaps"), 3u);
  EXPECT_EQ(core->requests().count("watch", "configmaps", {.status = 429}), 1u);
}

TEST_F(WatchTest, AStalledWatcherGetsEverythingAfterwards) {
  const auto seen = watch("");
  {
    auto stall = core->stall_watches();
    put_config_map("a", "1");
    put_config_map("b", "1");
    EXPECT_TRUE(seen->body.empty());
  }
  EXPECT_EQ(seen->events().size(), 2u);
}

TEST_F(WatchTest, ADelayedWatcherGetsEventsLateAndInOrder) {
  const auto seen = watch("");
  auto late = core->delay_watches(seconds(5));
  put_config_map("a", "1");
  executor->advance(seconds(3));
  put_config_map("b", "1");
  EXPECT_TRUE(seen->body.empty());
  executor->advance(seconds(3));
  EXPECT_EQ(seen->events().size(), 1u);
  executor->advance(seconds(3));
  EXPECT_EQ(seen->events().size(), 2u);
}

TEST_F(WatchTest, ATruncatedWatchEndsInsideAFrame) {
  const auto seen = watch("");
  EXPECT_EQ(core->truncate_watches(), 1u);
  put_config_map("a", "1");
  settle();

  EXPECT_TRUE(seen->aborted);
  EXPECT_FALSE(seen->body.empty());
  EXPECT_EQ(seen->body.find('\n'), std::string::npos);
}

TEST_F(WatchTest, ARestoredStateHasItsOldVersionAndCutsTheWatches) {
  put_config_map("a", "1");
  const std::uint64_t old = core->version();
  const auto checkpoint = core->checkpoint();
  put_config_map("a", "2");
  put_config_map("b", "1");
  const auto seen = watch("");

  core->restore(checkpoint);

  EXPECT_TRUE(seen->aborted);
  EXPECT_EQ(core->version(), old);
  EXPECT_EQ(get(kConfigMaps)->object()["items"].size(), 1u);
  EXPECT_EQ(get(kConfigMaps + "/a")->object()["data"]["v"].string(), "1");
}

TEST_F(WatchTest, FaultsStrikeAShareOfRequestsAsOftenAsAsked) {
  auto outage =
      core->add_fault({.verb = "list", .resource = "configmaps", .times = 2, .status = 503, .retry_after = 3});

  const auto first = get(kConfigMaps);
  EXPECT_EQ(first->status, 503);
  EXPECT_EQ(first->header("Retry-After"), "3");
  EXPECT_EQ(get(kConfigMaps + "?limit=1")->status, 503);
  EXPECT_EQ(get(kConfigMaps)->status, 200);
}

}  // namespace
}  // namespace kubexx::apiserver
