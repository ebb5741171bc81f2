#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <semaphore>
#include <stdexcept>
#include <thread>

#include "kubexx/delta/delta_fifo.hpp"
#include "kubexx/informer/controller.hpp"
#include "kubexx/informer/sync.hpp"
#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using reflector::Script;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// wait_for_cache_sync on a thread of its own while this one runs the informers.
class SyncWaitTest : public ::testing::Test {
 protected:
  std::shared_ptr<SharedIndexInformer> make(const std::string& name, const std::shared_ptr<Script>& source) {
    InformerOptions options;
    options.name = name;
    options.executor = executor;
    options.handlers = handlers;
    options.reflector.emplace();
    options.reflector->backoff = Backoff::none();
    options.reflector->version_check = Duration::zero();
    informers.push_back(SharedIndexInformer::create(source, std::move(options)));
    return informers.back();
  }
  void run() {
    while (executor->run_until_idle() + handlers->run_until_idle() > 0) {
    }
  }
  /// A function that tells when it was asked first, which is after the wait began to listen, and what it says.
  Syncable asked_and(std::function<bool()> says) {
    return {"the function", [this, says = std::move(says)] {
              if (++calls == 1) asked.count_down();
              return says();
            }};
  }
  void wait_for(Syncables what, SyncOptions options = {.ask_functions_every = Duration::zero()}) {
    // Unless told otherwise, what does not wake it does not end it.
    waiter = std::jthread([this, what = std::move(what), options](std::stop_token stop) {
      result = wait_for_cache_sync(std::move(stop), what, options);
      over.release();
    });
  }
  /// What the wait came to, by itself: one that nobody wakes finds at its stop what it had missed.
  SyncResult& ended() {
    EXPECT_TRUE(over.try_acquire_for(seconds(60))) << "the wait was not woken";
    waiter.request_stop();
    waiter.join();
    return result;
  }
  static std::vector<std::string> lines(const SyncResult& of) {
    std::vector<std::string> all;
    for (const auto& each : of.informers) all.push_back(each.name + (each.synced ? " synced" : " not synced"));
    return all;
  }
  void TearDown() override {
    for (const auto& informer : informers) informer->stop();
    run();
  }

  FixtureExecutor executor;
  FixtureExecutor handlers;
  std::shared_ptr<Script> script = std::make_shared<Script>();
  std::vector<std::shared_ptr<SharedIndexInformer>> informers;
  std::atomic<int> calls{0};
  std::latch asked{1};
  SyncResult result;
  std::binary_semaphore over{0};
  std::jthread waiter;
};

// TestWaitFor, none
TEST_F(SyncWaitTest, WithNothingToWaitForEverythingIsSynced) {
  EXPECT_TRUE(wait_for_cache_sync({}, {}));
  EXPECT_TRUE(wait_for_cache_sync({}, std::vector<std::shared_ptr<SharedIndexInformer>>{}));
}

TEST_F(SyncWaitTest, InformersHandlersAndFunctionsWakeTheWaitThatBeganBeforeTheStart) {
  script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
  const auto informer = make("maps", script);
  std::atomic<int> adds{0};
  ResourceEventHandlerFuncs<> functions;
  functions.on_add = [&](const meta::Object&) { ++adds; };
  const auto registration = informer->add_event_handler(std::move(functions), {.name = "adder"});
  wait_for({Informer<meta::Object>(informer), registration, asked_and([&] { return adds == 2; })});
  asked.wait();

  informer->start();
  executor->run_until_idle();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_FALSE(registration.has_synced());
  run();

  EXPECT_TRUE(ended());
  EXPECT_THAT(lines(result), ElementsAre("maps synced", "handler adder of maps synced", "the function synced"));
  EXPECT_FALSE(result.stopped_by);
}

TEST_F(SyncWaitTest, AnEmptyListSyncsAHandlerToo) {
  script->answer({}, "5");
  const auto informer = make("maps", script);
  const auto registration = informer->add_event_handler(ResourceEventHandlerFuncs<>{});
  wait_for({registration, asked_and([] { return true; })});
  asked.wait();

  informer->start();
  run();

  EXPECT_TRUE(ended());
}

TEST_F(SyncWaitTest, AFunctionIsNotAskedFromTimeToTimeWhenThatIsNotWanted) {
  SyncOptions options;
  options.timeout = milliseconds(350);
  options.ask_functions_every = Duration::zero();
  EXPECT_FALSE(wait_for_cache_sync({}, {asked_and([] { return false; })}, options));
  EXPECT_EQ(calls, 2);  // at the beginning and at the end
}

TEST_F(SyncWaitTest, AFunctionOfWhatTheLibraryCannotSeeIsAskedAgainFromTimeToTime) {
  SyncOptions options;
  options.ask_functions_every = milliseconds(1);
  EXPECT_TRUE(wait_for_cache_sync({}, {asked_and([&] { return calls >= 5; })}, options));
  EXPECT_EQ(calls, 5);
}

TEST_F(SyncWaitTest, AFunctionIsAskedAgainWhenAnInformerThatIsWaitedForFailsAndWhenItEnds) {
  script->answer(Error::api(500, "InternalError", "on purpose"));
  const auto informer = make("maps", script);
  std::latch failed(1);
  std::atomic<bool> told_failed{false};
  std::atomic<bool> told_stopped{false};
  wait_for({informer, asked_and([&] {
              const auto status = informer->status();
              if (status.reflector.last_error && !told_failed.exchange(true)) failed.count_down();
              if (informer->is_stopped()) told_stopped = true;
              return false;
            })});
  asked.wait();
  informer->start();
  run();
  failed.wait();
  informer->stop();
  run();
  EXPECT_FALSE(ended());
  EXPECT_TRUE(told_stopped);
}

TEST_F(SyncWaitTest, AControllersFunctionIsFoundSyncedWhateverItsListAndQueue) {
  for (const bool empty : {true, false}) {
    const auto source = std::make_shared<Script>();
    source->answer(empty ? std::vector<meta::Object>{} : std::vector{config_map("a", "1")}, "5");
    Config config;
    config.queue = delta::DeltaFifo();
    config.lister_watcher = source;
    config.process = [](delta::Deltas&, bool) { return Result<void>(); };
    config.reflector.version_check = Duration::zero();
    const auto controller = Controller::create(std::move(config), Strand(executor));
    std::latch begun(1);
    std::atomic<int> times{0};
    wait_for({[&] {
               const bool synced = controller->has_synced();
               if (++times == 1) begun.count_down();
               return synced;
             }},
             {.ask_functions_every = milliseconds(1)});
    begun.wait();

    controller->start();
    run();

    EXPECT_TRUE(ended()) << empty;
    EXPECT_THAT(lines(result), ElementsAre("a function synced"));
    controller->stop();
    run();
  }
}

// TestWaitFor, timeout
TEST_F(SyncWaitTest, ATimeoutSaysWhatIsMissing) {
  script->answer({}, "5");
  const auto synced = make("synced", script);
  const auto waiting = make("waiting", std::make_shared<Script>());
  const auto idle = make("idle", std::make_shared<Script>());
  synced->start();
  waiting->start();
  run();

  const auto late =
      wait_for_cache_sync({}, {waiting, synced, idle, {"odd", [] { return false; }}}, {.timeout = milliseconds(1)});

  EXPECT_FALSE(late);
  EXPECT_THAT(lines(late), ElementsAre("waiting not synced", "synced synced", "idle not synced", "odd not synced"));
  EXPECT_EQ(late.informers[0].state, "listing");
  EXPECT_EQ(late.informers[2].state, "not started");
  EXPECT_TRUE(late.stopped_by->is_timeout());
  EXPECT_EQ(late.as_error()->message(), "failed to sync all caches: idle, odd, waiting: no sync in time");
  EXPECT_TRUE(late.as_error()->is_timeout());
}

TEST_F(SyncWaitTest, ATimeoutBeyondAllTimeIsNone) {
  script->answer({}, "5");
  const auto informer = make("maps", script);
  wait_for({informer, asked_and([] { return true; })},
           {.timeout = Duration::max(), .ask_functions_every = Duration::zero()});
  asked.wait();

  informer->start();
  run();

  EXPECT_TRUE(ended());
}

// TestWaitFor, cancelled
TEST_F(SyncWaitTest, AStopEndsTheWait) {
  const auto informer = make("maps", script);
  wait_for({informer, asked_and([] { return true; })});
  asked.wait();

  waiter.request_stop();

  EXPECT_FALSE(ended());
  EXPECT_TRUE(result.stopped_by->is_canceled());
  EXPECT_THAT(lines(result), ElementsAre("maps not synced", "the function synced"));
}

// TestWaitFor, cancelled up front
TEST_F(SyncWaitTest, StoppedBeforeItBeganItStillCountsWhatHasSynced) {
  script->answer({}, "5");
  const auto synced = make("synced", script);
  synced->start();
  run();
  std::stop_source stop;
  stop.request_stop();

  EXPECT_TRUE(wait_for_cache_sync(stop.get_token(), {synced}));
  const auto both = wait_for_cache_sync(stop.get_token(), {synced, [] { return false; }});
  EXPECT_THAT(lines(both), ElementsAre("synced synced", "a function not synced"));
  EXPECT_TRUE(both.as_error()->is_canceled());
}

TEST_F(SyncWaitTest, WhatSyncsWhileItIsStoppedCounts) {
  std::stop_source stop;
  int times = 0;
  const auto says = [&] {
    stop.request_stop();
    return ++times == 2;
  };

  const auto answer = wait_for_cache_sync(stop.get_token(), {says});

  EXPECT_TRUE(answer);
  EXPECT_FALSE(answer.stopped_by);
}

TEST_F(SyncWaitTest, AnInformerThatIsStoppedEndsTheWaitStartedOrNot) {
  for (const bool started : {true, false}) {
    const auto informer = make("maps", std::make_shared<Script>());
    std::latch begun(1);
    wait_for({informer, [&, once = false]() mutable {
                if (!std::exchange(once, true)) begun.count_down();
                return true;
              }});
    begun.wait();
    if (started) informer->start();

    informer->stop();
    run();

    EXPECT_FALSE(ended()) << started;
    EXPECT_EQ(result.stopped_by->message(), "an informer was stopped");
  }
}

TEST_F(SyncWaitTest, AHandlerThatIsRemovedEndsTheWait) {
  const auto informer = make("maps", script);
  auto registration = informer->add_event_handler(ResourceEventHandlerFuncs<>{});
  wait_for({registration, asked_and([] { return true; })});
  asked.wait();

  registration.remove();

  EXPECT_FALSE(ended());
  EXPECT_EQ(result.stopped_by->message(), "a handler was removed");
}

TEST_F(SyncWaitTest, ARequestThatTheServerCannotReadEndsTheWaitThatFailsFast) {
  script->answer(Error::api(400, "BadRequest", "unable to parse requirement"));
  const auto informer = make("maps", script);
  wait_for({informer, asked_and([] { return true; })}, {.fail_fast = true});
  asked.wait();

  informer->start();
  run();

  EXPECT_FALSE(ended());
  EXPECT_TRUE(result.stopped_by->is_bad_request()) << *result.stopped_by;
}

TEST_F(SyncWaitTest, AHopelessErrorEndsTheWaitThatFailsFast) {
  script->answer(Error::api(403, "Forbidden", "no maps for you"));
  const auto informer = make("maps", script);
  const auto other = make("other", std::make_shared<Script>());
  wait_for({other, informer, asked_and([] { return true; })}, {.fail_fast = true});
  asked.wait();

  informer->start();
  run();

  EXPECT_FALSE(ended());
  EXPECT_TRUE(result.stopped_by->is_forbidden());
  EXPECT_TRUE(result.informers[1].last_error->is_forbidden());
  EXPECT_GE(result.informers[1].attempts, 1U);  // the next one may have begun
  EXPECT_THAT(result.as_error()->message(), HasSubstr("no maps for you), other"));
}

TEST_F(SyncWaitTest, WithoutFailingFastAHopelessErrorIsWaitedOut) {
  script->answer(Error::api(403, "Forbidden", "not yet"));
  script->answer({}, "5");
  const auto informer = make("maps", script);
  wait_for({informer, asked_and([] { return true; })});
  asked.wait();

  informer->start();
  run();
  while (!informer->has_synced()) executor->advance_to_next_timer();

  EXPECT_TRUE(ended());
  EXPECT_EQ(script->lists.size(), 2U);
}

TEST_F(SyncWaitTest, WhatAFunctionThrowsIsThrownAndNullIsMisuse) {
  const auto throwing = []() -> bool { throw std::runtime_error("on purpose"); };
  EXPECT_THROW(static_cast<void>(wait_for_cache_sync({}, {throwing})), std::runtime_error);
  EXPECT_THROW(Syncable(std::shared_ptr<SharedIndexInformer>()), std::logic_error);
  EXPECT_THROW(Syncable{Registration()}, std::logic_error);
  EXPECT_THROW(Syncable("none", std::function<bool()>()), std::logic_error);
}

// TestSyncResult
TEST(SyncResultTest, NamesWhatIsMissingInOrderWithTheCause) {
  SyncResult result;
  result.informers = {{"b", false, "", {}, 0}, {"c", true, "", {}, 0}, {"a", false, "", Error::config("broken"), 3}};
  EXPECT_EQ(result.as_error()->message(), "failed to sync all caches: a (broken), b");
  EXPECT_TRUE(result.as_error()->is_canceled());

  result.stopped_by = Error::timeout("too late");
  EXPECT_EQ(result.as_error()->message(), "failed to sync all caches: a (broken), b: too late");
  EXPECT_TRUE(result.as_error()->is_timeout());

  for (auto& each : result.informers) each.synced = true;
  EXPECT_FALSE(result.as_error());
  EXPECT_TRUE(result);
}

}  // namespace
}  // namespace kubexx::informer
