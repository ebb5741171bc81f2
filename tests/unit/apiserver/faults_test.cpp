#include "core_fixture.hpp"

namespace kubexx::apiserver {
namespace {

using std::chrono::seconds;

class FaultsTest : public CoreFixture {
 protected:
  std::shared_ptr<RecordingWriter> watch(const std::string& agent = "test/1.0") {
    return send("GET", kConfigMaps + "?watch=1&allowWatchBookmarks=true", {}, {}, {{"user-agent", agent}});
  }
};

TEST_F(FaultsTest, ADelayedAnswerComesLateAndWhole) {
  const auto outage = core->add_fault({.verb = "list", .delay = seconds(3)});

  const auto late = get(kConfigMaps);
  executor->advance(seconds(2));
  EXPECT_EQ(late->status, 0);
  executor->advance(seconds(2));

  EXPECT_EQ(late->status, 200);
  EXPECT_TRUE(late->finished);
}

TEST_F(FaultsTest, ACallThatAFaultHoldsUpEndsWithTheServer) {
  const auto outage = core->add_fault({.verb = "list", .delay = std::chrono::minutes(10)});
  const std::weak_ptr<RecordingWriter> held = get(kConfigMaps);
  ASSERT_FALSE(held.expired());

  core.reset();

  EXPECT_TRUE(held.expired());
}

TEST_F(FaultsTest, ATruncatedAnswerIsCutAfterThatManyBytes) {
  const std::string whole = get(kConfigMaps)->body;
  const auto outage = core->add_fault({.verb = "list", .truncate_after = 10});

  const auto cut = get(kConfigMaps);

  EXPECT_EQ(cut->body, whole.substr(0, 10));
  EXPECT_TRUE(cut->aborted);
  EXPECT_FALSE(cut->finished);
}

TEST_F(FaultsTest, ACorruptedAnswerDiffersInThatByteAlone) {
  const std::string whole = get(kConfigMaps)->body;
  const auto outage = core->add_fault({.verb = "list", .corrupt_at = 7});

  const auto damaged = get(kConfigMaps);

  ASSERT_EQ(damaged->body.size(), whole.size());
  EXPECT_NE(damaged->body[7], whole[7]);
  std::string repaired = damaged->body;
  repaired[7] = whole[7];
  EXPECT_EQ(repaired, whole);
}

TEST_F(FaultsTest, AResetGivesNoAnswerAtAll) {
  const auto outage = core->add_fault({.verb = "get", .reset = true});

  const auto none = get(kConfigMaps + "/a");

  EXPECT_EQ(none->status, 0);
  EXPECT_TRUE(none->aborted);
}

TEST_F(FaultsTest, AShareStrikesAboutThatManyAndOnlyWhomItNames) {
  const auto outage = core->add_fault({.verb = "list", .user_agent = "test", .share = 0.3, .status = 500});
  int struck = 0;
  for (int i = 0; i < 1000; ++i) struck += get(kConfigMaps)->status == 500;

  EXPECT_GT(struck, 200);
  EXPECT_LT(struck, 400);
  EXPECT_EQ(send("GET", kConfigMaps, {}, {}, {{"user-agent", "other"}})->status, 200);
}

TEST_F(FaultsTest, BookmarksAreDroppedUntilTheOutageEnds) {
  const auto seen = watch();
  {
    const auto outage = core->drop_bookmarks();
    core->send_bookmarks();
    EXPECT_TRUE(seen->events().empty());
  }
  core->send_bookmarks();

  ASSERT_EQ(seen->events().size(), 1u);
  EXPECT_EQ(seen->events()[0]["type"].string(), "BOOKMARK");
}

TEST_F(FaultsTest, InjectedBytesReachTheStreamsTheyAreMeantForAsTheyAre) {
  const auto meant = watch("meant/1");
  const auto other = watch("other/1");

  EXPECT_EQ(core->inject("\xff{]", {.user_agent = "meant"}), 1u);

  EXPECT_EQ(meant->body, "\xff{]");
  EXPECT_TRUE(other->body.empty());
}

TEST_F(FaultsTest, OneWatcherIsServedLateAndTheOthersAtOnce) {
  const auto late = watch("late/1");
  const auto other = watch("other/1");
  const auto outage = core->delay_watches(seconds(5), {.user_agent = "late"});

  put_config_map("a", "1");

  EXPECT_EQ(other->events().size(), 1u);
  EXPECT_TRUE(late->body.empty());
  executor->advance(seconds(6));
  EXPECT_EQ(late->body, other->body);
}

TEST_F(FaultsTest, WatchesEndCleanlyOrCut) {
  const auto ended = watch();
  EXPECT_EQ(core->end_watches(), 1u);
  const auto cut = watch();
  EXPECT_EQ(core->cut_watches(), 1u);

  EXPECT_TRUE(ended->finished);
  EXPECT_FALSE(ended->aborted);
  EXPECT_TRUE(cut->aborted);
  EXPECT_EQ(core->watchers(), 0u);
}

TEST_F(FaultsTest, AWatchBeyondTheirNumberIsAskedToComeBack) {
  Options options;
  options.max_watches = 2;
  open(options);
  const auto first = watch();
  const auto second = watch();

  const auto refused = watch();

  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->header("Retry-After"), "1");
  first->close();
  settle();
  EXPECT_EQ(watch()->status, 200);
}

}  // namespace
}  // namespace kubexx::apiserver
