#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "kubexx/informer/shared_informer.hpp"
#include "support/fixture_executor.hpp"
#include "unit/reflector/script.hpp"

/// Waiting for the cache of a SharedIndexInformer, which a scripted source fills on the fake clock.
namespace kubexx::informer {
namespace {

using reflector::config_map;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const WaitOptions kNow{.timeout = milliseconds(1)};

class WaitingTest : public testing::Test {
 protected:
  WaitingTest() {
    options.description = "configmaps";
    options.executor = executor;
    options.handlers = executor;
    options.reflector.emplace();
    options.reflector->version_check = Duration::zero();
    options.reflector->backoff = Backoff::none();
    script->answer({config_map("a", "90")}, "100");
  }
  ~WaitingTest() override {
    if (informer) informer->stop();
    executor->run_until_idle();
  }
  void start() {
    informer = SharedIndexInformer::create(script, options);
    informer->start();
    executor->run_until_idle();
  }
  void send(meta::WatchEventType type, meta::Object object) {
    script->stream().send({type, std::move(object)});
    executor->run_until_idle();
  }
  /// On another thread, so that this one can run the informer.
  template <class F>
  auto meanwhile(F wait) {
    return std::async(std::launch::async, std::move(wait));
  }

  FixtureExecutor executor;
  std::shared_ptr<reflector::Script> script = std::make_shared<reflector::Script>();
  InformerOptions options;
  std::shared_ptr<SharedIndexInformer> informer;
};

TEST_F(WaitingTest, AVersionTheCacheHasOrHasPassedIsThereAtOnceAndALaterOneWithItsEventOrBookmark) {
  start();
  EXPECT_TRUE(informer->wait_until("100", kNow));
  EXPECT_TRUE(informer->wait_until("99", kNow));
  EXPECT_TRUE(informer->wait_until("101", kNow).error().is_timeout());
  send(meta::WatchEventType::Modified, config_map("a", "101"));
  EXPECT_TRUE(informer->wait_until("101", kNow));

  auto waiting = meanwhile([&] { return informer->wait_until("110", {.timeout = seconds(10)}); });
  script->stream().send(reflector::bookmark("120"));
  executor->run_until_idle();
  EXPECT_TRUE(waiting.get());
}

TEST_F(WaitingTest, CollectedPerKeyALaterVersionIsNotThereBeforeAnEarlierOneOfAnotherKey) {
  options.queue = QueueKind::PerKey;
  std::string when_b_came;
  options.indexers = {{"look", [&](const meta::Object& object) -> Result<std::vector<std::string>> {
                         if (object.name() == "b") when_b_came = informer->status().resource_version;
                         return std::vector<std::string>{};
                       }}};
  start();
  script->stream().send_together({{meta::WatchEventType::Modified, config_map("a", "106")},
                                  {meta::WatchEventType::Added, config_map("b", "107")},
                                  {meta::WatchEventType::Modified, config_map("a", "108")}});  // with 106, before 107
  executor->run_until_idle();

  EXPECT_EQ(when_b_came, "100");
  EXPECT_TRUE(informer->wait_until("108", kNow));
}

TEST_F(WaitingTest, AnObjectIsReadFromACacheThatIsNewEnough) {
  start();
  send(meta::WatchEventType::Modified, config_map("a", "101", "new"));

  const auto object = informer->get("ns/a", "101", kNow);
  ASSERT_TRUE(object);
  EXPECT_EQ((*object)["data"]["v"].string(), "new");
  EXPECT_TRUE(informer->get("ns/missing", "101", kNow).error().is_not_found());
  EXPECT_TRUE(informer->get("ns/a", "102", kNow).error().is_timeout());
}

TEST_F(WaitingTest, EndsWithTheCallersStopAndWithTheInformers) {
  start();
  std::stop_source stop;
  auto stopped = meanwhile([&] { return informer->wait_until("999", {.stop = stop.get_token()}); });
  auto ended = meanwhile([&] { return informer->wait_until_gone("ns/a", "u-a"); });
  stop.request_stop();
  EXPECT_TRUE(stopped.get().error().is_canceled());
  informer->stop();
  EXPECT_TRUE(ended.get().error().is_canceled());
}

TEST_F(WaitingTest, AVersionThatCannotBeComparedIsAnError) {
  start();
  for (const char* version : {"", "abc", "-1"}) EXPECT_FALSE(informer->wait_until(version, kNow)) << version;
}

TEST_F(WaitingTest, WhoWaitsForAVersionIsToldWhenTheServersVersionsGoBack) {
  start();
  auto waiting = meanwhile([&] { return informer->wait_until("200", {.timeout = seconds(10)}); });
  // Until it is noticed: the other thread may not wait yet.
  for (int turn = 0; waiting.wait_for(milliseconds(0)) != std::future_status::ready; ++turn) {
    script->answer({config_map("a", "40")}, turn % 2 == 0 ? "50" : "100");
    informer->relist();
    executor->run_until_idle();
    std::this_thread::yield();
  }
  const auto result = waiting.get();
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is_expired());
}

TEST_F(WaitingTest, AnObjectIsGoneWhenItIsDeletedOrAnotherHasItsName) {
  start();
  EXPECT_TRUE(informer->wait_until_gone("ns/never-there", "u", kNow));
  EXPECT_TRUE(informer->wait_until_gone("ns/a", "u-of-an-earlier-one", kNow));
  EXPECT_TRUE(informer->wait_until_gone("ns/a", "u-a", kNow).error().is_timeout());
  send(meta::WatchEventType::Modified, config_map("a", "101"));
  EXPECT_FALSE(informer->wait_until_gone("ns/a", "u-a", kNow));

  auto waiting = meanwhile([&] { return informer->wait_until_gone("ns/a", "u-a", {.timeout = seconds(10)}); });
  send(meta::WatchEventType::Deleted, config_map("a", "102"));
  EXPECT_TRUE(waiting.get());
}

TEST_F(WaitingTest, BeforeTheFirstListNothingIsGone) {
  informer = SharedIndexInformer::create(script, options);
  EXPECT_TRUE(informer->wait_until_gone("ns/x", "u", kNow).error().is_timeout());
  informer->start();
  executor->run_until_idle();
  EXPECT_TRUE(informer->wait_until_gone("ns/x", "u", kNow));
}

TEST_F(WaitingTest, AnOperationCompletesWhenTheCacheHasReachedEveryWrite) {
  start();
  std::optional<Result<void>> both;
  std::optional<Result<void>> late;
  const std::vector<Written> writes{{{"default", "a"}, "101", {}}, {{"default", "b"}, "103", {}}};
  EXPECT_FALSE(informer->has_reached(writes[0]));
  informer->wait_until_reached_async(writes).start([&](Result<void> result) { both = result; });
  informer->wait_until_reached_async({writes[1]}, {.timeout = seconds(5)}).start([&](Result<void> r) { late = r; });
  send(meta::WatchEventType::Modified, config_map("a", "101"));
  EXPECT_TRUE(informer->has_reached(writes[0]));
  EXPECT_FALSE(both);

  executor->advance(seconds(5));
  ASSERT_TRUE(late && !*late);
  EXPECT_EQ(late->error().message(), "the cache of configmaps did not get there in time");
  EXPECT_FALSE(both);
  script->stream().send(reflector::bookmark("104"));
  executor->run_until_idle();
  EXPECT_TRUE(both && *both);
}

TEST_F(WaitingTest, AnOperationEndsWithTheInformerAndAVersionThatCannotBeComparedIsAnError) {
  start();
  std::optional<Result<void>> ended;
  informer->wait_until_reached_async({{{"default", "a"}, "500", {}}}).start([&](Result<void> r) { ended = r; });
  executor->run_until_idle();
  EXPECT_FALSE(ended);
  informer->stop();
  executor->run_until_idle();
  ASSERT_TRUE(ended && !*ended);
  EXPECT_TRUE(ended->error().is_canceled());
  informer->wait_until_reached_async({{{"default", "a"}, "x", {}}}).start([&](Result<void> r) { ended = r; });
  executor->run_until_idle();
  EXPECT_EQ(ended->error().kind(), ErrorKind::Config);
}

TEST_F(WaitingTest, AnInformerIsStaleWhenItHeardNothingForLong) {
  options.stale_after = minutes(3);
  start();
  EXPECT_FALSE(informer->status().stale);
  EXPECT_EQ(informer->status().lag, Duration::zero());
  executor->advance(minutes(3));
  EXPECT_FALSE(informer->status().stale);
  EXPECT_EQ(informer->status().lag, minutes(3));
  executor->advance(seconds(1));
  EXPECT_TRUE(informer->status().stale);

  script->stream().send(reflector::bookmark("120"));
  executor->run_until_idle();
  EXPECT_FALSE(informer->status().stale);
  EXPECT_EQ(informer->status().lag, Duration::zero());
}

TEST_F(WaitingTest, AnInformerThatIsPolledIsStaleWhenAPollIsLate) {
  options.stale_after = minutes(3);
  options.reflector->poll_interval = minutes(5);
  script->watchable = false;
  start();
  ASSERT_EQ(informer->status().reflector.state, reflector::ReflectorState::Polling);
  executor->fake_clock().advance(minutes(8));
  EXPECT_FALSE(informer->status().stale);
  executor->fake_clock().advance(seconds(1));
  EXPECT_TRUE(informer->status().stale);
}

TEST_F(WaitingTest, AnInformerWithoutALimitIsNeverStaleOnceItHeardSomething) {
  options.stale_after = Duration::zero();
  start();
  executor->advance(minutes(600));
  EXPECT_FALSE(informer->status().stale);
}

}  // namespace
}  // namespace kubexx::informer
