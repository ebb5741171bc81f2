// Logs that follow pods, on one thread: every step is the test's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/meta/draft.hpp"
#include "log_streams/log_lines_seen.hpp"
#include "support/one_thread.hpp"

namespace kubexx::log_streams {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const meta::GroupVersionResource kPods{"", "v1", "pods"};

class LogStreamsTest : public ::testing::Test {
 protected:
  ~LogStreamsTest() override { end(); }

  void start() { start(lines.options()); }
  void start(logs::LogStreamsOptions options) {
    auto made = logs::LogStreams::create(*world.client, std::move(options));
    ASSERT_TRUE(made) << made.error();
    streams = std::move(*made);
    streams->start();
    settle();
  }
  void end() {
    if (streams) streams->stop();
    world.executor->run_until_idle();
    streams.reset();
  }
  void settle() { world.executor->advance(seconds(5)); }
  apiserver::Core& core() { return *world.core; }
  void seed(const std::string& key, const std::vector<std::string>& containers = {"web"},
            const std::string& app = "web") {
    ASSERT_TRUE(core().seed(log_pod(key, containers, app)));
  }
  void write(const std::string& pod, const std::string& text, const std::string& container = "web") {
    lines.write(core(), {"default", pod, container}, text);
  }
  std::vector<std::string> seen(const std::string& key) { return lines.seen()[key]; }

  OneThread world;
  LogLinesSeen lines;
  std::unique_ptr<logs::LogStreams> streams;
};

TEST_F(LogStreamsTest, LinesOfPodsThatAreThereAndOfThoseThatComeArriveWithTheirOrigin) {
  seed("default/a", {"web", "proxy"});
  write("a", "one");
  write("a", "of the proxy", "proxy");
  auto options = lines.options();
  options.on_line = [&](const logs::LogLine& line) {
    lines.take(line);
    EXPECT_EQ(line.origin.namespace_, "default");
    EXPECT_FALSE(line.origin.uid.empty());
    EXPECT_GT(line.time, WallTime(seconds(1'600'000'000)));
  };
  start(std::move(options));
  seed("default/b");
  settle();
  write("b", "later");
  settle();

  EXPECT_TRUE(lines.all_there());
  const auto status = streams->status();
  EXPECT_TRUE(status.synced);
  EXPECT_EQ(status.containers, 3U);
  EXPECT_EQ(status.open, 3U);
  EXPECT_EQ(status.lines, 3U);
  EXPECT_EQ(status.bytes, std::string("oneof the proxylater").size());
  EXPECT_EQ(status.gaps, 0U);
}

TEST_F(LogStreamsTest, AContainerThatWaitsToStartIsNotAskedFor) {
  seed("default/a");
  start();
  EXPECT_EQ(core().requests().count("get", "pods", {.subresource = "log"}), 0U);

  write("a", "one");
  settle();

  EXPECT_TRUE(lines.all_there());
}

TEST_F(LogStreamsTest, LogsThatAreCutGoOnWithoutLossOrDoubles) {
  seed("default/a");
  write("a", "one");
  start();
  // All of them at the same time, to the nanosecond.
  for (const char* text : {"two", "two", "three"}) write("a", text);
  world.executor->run_until_idle();
  EXPECT_EQ(core().cut_logs(), 1U);
  for (const char* text : {"two", "three", "three"}) write("a", text);
  settle();
  EXPECT_EQ(core().end_logs(), 1U);
  write("a", "last");
  settle();

  EXPECT_EQ(lines.seen(), lines.written());
  EXPECT_EQ(streams->status().resumed, 2U);
  EXPECT_EQ(streams->status().gaps, 0U);
}

TEST_F(LogStreamsTest, ALineThatIsCutInTheMiddleComesWhole) {
  seed("default/a");
  write("a", "one");
  write("a", "a line that is cut in the middle");
  const auto fault = core().add_fault({.times = 1, .truncate_after = 50, .subresource = "log"});
  start();

  EXPECT_EQ(lines.seen(), lines.written());
  EXPECT_EQ(core().requests().count("get", "pods", {.subresource = "log"}), 2U);
}

TEST_F(LogStreamsTest, ALongLineComesInPieces) {
  const std::string text(1000, 'x');
  seed("default/a");
  write("a", text + "1");
  write("a", text + "2");
  auto options = lines.options();
  options.max_line_bytes = 100;
  std::size_t pieces = 0;
  options.on_line = [&](const logs::LogLine& line) {
    EXPECT_LE(line.text.size(), 100U);
    ++pieces;
    lines.take(line);
  };
  start(std::move(options));

  EXPECT_EQ(lines.seen(), lines.written());
  EXPECT_EQ(pieces, 22U);
}

TEST_F(LogStreamsTest, AContainerThatStartsAgainIsFollowedAndTheEndOfItsLastRunIsRead) {
  seed("default/a");
  write("a", "one");
  start();
  core().cut_logs();
  write("a", "two");  // nobody reads
  ASSERT_TRUE(core().start_container({"default", "a", "web"}));
  write("a", "three");
  settle();

  EXPECT_EQ(lines.seen(), lines.written());
  EXPECT_THAT(lines.restarts("a/web"), ElementsAre(0, 0, 1));
  EXPECT_EQ(streams->status().gaps, 0U);
}

TEST_F(LogStreamsTest, ARestartThatTheCacheHasNotHeardOfIsFoundInTheLogs) {
  seed("default/a");
  write("a", "one");
  start();
  const auto deaf = core().stall_watches({.resource = "pods"});
  core().cut_logs();
  write("a", "two");
  ASSERT_TRUE(core().start_container({"default", "a", "web"}));
  world.executor->fake_clock().advance(seconds(3));
  write("a", "three");
  settle();

  EXPECT_EQ(lines.seen(), lines.written());
  EXPECT_THAT(lines.restarts("a/web"), ElementsAre(0, 0, 1));
  EXPECT_EQ(streams->status().gaps, 0U);
}

TEST_F(LogStreamsTest, RunsThatNobodyCouldReadAreAGap) {
  seed("default/a");
  write("a", "one");
  std::vector<std::string> after_gap;
  auto options = lines.options();
  options.on_line = [&](const logs::LogLine& line) {
    lines.take(line);
    if (line.after_gap) after_gap.emplace_back(line.text);
  };
  start(std::move(options));
  {
    const auto outage = world.transport->refuse_connections();
    for (const char* text : {"lost", "read as previous", "last"}) {
      world.executor->fake_clock().advance(seconds(1));
      ASSERT_TRUE(core().start_container({"default", "a", "web"}));
      ASSERT_TRUE(core().append_log({"default", "a", "web"}, text));
    }
    settle();
  }
  world.executor->advance(seconds(60));

  EXPECT_THAT(seen("a/web"), ElementsAre("one", "read as previous", "last"));
  EXPECT_THAT(after_gap, ElementsAre("read as previous"));
  EXPECT_GE(streams->status().gaps, 1U);
}

TEST_F(LogStreamsTest, ALogThatTheNodeThrewAwayIsAGap) {
  seed("default/a");
  write("a", "one");
  bool gap = false;
  auto options = lines.options();
  options.on_line = [&](const logs::LogLine& line) { gap |= line.after_gap; };
  start(std::move(options));
  core().cut_logs();
  ASSERT_TRUE(core().append_log({"default", "a", "web"}, std::string(700'000, 'x')));
  ASSERT_TRUE(core().append_log({"default", "a", "web"}, std::string(700'000, 'y')));
  settle();

  EXPECT_TRUE(gap);
  EXPECT_EQ(streams->status().gaps, 1U);
}

TEST_F(LogStreamsTest, AContainerThatEndsForGoodIsReadToItsEndAndBringsNothingMore) {
  seed("default/a");
  write("a", "one");
  start();
  write("a", "two");
  ASSERT_TRUE(core().end_container({"default", "a", "web"}));
  settle();

  EXPECT_EQ(lines.seen(), lines.written());
  EXPECT_EQ(streams->status().containers, 0U) << "the pod has succeeded";
  EXPECT_EQ(streams->status().open, 0U);
}

TEST_F(LogStreamsTest, APodThatGoesIsReadToItsEndAndForgotten) {
  seed("default/a");
  write("a", "one");
  start();
  write("a", "two");
  ASSERT_TRUE(core().remove(kPods, {"default", "a"}));
  settle();

  EXPECT_EQ(lines.seen(), lines.written());
  EXPECT_EQ(streams->status().containers, 0U);
  EXPECT_EQ(streams->status().gaps, 0U);
  seed("default/a");
  write("a", "of another pod");
  settle();
  EXPECT_EQ(lines.seen(), lines.written());
}

TEST_F(LogStreamsTest, APodThatNoLongerMatchesIsNotFollowedAnyMore) {
  seed("default/a");
  write("a", "one");
  auto options = lines.options();
  options.scope.label_selector = meta::LabelSelector::parse("app=web").value();
  start(std::move(options));
  auto draft = core().get(kPods, {"default", "a"})->edit();
  draft["metadata"]["labels"]["app"].set("other");
  ASSERT_TRUE(core().update(draft.to_object()));
  settle();
  ASSERT_TRUE(core().append_log({"default", "a", "web"}, "not ours"));
  settle();
  EXPECT_EQ(streams->status().containers, 0U);
  EXPECT_EQ(core().log_followers(), 0U);

  ASSERT_TRUE(streams->set_scope({.label_selector = meta::LabelSelector::parse("app=other").value()}));
  settle();
  EXPECT_EQ(streams->status().containers, 1U);
  EXPECT_THAT(seen("a/web"), ElementsAre("one", "one", "not ours")) << "it is a new stay, read from its beginning";
}

TEST_F(LogStreamsTest, OnlyAsManyLogsAreOpenAsAllowedAndTheRestHasItsTurn) {
  for (const char* name : {"a", "b", "c", "d"}) {
    seed("default/" + std::string(name));
    write(name, "of " + std::string(name));
  }
  auto options = lines.options();
  options.max_streams = 2;
  start(std::move(options));
  EXPECT_EQ(streams->status().open, 2U);
  EXPECT_EQ(streams->status().waiting, 2U);
  EXPECT_EQ(core().log_followers(), 2U);
  core().cut_logs();
  settle();
  EXPECT_EQ(streams->status().waiting, 2U) << "a log that is cut keeps its place";

  for (const char* name : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(core().end_container({"default", name, "web"}));
    settle();
  }

  EXPECT_EQ(lines.seen(), lines.written());
  EXPECT_EQ(streams->status().waiting, 0U);
}

TEST_F(LogStreamsTest, TheLastLinesAreThoseOfContainersThatWereThere) {
  seed("default/a");
  for (const char* text : {"1", "2", "3"}) write("a", text);
  auto options = lines.options();
  options.tail_lines = 1;
  start(std::move(options));
  seed("default/b");
  for (const char* text : {"1", "2", "3"}) write("b", text);
  settle();
  core().cut_logs();
  write("a", "4");
  settle();

  EXPECT_THAT(seen("a/web"), ElementsAre("3", "4"));
  EXPECT_THAT(seen("b/web"), ElementsAre("1", "2", "3"));
}

TEST_F(LogStreamsTest, NothingOlderThanAskedForComesToTheNanosecond) {
  seed("default/a");
  const WallTime now = world.executor->fake_clock().wall();
  ASSERT_TRUE(core().append_log({"default", "a", "web"}, "before", now - Duration(1)));
  ASSERT_TRUE(core().append_log({"default", "a", "web"}, "at", now));
  auto options = lines.options();
  options.since = now;
  start(std::move(options));

  EXPECT_THAT(seen("a/web"), ElementsAre("at"));
}

TEST_F(LogStreamsTest, ContainersAreChosenByAFunctionAndOneThatThrowsChoosesNone) {
  seed("default/a", {"web", "proxy"});
  write("a", "wanted");
  ASSERT_TRUE(core().append_log({"default", "a", "proxy"}, "not wanted"));
  auto options = lines.options();
  options.wants = [](const meta::Object& pod, std::string_view container) {
    if (container == "proxy") throw std::runtime_error("no proxies");
    return pod.labels().contains("app");
  };
  start(std::move(options));

  EXPECT_EQ(lines.seen(), lines.written());
}

TEST_F(LogStreamsTest, AProblemIsToldOnceAndTriedAgain) {
  seed("default/a");
  write("a", "one");
  std::vector<std::string> problems;
  auto options = lines.options();
  options.on_problem = [&](const logs::LogOrigin& origin, const Error& error) {
    problems.push_back(origin.pod + ": " + error.message());
  };
  {
    const auto fault = core().add_fault({.status = 500, .message = "the node is away", .subresource = "log"});
    start(std::move(options));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_THAT(problems[0], HasSubstr("a: "));
    EXPECT_THAT(problems[0], HasSubstr("the node is away"));
  }
  settle();

  EXPECT_EQ(lines.seen(), lines.written());
}

TEST_F(LogStreamsTest, ACallbackThatThrowsGetsTheNextLine) {
  seed("default/a");
  write("a", "one");
  write("a", "two");
  auto options = lines.options();
  options.on_line = [this](const logs::LogLine& line) {
    lines.take(line);
    throw std::runtime_error("no good");
  };
  start(std::move(options));

  EXPECT_EQ(lines.seen(), lines.written());
}

TEST_F(LogStreamsTest, AfterTheStopNoLineComesAndNoRequestIsOpen) {
  seed("default/a");
  write("a", "one");
  start();
  streams->stop();
  settle();
  ASSERT_TRUE(core().append_log({"default", "a", "web"}, "too late"));
  settle();

  EXPECT_THAT(seen("a/web"), ElementsAre("one"));
  EXPECT_EQ(core().log_followers(), 0U);
  EXPECT_EQ(streams->status().containers, 0U);
}

TEST_F(LogStreamsTest, OptionsThatCannotWorkAreRefused) {
  EXPECT_FALSE(logs::LogStreams::create(*world.client, {}));
  const auto refused = [this](auto change) {
    auto options = lines.options();
    change(options);
    return !logs::LogStreams::create(*world.client, std::move(options));
  };
  EXPECT_TRUE(refused([](auto& options) { options.max_streams = 0; }));
  EXPECT_TRUE(refused([](auto& options) { options.max_line_bytes = 10; }));
  EXPECT_TRUE(refused([](auto& options) { options.tail_lines = -1; }));
  EXPECT_TRUE(refused([](auto& options) { options.scope.metadata_only = true; }));
}

}  // namespace
}  // namespace kubexx::log_streams
