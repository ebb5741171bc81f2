#include <future>
#include <latch>
#include <stdexcept>
#include <thread>

#include "kubexx/informer/controller.hpp"
#include "unit/informer/shared_informer_fixture.hpp"

/// What happens at the edges: a stop before the start, functions that throw, keys of one's own, versions to wait for.
namespace kubexx::informer {
namespace {

constexpr auto kCeiling = seconds(30);

/// Runs `wait` on a thread of its own; an informer that forgets the waiter fails the test instead of hanging it.
template <class Wait>
auto on_a_thread(std::stop_source& rescue, Wait wait) {
  return std::async(std::launch::async, [wait, stop = rescue.get_token()] { return wait(stop); });
}

template <class Future>
auto result_of(Future& future, std::stop_source& rescue) {
  EXPECT_EQ(future.wait_for(kCeiling), std::future_status::ready);
  rescue.request_stop();
  return future.get();
}

TEST_P(SharedInformerTest, AStopBeforeTheStartWakesWhoeverWaits) {
  make();
  Lines lines;
  const auto registration = add(lines);
  int told = 0;
  const auto observer = informer->observe([&] { ++told; });
  std::stop_source rescue;
  auto synced = on_a_thread(rescue, [&](const std::stop_token& stop) { return registration.wait_until_synced(stop); });

  informer->stop();
  run();

  EXPECT_FALSE(result_of(synced, rescue));
  EXPECT_GE(told, 1);
  EXPECT_TRUE(informer->status().stopped);
}

// TestReflectorWatchStoppedBefore
TEST_P(SharedInformerTest, StartedWithATokenThatHasFiredItAsksTheServerNothing) {
  make();
  std::stop_source stop;
  stop.request_stop();
  informer->start(stop.get_token());
  run();

  EXPECT_THAT(script->lists, IsEmpty());
  EXPECT_THAT(script->watches, IsEmpty());
  EXPECT_TRUE(informer->status().stopped);
}

TEST_P(SharedInformerTest, ARemovedHandlerIsFreedThoughNothingChanges) {
  script->answer({config_map("a", "1")}, "5");
  start();
  auto handler = make_handler(ResourceEventHandlerFuncs<>{});
  const std::weak_ptr alive = handler;
  auto registration = informer->add_event_handler(std::move(handler));
  run();
  ASSERT_FALSE(alive.expired());

  registration.remove();
  run();

  EXPECT_TRUE(alive.expired());
}

TEST_P(SharedInformerTest, StoppedWithDrainEverythingThatTheCacheHasSeenIsToldFirst) {
  script->answer({config_map("a", "1")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  informer->start();
  executor->run_until_idle();
  send(kModified, config_map("a", "6"));
  executor->run_until_idle();
  informer->stop_with_drain();
  executor->run_until_idle();
  EXPECT_THAT(lines, IsEmpty());

  handlers->run_until_idle();

  EXPECT_THAT(lines, ElementsAre("initial a@1", "update a@1 a@6 watch"));
  EXPECT_EQ(registration.status().depth, 0U);
  EXPECT_TRUE(informer->status().handlers.empty());
}

TEST_P(SharedInformerTest, AnObserverThatThrowsDoesNotKeepOthersFromHearing) {
  script->answer({config_map("a", "1")}, "5");
  make();
  int told = 0;
  const auto bad = informer->observe([] { throw std::runtime_error("on purpose"); });
  const auto good = informer->observe([&] { ++told; });
  start();
  send(kAdded, config_map("b", "6"));
  run();

  EXPECT_GE(told, 1);
  EXPECT_EQ(informer->store()->size(), 2U);
}

TEST_P(SharedInformerTest, AnOwnerThatThrowsDoesNotStopTheWatch) {
  struct Throwing final : reflector::Owner {
    void on_change() override { throw std::runtime_error("on purpose"); }
  };
  options.reflector->owner = std::make_shared<Throwing>();
  script->answer({config_map("a", "1")}, "5");
  start();
  send(kAdded, config_map("b", "6"));
  run();

  EXPECT_EQ(informer->store()->size(), 2U);
}

TEST_P(SharedInformerTest, TheControllerIsThereBeforeTheStart) {
  script->answer({config_map("a", "1")}, "5");
  make();
  const auto controller = informer->controller();
  ASSERT_NE(controller, nullptr);
  EXPECT_FALSE(controller->has_synced());
  EXPECT_EQ(controller->last_sync_resource_version(), "");
  EXPECT_EQ(controller->status().state, reflector::ReflectorState::Idle);
  start();

  EXPECT_EQ(informer->controller(), controller);
  EXPECT_TRUE(controller->has_synced());
  EXPECT_EQ(controller->last_sync_resource_version(), "5");
}

TEST_P(SharedInformerTest, ASecondStartIsLoggedAndOneAfterTheStopDoesNothing) {
  script->answer({config_map("a", "1")}, "5");
  start();
  informer->start();
  run();
  EXPECT_EQ(script->lists.size(), 1U);
  informer->stop();
  run();
  informer->start();
  run();
  EXPECT_EQ(script->lists.size(), 1U);
  EXPECT_TRUE(informer->is_stopped());
}

TEST_P(SharedInformerTest, AWholeListWhoseKeysAreEmptyIsAnErrorAndNotAnEmptyCache) {
  options.key_func = [](const meta::Object&) { return Result<std::string>(""); };
  script->answer({config_map("a", "1")}, "5");
  start();

  EXPECT_FALSE(informer->has_synced());
  EXPECT_TRUE(informer->status().reflector.last_error);
}

TEST_P(SharedInformerTest, CoalescingAndFiltersGoByTheInformersKeys) {
  options.key_func = [](const meta::Object& o) {
    return Result<std::string>("by-value/" + std::string(o["data"]["v"].string()));
  };
  script->answer({}, "5");
  make();
  Lines all;
  Lines filtered;
  HandlerOptions how;
  how.coalesce = true;
  const auto coalescing = add(all, how);
  FilteringResourceEventHandler<> filter;
  filter.filter = [](const meta::Object& o) { return o.resource_version() != "8"; };
  filter.handler.on_delete = [&](const Deleted<meta::Object>& gone) { filtered.push_back(gone.key()); };
  const auto filtering = informer->add_event_handler(std::move(filter));
  informer->start();
  executor->run_until_idle();
  send(kAdded, config_map("a", "6", "x"));
  send(kAdded, config_map("a", "7", "y"));  // the same name, another key
  executor->run_until_idle();
  send(kModified, config_map("a", "8", "x"));
  run();

  EXPECT_THAT(all, UnorderedElementsAre("add a@8", "add a@7"));
  EXPECT_THAT(filtered, ElementsAre("by-value/x"));
}

TEST_P(SharedInformerTest, AFilterThatIsAbsentLetsEverythingPass) {
  script->answer({config_map("a", "1")}, "5");
  make();
  int adds = 0;
  FilteringResourceEventHandler<> everything;
  everything.handler.on_add = [&](const meta::Object&) { ++adds; };
  const auto registration = informer->add_event_handler(std::move(everything));
  start();

  EXPECT_EQ(adds, 1);
}

TEST_P(SharedInformerTest, KeysThatComeAndGoWhileAHandlerIsBusyAreMergedAway) {
  script->answer({}, "5");
  make();
  Lines lines;
  HandlerOptions how;
  how.coalesce = true;
  const auto registration = add(lines, how);
  informer->start();
  executor->run_until_idle();
  int version = 6;
  // One of the two waits at any moment, so neither end of what waits is ever free of it.
  send(kAdded, config_map("x", std::to_string(version++)));
  for (int i = 0; i < 100; ++i) {
    const std::string comes = i % 2 == 0 ? "y" : "x";
    const std::string goes = i % 2 == 0 ? "x" : "y";
    send(kAdded, config_map(comes, std::to_string(version++)));
    send(kDeleted, config_map(goes, std::to_string(version++)));
    executor->run_until_idle();
    EXPECT_EQ(registration.status().depth, 1U);
  }
  run();

  EXPECT_THAT(lines, ElementsAre("add x@205"));
}

TEST_P(SharedInformerTest, AVersionIsReachedWhenEverythingUpToItIsInTheCache) {
  script->answer({config_map("a", "10"), config_map("b", "5")}, "12");
  make();
  std::stop_source rescue;
  auto later =
      on_a_thread(rescue, [&](const std::stop_token& stop) { return informer->wait_until("30", {.stop = stop}); });
  start();
  EXPECT_TRUE(informer->wait_until("12", {.timeout = Duration::zero()}));
  EXPECT_EQ(informer->status().resource_version, "12");

  send(kModified, config_map("a", "20"));
  send(kModified, config_map("b", "21"));
  send(kModified, config_map("a", "22"));
  run();
  EXPECT_TRUE(informer->wait_until("22", {.timeout = Duration::zero()}));
  EXPECT_TRUE(informer->wait_until("22", {.timeout = Duration::max()}));
  EXPECT_FALSE(informer->wait_until("23", {.timeout = Duration::zero()}));

  script->stream().send(reflector::bookmark("30"));
  run();
  const auto reached = result_of(later, rescue);
  EXPECT_TRUE(reached) << (reached ? "" : reached.error().message());
}

TEST_P(SharedInformerTest, AnEmptyListHasAVersionToo) {
  script->answer({}, "5");
  start();

  EXPECT_TRUE(informer->wait_until("5", {.timeout = Duration::zero()}));
}

TEST_P(SharedInformerTest, AChangeJustBeforeTheNextVersionArrivesIsNoticed) {
  options.mutation_detector = true;
  Lines named;
  options.on_mutation = [&](const std::string& key) { named.push_back(key); };
  script->answer({config_map("a", "1", "value")}, "5");
  start();
  const auto object = informer->store()->find("ns/a");
  const auto bytes = object.raw_bytes();
  const_cast<char&>(bytes[bytes.find("value")]) = 'V';
  send(kModified, config_map("a", "6"));
  run();

  EXPECT_THAT(named, ElementsAre("ns/a"));
}

TEST(SharedInformerThreadsTest, TwoHandlersMayRemoveEachOtherAtTheSameTime) {
  const auto script = std::make_shared<Script>();
  script->answer({config_map("a", "1")}, "5");
  InformerOptions options;
  options.description = "configmaps";
  options.executor = std::make_shared<ThreadExecutor>();
  options.handlers = std::make_shared<ElasticExecutor>();
  const auto informer = SharedIndexInformer::create(script, options);
  Registration registrations[2];
  std::latch both(2);
  std::latch removed(2);
  for (int i = 0; i < 2; ++i) {
    ResourceEventHandlerFuncs<> f;
    f.on_add = [&, other = 1 - i](const meta::Object&) {
      both.arrive_and_wait();
      registrations[other].remove();
      removed.count_down();
    };
    registrations[i] = informer->add_event_handler(std::move(f));
  }
  informer->start();
  removed.wait();
  informer->stop();
  informer->join();

  EXPECT_FALSE(registrations[0]);
  EXPECT_FALSE(registrations[1]);
}

}  // namespace
}  // namespace kubexx::informer
