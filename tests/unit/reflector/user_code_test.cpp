#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stop_token>

#include "kubexx/base/error_sink.hpp"
#include "unit/reflector/reflector_fixture.hpp"

/// Sources, sinks and functions of the user that throw, and the ways a program lets go of a reflector.
namespace kubexx::reflector {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

class ReflectorUserCodeTest : public ReflectorTest {
 protected:
  ReflectorUserCodeTest() {
    set_error_sink([this](const Error& error, std::string_view) { reported.push_back(error.message()); });
  }
  ~ReflectorUserCodeTest() override { set_error_sink({}); }
  std::vector<std::string> reported;
};

TEST_F(ReflectorUserCodeTest, AListThatThrowsIsToldAndTriedAgain) {
  script->throws = true;
  start();
  EXPECT_EQ(state(), ReflectorState::BackingOff);
  EXPECT_THAT(errors, ElementsAre(HasSubstr("the source is broken")));
  EXPECT_THAT(reflector->status().last_error->message(), HasSubstr("the source is broken"));

  script->throws = false;
  script->answer({config_map("a", "1")}, "2");
  executor->advance(seconds(2));

  EXPECT_EQ(state(), ReflectorState::Watching);
  EXPECT_EQ(sink->state.at("a"), "1");
}

TEST_F(ReflectorUserCodeTest, AWatchThatThrowsIsToldAndListedAgain) {
  script->answer({}, "1");
  start();
  send(meta::WatchEventType::Added, config_map("a", "2"));
  script->throws = true;
  script->stream().close();
  run();
  EXPECT_EQ(state(), ReflectorState::BackingOff);
  EXPECT_THAT(errors, ElementsAre(HasSubstr("the source is broken")));

  script->throws = false;
  script->answer({}, "3");
  executor->advance(seconds(2));

  EXPECT_THAT(list_versions(), ElementsAre("0", "2"));
  EXPECT_EQ(state(), ReflectorState::Watching);
}

TEST_F(ReflectorUserCodeTest, AWatchListThatThrowsIsToldAndTriedAgain) {
  script->watch_list = true;
  script->throws = true;
  start();
  EXPECT_EQ(state(), ReflectorState::BackingOff);
  EXPECT_EQ(errors.size(), 1U);

  script->throws = false;
  executor->advance(seconds(2));

  EXPECT_EQ(state(), ReflectorState::WatchListing);
}

TEST_F(ReflectorUserCodeTest, ASourceMayAnswerBeforeItReturns) {
  struct Prompt final : ListerWatcher {
    struct Watch final : meta::Call {
      explicit Watch(int& o) : open(o) { ++open; }
      ~Watch() override { --open; }
      int& open;
    };
    std::unique_ptr<meta::Call> list(const meta::ListOptions&, const Strand&,
                                     std::shared_ptr<meta::StreamSink> sink) override {
      sink->on_item(config_map("a", "1"));
      sink->on_end(meta::ListMeta{"v1", "ConfigMapList", "5", "", {}});
      return std::make_unique<meta::Call>();
    }
    std::unique_ptr<meta::Call> watch(const meta::ListOptions& query, const Strand&,
                                      std::shared_ptr<meta::StreamSink> sink) override {
      sink->on_open();
      if (query.send_initial_events) {
        sink->on_end(meta::ListMeta{});
      } else {
        sink->on_event({meta::WatchEventType::Added, config_map("b", "6")});
      }
      return std::make_unique<Watch>(open);
    }
    int open = 0;
  };
  const auto prompt = std::make_shared<Prompt>();
  reflector = Reflector::create(prompt, sink, Strand(executor), {});
  reflector->start();
  executor->advance(seconds(5));  // five WatchLists end early, at most four a second

  EXPECT_EQ(state(), ReflectorState::Watching);
  EXPECT_THAT(sink->history, ElementsAre("replace a@1 at 5", "add b@6"));
  EXPECT_EQ(prompt->open, 1);
  executor->advance(minutes(6));  // past a question for the version
  EXPECT_EQ(state(), ReflectorState::Watching);
}

TEST_F(ReflectorUserCodeTest, AnExceptionWithANotFoundInsideDoesNotEmptyTheSink) {
  struct Broken final : DeltaSink {
    Result<void> add(meta::Object) override { throw Exception(Error::api(404, "NotFound", "of somebody else")); }
    Result<void> update(meta::Object) override { return {}; }
    Result<void> remove(meta::Object) override { return {}; }
    Result<void> replace(std::vector<meta::Object> objects, std::string) override {
      sizes.push_back(objects.size());
      return {};
    }
    Result<void> resync() override { return {}; }
    std::vector<std::size_t> sizes;
  };
  const auto broken = std::make_shared<Broken>();
  script->can_await = true;
  script->answer({config_map("a", "1")}, "2");
  reflector = Reflector::create(script, broken, Strand(executor), {});
  reflector->start();
  run();

  send(meta::WatchEventType::Added, config_map("b", "3"));
  EXPECT_EQ(state(), ReflectorState::BackingOff);
  script->answer({config_map("a", "1"), config_map("b", "3")}, "4");
  executor->advance(seconds(2));

  EXPECT_THAT(broken->sizes, ElementsAre(1U, 2U));
}

TEST_F(ReflectorUserCodeTest, AnOwnerThatThrowsWhenItIsToldChangesNothing) {
  struct Throwing final : Owner {
    void on_change() override { throw std::runtime_error("owner"); }
  };
  script->answer({}, "1");
  ReflectorOptions options;
  options.owner = std::make_shared<Throwing>();
  start(std::move(options));
  EXPECT_EQ(state(), ReflectorState::Watching);

  send(meta::WatchEventType::Added, config_map("a", "2"));
  send(meta::WatchEventType::Modified, config_map("a", "3"));
  EXPECT_EQ(sink->state.at("a"), "3");
  script->stream().send(status_event(410, "Expired", "too old"));
  run();
  script->answer({}, "4");
  executor->advance(seconds(2));

  EXPECT_EQ(state(), ReflectorState::Watching);
  EXPECT_TRUE(errors.empty());
  EXPECT_THAT(reported, testing::Contains("exception: owner"));
}

TEST_F(ReflectorUserCodeTest, AResyncCheckThatThrowsIsAskedAgainAtTheNextTick) {
  script->answer({}, "1");
  ReflectorOptions options;
  options.resync_period = seconds(10);
  int asked = 0;
  options.should_resync = [&]() -> bool {
    if (++asked == 1) throw std::runtime_error("check");
    return true;
  };
  start(std::move(options));

  executor->advance(seconds(20));

  EXPECT_EQ(asked, 2);
  EXPECT_THAT(sink->history, ElementsAre("replace at 1", "resync"));
  EXPECT_THAT(reported, ElementsAre("exception: check"));
}

// TestReflectorWatchStoppedBefore
TEST_F(ReflectorUserCodeTest, RunWithATokenThatHasFiredAsksNothingOfTheSource) {
  const auto threads = std::make_shared<ThreadExecutor>();
  std::stop_source stop;
  stop.request_stop();
  script->answer({}, "1");
  const auto stopped = Reflector::create(script, sink, Strand(threads), {});

  stopped->run(stop.get_token());

  EXPECT_TRUE(script->lists.empty());
  EXPECT_TRUE(script->watches.empty());
  EXPECT_EQ(stopped->status().state, ReflectorState::Stopped);
}

TEST_F(ReflectorUserCodeTest, DestroyingARunningReflectorEndsItsCallOnTheStrand) {
  script->answer({}, "1");
  start();
  const auto stream = script->streams.at(0);

  reflector.reset();
  EXPECT_TRUE(stream->alive);
  run();

  EXPECT_FALSE(stream->alive);
  EXPECT_TRUE(stream->ended_on_strand);
  stream->send({meta::WatchEventType::Added, config_map("late", "2")});
  executor->advance(minutes(20));
  EXPECT_THAT(sink->history, ElementsAre("replace at 1"));
}

TEST_F(ReflectorUserCodeTest, AReflectorMayBeLetGoInsideItsOwnCallback) {
  struct LettingGo final : Owner {
    explicit LettingGo(std::shared_ptr<Reflector>& held) : reflector(held) {}
    void on_change() override {
      if (reflector && reflector->status().state == ReflectorState::Watching) reflector.reset();
    }
    std::shared_ptr<Reflector>& reflector;
  };
  script->answer({}, "1");
  script->holds_watches = true;
  ReflectorOptions options;
  options.owner = std::make_shared<LettingGo>(reflector);
  start(std::move(options));
  const auto stream = script->streams.at(0);

  stream->open();
  run();
  EXPECT_EQ(reflector, nullptr);
  EXPECT_TRUE(stream->ended_on_strand);
  EXPECT_EQ(executor->pending_timers(), 0U);

  send(meta::WatchEventType::Added, config_map("b", "3"));
  EXPECT_THAT(sink->history, ElementsAre("replace at 1"));
}

}  // namespace
}  // namespace kubexx::reflector
