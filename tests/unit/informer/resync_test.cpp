#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kubexx/informer/shared_informer.hpp"
#include "support/fixture_executor.hpp"
#include "support/log_lines.hpp"
#include "unit/informer/fake_source.hpp"

/// Who is reminded of what, and when, on the fake clock.
namespace kubexx::informer {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// What a handler heard.
struct Heard {
  std::vector<std::string> lines;
  int reminders = 0;
  Registration registration;
};

class ResyncTest : public testing::TestWithParam<QueueKind> {
 protected:
  ResyncTest() {
    options.description = "configmaps";
    options.queue = GetParam();
    options.executor = executor;
    options.handlers = handlers;
    options.reflector.emplace();
    options.reflector->backoff = Backoff::none();
    options.reflector->version_check = Duration::zero();
  }
  void make() { informer = SharedIndexInformer::create(source, options); }
  void start() {
    informer->start();
    run();
  }
  void run() {
    while (executor->run_until_idle() + handlers->run_until_idle() > 0) {
    }
  }
  void pass(Duration by) {
    executor->advance(by);
    run();
  }
  void add(Heard& heard, std::optional<Duration> period) {
    ResourceEventHandlerFuncs<> f;
    f.on_add = [&heard](const meta::Object& o) { heard.lines.push_back("add " + std::string(o.name())); };
    f.on_update = [&heard](const meta::Object& before, const meta::Object& after, const EventContext& context) {
      heard.lines.push_back((before.resource_version() == after.resource_version() ? "same " : "update ") +
                            std::string(after.name()));
      heard.reminders += context.cause() == EventCause::Resync ? 1 : 0;
    };
    heard.registration = informer->add_event_handler(std::move(f), {.resync_period = period});
  }
  void TearDown() override {
    informer->stop();
    run();
  }

  FixtureExecutor executor;
  FixtureExecutor handlers;
  std::shared_ptr<FakeSource> source = std::make_shared<FakeSource>();
  InformerOptions options;
  std::shared_ptr<SharedIndexInformer> informer;
};

// TestResyncCheckPeriod
TEST_P(ResyncTest, HandlersOfBeforeTheStartGetThePeriodsTheyAskFor) {
  options.resync_period = hours(12);
  source->put("a");
  make();
  Heard never;
  Heard default_;
  Heard rarely;
  Heard often;
  Heard too_often;
  add(never, Duration::zero());
  add(default_, {});
  add(rarely, minutes(1));
  add(often, seconds(5));
  add(too_often, milliseconds(55));
  start();
  pass(minutes(1));

  EXPECT_EQ(never.reminders, 0);
  EXPECT_EQ(default_.reminders, 0);
  EXPECT_EQ(rarely.reminders, 1);
  EXPECT_EQ(often.reminders, 12);
  EXPECT_EQ(too_often.reminders, 60);  // a second is the least
}

TEST_P(ResyncTest, AHandlerThatComesAfterTheStartIsNotRemindedMoreOftenThanTheOthersMadeTheInformerLook) {
  options.resync_period = minutes(1);
  source->put("a");
  make();
  Heard early;
  add(early, seconds(10));
  start();
  Heard eager;
  Heard patient;
  Heard default_;
  add(eager, seconds(1));
  add(patient, seconds(30));
  add(default_, {});
  run();
  pass(minutes(1));

  EXPECT_EQ(early.reminders, 6);
  EXPECT_EQ(eager.reminders, 6);
  EXPECT_EQ(patient.reminders, 2);
  EXPECT_EQ(default_.reminders, 1);
}

TEST_P(ResyncTest, AnInformerWithoutAPeriodRemindsTheHandlersOfBeforeTheStartThatAskAndNoneOfAfterwards) {
  source->put("a");
  make();
  Heard early;
  add(early, seconds(10));
  start();
  pass(minutes(1));
  EXPECT_EQ(early.reminders, 6);
  TearDown();

  make();
  start();
  Heard late;
  add(late, seconds(10));
  run();
  pass(minutes(1));
  EXPECT_EQ(late.reminders, 0);
}

TEST_P(ResyncTest, AHandlerThatCannotGetItsPeriodIsToldSoInTheLog) {
  const auto warnings = [](const LogLines& log, const char* text) {
    const auto all = log.all();
    return std::count_if(all.begin(), all.end(), [&](const auto& line) { return line.find(text) != line.npos; });
  };
  LogLines log;
  make();
  start();
  Heard none_made;
  add(none_made, seconds(10));
  run();
  EXPECT_EQ(warnings(log, "asks for resyncs, but the informer makes none"), 1);
  TearDown();

  options.resync_period = minutes(1);
  make();
  start();
  Heard patient;
  Heard eager;
  Heard hasty;
  add(patient, minutes(2));
  run();
  EXPECT_EQ(warnings(log, "more often than the running informer makes them"), 0);
  add(eager, seconds(1));
  run();
  EXPECT_EQ(warnings(log, "more often than the running informer makes them"), 1);
  EXPECT_EQ(warnings(log, "below a second was raised"), 0);
  add(hasty, milliseconds(1));
  run();
  EXPECT_EQ(warnings(log, "below a second was raised"), 1);
}

// TestListenerResyncPeriodsDelayed
TEST_P(ResyncTest, RemindersWaitForHandlersThatCannotRunYet) {
  source->put("a");
  make();
  Heard never;
  Heard often;
  Heard rarely;
  add(never, Duration::zero());
  add(often, seconds(2));
  add(rarely, seconds(3));
  informer->start();
  executor->advance(seconds(6));  // the library's work only
  source->put("b");
  executor->run_until_idle();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_TRUE(often.lines.empty());
  run();

  EXPECT_THAT(never.lines, ElementsAre("add a", "add b"));
  EXPECT_THAT(often.lines, ElementsAre("add a", "same a", "same a", "same a", "add b"));
  EXPECT_THAT(rarely.lines, ElementsAre("add a", "same a", "add b"));  // looked for after 2, 4 and 6 seconds
}

// TestSharedInformerWatchDisruption
TEST_P(ResyncTest, AfterALostWatchAHandlerWhoseResyncIsDueHearsOfAllAndTheOthersOfWhatChanged) {
  source->put("kept");
  source->put("changed");
  make();
  Heard quiet;
  Heard due;
  Heard not_due;
  add(quiet, Duration::zero());
  add(due, seconds(1));
  add(not_due, hours(1));
  start();
  pass(seconds(1));
  for (auto* each : {&quiet, &due, &not_due}) each->lines.clear();

  source->mute();
  source->put("changed", "2");
  source->put("new");
  run();
  EXPECT_TRUE(due.lines.empty());
  source->expire_watches();
  run();

  EXPECT_THAT(due.lines, UnorderedElementsAre("same kept", "update changed", "add new"));
  EXPECT_THAT(quiet.lines, UnorderedElementsAre("update changed", "add new"));
  EXPECT_THAT(not_due.lines, UnorderedElementsAre("update changed", "add new"));
}

INSTANTIATE_TEST_SUITE_P(BothQueues, ResyncTest, testing::Values(QueueKind::Ordered, QueueKind::PerKey),
                         [](const auto& each) { return each.param == QueueKind::Ordered ? "Ordered" : "PerKey"; });

}  // namespace
}  // namespace kubexx::informer
