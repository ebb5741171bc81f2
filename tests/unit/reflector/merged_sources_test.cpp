#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "support/fixture_executor.hpp"
#include "support/function_sink.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::reflector {
namespace {

using testing::ElementsAre;

class MergedSourcesTest : public testing::Test {
 protected:
  void start(ReflectorOptions options = {}) {
    options.backoff = Backoff::none();
    options.version_check = Duration::zero();
    reflector = Reflector::create(merge_sources({red, blue}), sink, Strand(executor), std::move(options));
    reflector->start();
    executor->run_until_idle();
  }
  void TearDown() override {
    if (reflector) reflector->stop();
    executor->run_until_idle();
  }
  static meta::WatchEvent added(const std::string& name, const std::string& version) {
    return {meta::WatchEventType::Added, config_map(name, version)};
  }
  void use_watch_lists() {
    red->watch_list = true;
    blue->watch_list = true;
  }

  FixtureExecutor executor;
  std::shared_ptr<Script> red = std::make_shared<Script>();
  std::shared_ptr<Script> blue = std::make_shared<Script>();
  std::shared_ptr<Recorder> sink = std::make_shared<Recorder>();
  std::shared_ptr<Reflector> reflector;
};

TEST_F(MergedSourcesTest, OneStateIsMadeOfAllListsAndEachWatchStartsWhereItsListEnded) {
  red->answer({config_map("r", "3")}, "10");
  blue->answer({config_map("b", "4")}, "12");
  start();

  EXPECT_THAT(sink->history, ElementsAre("replace r@3 b@4 at 10"));
  EXPECT_EQ(red->watches.at(0).resource_version, "10");
  EXPECT_EQ(blue->watches.at(0).resource_version, "12");
}

TEST_F(MergedSourcesTest, PagesOfEachListAreReadToTheirEnd) {
  red->answer({config_map("r1", "1")}, "10", "more");
  red->answer({config_map("r2", "2")}, "10");
  blue->answer({config_map("b1", "3")}, "12", "also|more");
  blue->answer({config_map("b2", "4")}, "12");
  start();

  EXPECT_THAT(sink->history, ElementsAre("replace r1@1 r2@2 b1@3 b2@4 at 10"));
  EXPECT_EQ(red->lists.at(1).continue_token, "more");
  EXPECT_EQ(blue->lists.at(0).resource_version, "0");
  EXPECT_EQ(blue->lists.at(1).continue_token, "also|more");
  EXPECT_EQ(blue->lists.at(1).resource_version, "");
}

TEST_F(MergedSourcesTest, AWatchThatEndsIsResumedTogetherWithTheOthersEachAtItsOwnVersion) {
  red->answer({}, "10");
  blue->answer({}, "12");
  start();
  red->stream().send(added("r", "20"));
  blue->stream().send(added("b", "15"));
  executor->run_until_idle();

  blue->stream().close();
  executor->run_until_idle();

  EXPECT_EQ(red->watches.back().resource_version, "20");
  EXPECT_EQ(blue->watches.back().resource_version, "15");
  EXPECT_EQ(red->lists.size(), 1U);
  EXPECT_EQ(reflector->last_sync_resource_version(), "20");
}

TEST_F(MergedSourcesTest, AWatchListIsWholeWithTheLastOfItsBookmarks) {
  use_watch_lists();
  start();
  red->stream().send(added("r", "3"));
  red->stream().send(bookmark("10", true));
  executor->run_until_idle();
  EXPECT_TRUE(sink->history.empty());

  red->stream().send(added("r2", "11"));
  blue->stream().send(added("b", "4"));
  blue->stream().send(bookmark("12", true));
  executor->run_until_idle();
  EXPECT_THAT(sink->history, ElementsAre("replace r@3 r2@11 b@4 at 12"));

  red->stream().close();
  executor->run_until_idle();
  EXPECT_EQ(red->watches.back().resource_version, "11");
  EXPECT_EQ(blue->watches.back().resource_version, "12");
}

TEST_F(MergedSourcesTest, AnExpiredWatchOfOneListsAllAnew) {
  red->answer({}, "10");
  blue->answer({}, "12");
  start();
  red->answer({config_map("r", "30")}, "30");
  blue->answer({}, "31");

  blue->stream().send(status_event(410, "Expired", "too old"));
  executor->run_until_idle();

  EXPECT_THAT(sink->history, ElementsAre("replace at 10", "replace r@30 at 30"));
  EXPECT_EQ(blue->watches.back().resource_version, "31");
}

TEST_F(MergedSourcesTest, ASourceThatThrowsBehindAnotherFailsTheListWhichIsTriedAgain) {
  red->answer({config_map("r", "3")}, "10");
  blue->throws = true;
  std::vector<std::string> errors;
  ReflectorOptions options;
  options.watch_error_handler = [&](const WatchError& failed) {
    errors.push_back(failed.error.message());
    blue->throws = false;
    red->answer({config_map("r", "3")}, "10");
    blue->answer({config_map("b", "4")}, "12");
  };
  start(std::move(options));

  EXPECT_THAT(errors, ElementsAre(testing::HasSubstr("the source is broken")));
  EXPECT_THAT(sink->history, ElementsAre("replace r@3 b@4 at 10"));
}

TEST_F(MergedSourcesTest, OneSourceIsItselfAndNoneIsMisuse) {
  EXPECT_EQ(merge_sources({red}), red);
  EXPECT_THROW(static_cast<void>(merge_sources({})), std::logic_error);
  EXPECT_FALSE(merge_sources({red, blue})->has_one_version());
}

/// Its calls bring nothing by themselves and count how often they are held.
class Holding final : public ListerWatcher {
 public:
  std::unique_ptr<meta::Call> list(const meta::ListOptions&, const Strand&,
                                   std::shared_ptr<meta::StreamSink> to) override {
    sink = to;
    return std::make_unique<Counted>(held);
  }
  std::unique_ptr<meta::Call> watch(const meta::ListOptions& options, const Strand& strand,
                                    std::shared_ptr<meta::StreamSink> to) override {
    return list(options, strand, std::move(to));
  }
  std::weak_ptr<meta::StreamSink> sink;  // of the last call
  int held = 0;

 private:
  struct Counted final : meta::Call {
    explicit Counted(int& count) : held(count) {}
    void hold() override { ++held; }
    void resume() override { --held; }
    int& held;
  };
};

TEST_F(MergedSourcesTest, HoldingOneCallHoldsEveryWatchAndTheListsThatFollow) {
  const auto one = std::make_shared<Holding>();
  const auto other = std::make_shared<Holding>();
  const auto both = merge_sources({one, other});
  const Strand strand(executor);
  auto call = both->watch({}, strand, make_sink({}));
  call->hold();
  EXPECT_EQ(one->held + other->held, 2);
  call->resume();
  EXPECT_EQ(one->held + other->held, 0);

  call = both->list({}, strand, make_sink({}));
  call->hold();
  EXPECT_EQ(one->held, 1);
  one->sink.lock()->on_end(meta::ListMeta{});  // it was at hand
  EXPECT_EQ(other->held, 1);
  call->resume();
  EXPECT_EQ(other->held, 0);
}

}  // namespace
}  // namespace kubexx::reflector
