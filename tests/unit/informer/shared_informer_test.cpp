#include "unit/informer/shared_informer_fixture.hpp"

#include <stdexcept>

namespace kubexx::informer {
namespace {

TEST_P(SharedInformerTest, HandlersHearOfTheListAndOfEveryChange) {
  script->answer({config_map("a", "1")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  start();
  send(kAdded, config_map("b", "6"));
  run();
  send(kModified, config_map("a", "7"));
  send(kDeleted, config_map("b", "8"));
  run();

  EXPECT_THAT(lines, ElementsAre("initial a@1", "add b@6", "update a@1 a@7 watch", "delete ns/b b@8"));
}

// The store decides between add and update, not the event's type.
TEST_P(SharedInformerTest, AnAddedEventOfAKnownObjectIsAnUpdate) {
  script->answer({config_map("a", "1")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  start();
  send(kAdded, config_map("a", "6"));
  send(kModified, config_map("b", "7"));
  run();

  EXPECT_THAT(lines, ElementsAre("initial a@1", "update a@1 a@6 watch", "add b@7"));
}

TEST_P(SharedInformerTest, ADeletionOfSomethingUnknownIsNotAnnounced) {
  script->answer({}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  start();
  send(kDeleted, config_map("stranger", "6"));
  run();

  EXPECT_THAT(lines, IsEmpty());
}

TEST_P(SharedInformerTest, ARelistAnnouncesWhatIsGoneWithItsLastState) {
  script->answer({config_map("kept", "1"), config_map("lost", "2")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  start();
  script->answer({config_map("kept", "1"), config_map("new", "9")}, "9");
  script->stream().send(reflector::status_event(410, "Expired", "too old"));
  run();

  EXPECT_THAT(Lines(lines.begin() + 2, lines.end()),
              UnorderedElementsAre("delete ns/lost lost@2 unknown", "add new@9"));
  EXPECT_THAT(informer->store()->list_keys(), UnorderedElementsAre("ns/kept", "ns/new"));
}

// A restored server uses a version twice.
TEST_P(SharedInformerTest, ARelistWithTheSameVersionAndOtherContentsIsAnUpdate) {
  script->answer({config_map("a", "3", "before")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  start();
  script->answer({config_map("a", "3", "after")}, "4");
  script->stream().send(reflector::status_event(410, "Expired", "too old"));
  run();

  EXPECT_THAT(lines, ElementsAre("initial a@3", "update a@3 a@3 relist"));
  EXPECT_EQ(informer->store()->find("ns/a")["data"]["v"].string(), "after");
}

TEST_P(SharedInformerTest, AnUnchangedRelistIsQuiet) {
  script->answer({config_map("a", "3")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  start();
  script->answer({config_map("a", "3")}, "9");
  informer->relist();
  run();

  EXPECT_THAT(lines, ElementsAre("initial a@3"));
}

// TestListenerResyncPeriods
TEST_P(SharedInformerTest, AResyncReachesExactlyTheHandlersThatAreDue) {
  script->answer({config_map("a", "1")}, "5");
  make();
  Lines never;
  Lines often;
  Lines rarely;
  const auto first = add(never, {.resync_period = Duration::zero()});
  const auto second = add(often, {.resync_period = seconds(2)});
  const auto third = add(rarely, {.resync_period = seconds(3)});
  start();
  const auto pass = [&](Duration by) {
    executor->advance(by);
    run();
  };
  pass(seconds(2));
  EXPECT_THAT(never, ElementsAre("initial a@1"));
  EXPECT_THAT(often, ElementsAre("initial a@1", "update a@1 a@1 resync"));
  EXPECT_THAT(rarely, ElementsAre("initial a@1"));
  pass(seconds(2));
  EXPECT_EQ(often.size(), 3U);
  EXPECT_EQ(rarely.size(), 2U);
  EXPECT_EQ(never.size(), 1U);
}

// TestResyncCheckPeriod: what a handler asks for is rounded up to how often is looked at all.
TEST_P(SharedInformerTest, ALateHandlerCannotBeRemindedMoreOftenThanTheInformerLooks) {
  options.resync_period = seconds(10);
  script->answer({config_map("a", "1")}, "5");
  start();
  Lines lines;
  const auto registration = add(lines, {.resync_period = seconds(1)});
  run();
  executor->advance(seconds(9));
  run();
  EXPECT_EQ(lines.size(), 1U);
  executor->advance(seconds(11));
  run();
  EXPECT_GE(lines.size(), 2U);
}

TEST_P(SharedInformerTest, ALateHandlerGetsEachObjectOnceHoweverItsArrivalFallsBetweenChanges) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
    executor.renew(seed);
    handlers.renew(seed + 100);
    script = std::make_shared<Script>();
    options.executor = executor;
    options.handlers = handlers;
    script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
    make();
    start();
    Lines lines;
    send(kAdded, config_map("c", "6"));
    executor->run_one();
    const auto registration = add(lines);
    send(kAdded, config_map("d", "7"));
    send(kDeleted, config_map("a", "8"));
    run();

    std::map<std::string, int> alive;
    for (const auto& line : lines) {
      const bool gone = line.starts_with("delete");
      const auto name = gone ? line.substr(10, 1) : line.substr(line.find(' ') + 1, 1);
      alive[name] += gone ? -1 : 1;
      EXPECT_TRUE(alive[name] == 0 || alive[name] == 1) << line << " with seed " << seed;
    }
    EXPECT_THAT(alive, testing::IsSupersetOf({testing::Pair("b", 1), testing::Pair("c", 1), testing::Pair("d", 1)}));
    EXPECT_EQ(alive["a"], 0);
    informer->stop();
    run();
  }
}

// TestAddWhileActive
TEST_P(SharedInformerTest, AHandlerIsSyncedWhenItsOwnInitialAddsHaveReturned) {
  script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  informer->start();
  executor->run_until_idle();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_FALSE(registration.has_synced());
  run();
  EXPECT_TRUE(registration.has_synced());

  Lines late_lines;
  const auto late = add(late_lines);
  executor->run_until_idle();
  EXPECT_FALSE(late.has_synced());
  run();
  EXPECT_TRUE(late.has_synced());
  EXPECT_THAT(late_lines, UnorderedElementsAre("initial a@1", "initial b@2"));
}

TEST_P(SharedInformerTest, AnInformerWithoutObjectsSyncsWithTheEmptyList) {
  script->answer({}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  EXPECT_FALSE(informer->has_synced());
  start();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_TRUE(registration.has_synced());
}

// TestSharedInformerMultipleRegistration, TestRemovingRemovedSharedInformer, TestRemoveWhileActive
TEST_P(SharedInformerTest, RegistrationsAreIndependentAndGoneWhenRemoved) {
  script->answer({}, "5");
  make();
  Lines kept_lines;
  Lines gone_lines;
  const auto kept = add(kept_lines);
  auto gone = add(gone_lines);
  start();
  send(kAdded, config_map("a", "6"));
  run();
  send(kAdded, config_map("b", "7"));
  executor->run_until_idle();  // "b" waits for both handlers
  gone.remove();
  gone.remove();
  send(kAdded, config_map("c", "8"));
  run();

  EXPECT_THAT(kept_lines, ElementsAre("add a@6", "add b@7", "add c@8"));
  EXPECT_THAT(gone_lines, ElementsAre("add a@6"));
  EXPECT_EQ(informer->status().handlers.size(), 1U);
}

TEST_P(SharedInformerTest, CoalescingKeepsTheNewestOfEachKeyAndForgetsWhatCameAndWent) {
  script->answer({config_map("a", "1")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines, {.coalesce = true});
  start();
  send(kModified, config_map("a", "6"));
  send(kModified, config_map("a", "7"));
  send(kAdded, config_map("b", "8"));
  send(kDeleted, config_map("b", "9"));
  executor->run_until_idle();
  EXPECT_EQ(registration.status().depth, 1U);
  run();

  EXPECT_THAT(lines, ElementsAre("initial a@1", "update a@1 a@7 watch"));
}

TEST_P(SharedInformerTest, AReminderLeavesTheCauseOfTheChangeItIsFoldedInto) {
  options.resync_period = seconds(5);
  script->answer({config_map("a", "1")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines, {.coalesce = true});
  start();
  send(kModified, config_map("a", "6"));
  executor->advance(seconds(5));
  run();

  EXPECT_THAT(lines, ElementsAre("initial a@1", "update a@1 a@6 watch"));
}

TEST_P(SharedInformerTest, AnObjectReplacedUnderItsNameIsADeleteAndAnAddOnRequest) {
  script->answer({config_map("a", "1")}, "5");
  make();
  Lines split;
  Lines plain;
  const auto first = add(split, {.split_replaced = true});
  const auto second = add(plain);
  start();
  send(kModified, meta::object_from_json(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a",)"
                                         R"("namespace":"ns","uid":"another","resourceVersion":"6"}})"));
  run();

  EXPECT_THAT(split, ElementsAre("initial a@1", "delete ns/a a@1 unknown", "add a@6"));
  EXPECT_THAT(plain, ElementsAre("initial a@1", "update a@1 a@6 watch"));
}

// TestSharedInformerTransformer
TEST_P(SharedInformerTest, HandlersAndStoreSeeOnlyWhatTheTransformLeft) {
  options.transform = [](meta::Object object) -> Result<meta::Object> {
    return config_map("t-" + std::string(object.name()), std::string(object.resource_version()));
  };
  script->answer({config_map("a", "1")}, "5");
  make();
  Lines lines;
  const auto registration = add(lines);
  start();
  send(kModified, config_map("a", "6"));
  send(kDeleted, config_map("a", "7"));
  run();

  EXPECT_THAT(lines, ElementsAre("initial t-a@1", "update t-a@1 t-a@6 watch", "delete ns/t-a t-a@7"));
  EXPECT_EQ(informer->store()->size(), 0U);
}

// TestIndexer
TEST_P(SharedInformerTest, IndexesCanBeAddedBeforeAndAfterTheStart) {
  make();
  const auto by_value = [](const meta::Object& object) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{std::string(object["data"]["v"].string())};
  };
  ASSERT_TRUE(informer->add_indexers({{"early", by_value}}));
  script->answer({config_map("a", "1", "x")}, "5");
  start();
  ASSERT_TRUE(informer->add_indexers({{"late", by_value}}));
  send(kAdded, config_map("b", "6", "x"));
  run();

  EXPECT_THAT(informer->indexer()->index_keys("early", "x").value(), ElementsAre("ns/a", "ns/b"));
  EXPECT_THAT(informer->indexer()->index_keys("late", "x").value(), ElementsAre("ns/a", "ns/b"));
  EXPECT_FALSE(informer->add_indexers({{"late", by_value}}));
}

// TestStateSharedInformer, TestAddOnStoppedSharedInformer, TestRemoveOnStoppedSharedInformer
TEST_P(SharedInformerTest, AStoppedInformerCallsNobodyAndRefusesHandlers) {
  script->answer({config_map("a", "1")}, "5");
  make();
  EXPECT_FALSE(informer->has_started());
  Lines lines;
  auto registration = add(lines);
  informer->start();
  executor->run_until_idle();  // "a" waits for its handler
  EXPECT_TRUE(informer->has_started());
  EXPECT_FALSE(informer->is_stopped());

  informer->stop();
  executor->run_until_idle();
  handlers->run_until_idle();

  EXPECT_THAT(lines, IsEmpty());
  EXPECT_TRUE(informer->is_stopped());
  EXPECT_TRUE(informer->status().stopped);
  EXPECT_FALSE(informer->add_indexers({{"late", store::meta_namespace_index}}));
  const auto late = add(lines);
  EXPECT_FALSE(late);
  ASSERT_TRUE(late.error());
  EXPECT_TRUE(late.error()->is_canceled());
  EXPECT_THROW(informer->set_transform({}), std::logic_error);
  registration.remove();
}

TEST_P(SharedInformerTest, StoppedAtAnyMomentItEndsAndCallsNobodyAfterwards) {
  for (int moment = 0; moment < 40; ++moment) {
    script = std::make_shared<Script>();
    script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
    make();
    Lines lines;
    const auto registration = add(lines);
    informer->start();
    bool sent = false;
    for (int i = 0; i < moment; ++i) {
      if (i % 3 == 2) {
        handlers->run_one();
      } else if (!executor->run_one() && !sent && !script->streams.empty()) {
        send(kModified, config_map("a", "6"));
        sent = true;
      }
    }
    informer->stop();
    executor->run_until_idle();
    const auto told = lines.size();
    handlers->run_until_idle();
    run();

    EXPECT_TRUE(informer->status().stopped) << moment;
    EXPECT_LE(lines.size(), told + 1) << moment;  // a call under way may finish
    EXPECT_EQ(executor->pending_timers(), 0U) << moment;
  }
}

TEST_P(SharedInformerTest, AHandlerThatThrowsLosesItsCallAndNothingElse) {
  script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
  make();
  int calls = 0;
  ResourceEventHandlerFuncs<> bad;
  bad.on_add = [&](const meta::Object&) {
    if (++calls == 1) throw std::runtime_error("on purpose");
  };
  const auto registration = informer->add_event_handler(std::move(bad));
  Lines lines;
  const auto other = add(lines);
  start();

  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(registration.has_synced());
  EXPECT_EQ(registration.status().errors, 1U);
  EXPECT_EQ(lines.size(), 2U);
}

// TestMutationDetector
TEST_P(SharedInformerTest, AChangedCachedObjectIsNamed) {
  options.mutation_detector = true;
  Lines named;
  options.on_mutation = [&](const std::string& key) { named.push_back(key); };
  script->answer({config_map("a", "1", "value"), config_map("b", "2")}, "5");
  start();
  const auto object = informer->store()->find("ns/a");
  const auto bytes = object.raw_bytes();
  const auto at = bytes.find("value");
  ASSERT_NE(at, std::string_view::npos);
  const_cast<char&>(bytes[at]) = 'V';
  executor->advance(seconds(2));

  EXPECT_THAT(named, ElementsAre("ns/a"));
  const_cast<char&>(bytes[at]) = 'v';
}

// TestSharedInformerErrorHandling
TEST_P(SharedInformerTest, TheWatchErrorHandlerGetsTheErrorOfAList) {
  make();
  Lines errors;
  informer->set_watch_error_handler(
      [&](const reflector::WatchError& failed) { errors.push_back(failed.error.message()); });
  script->answer(Error::api(500, "InternalError", "on purpose"));
  start();

  EXPECT_THAT(errors, ElementsAre(testing::HasSubstr("on purpose")));
}

TEST_P(SharedInformerTest, TheStoresVersionFollowsListEventsAndBookmarks) {
  options.queue = QueueKind::Ordered;
  script->answer({config_map("a", "1")}, "5");
  start();
  EXPECT_EQ(informer->store()->last_store_sync_resource_version(), "5");
  send(kModified, config_map("a", "6"));
  run();
  EXPECT_EQ(informer->store()->last_store_sync_resource_version(), "6");
  send(kDeleted, config_map("a", "7"));
  run();
  EXPECT_EQ(informer->store()->last_store_sync_resource_version(), "7");
  script->stream().send(reflector::bookmark("9"));
  run();
  EXPECT_EQ(informer->store()->last_store_sync_resource_version(), "9");
  EXPECT_EQ(informer->last_sync_resource_version(), "9");
}

TEST_P(SharedInformerTest, MetricsGoWithTheInformer) {
  options.metrics = std::make_shared<MetricsRegistry>();
  const auto empty = options.metrics->expose();
  script->answer({config_map("a", "1")}, "5");
  make();
  Lines lines;
  auto registration = add(lines);
  start();
  const auto text = options.metrics->expose();
  EXPECT_THAT(text, testing::HasSubstr("kubexx_store_objects{informer=\"configmaps\"} 1"));
  EXPECT_THAT(text, testing::HasSubstr("kubexx_informer_events_total"));

  registration.remove();
  informer->stop();
  run();
  informer.reset();
  run();
  EXPECT_EQ(options.metrics->expose(), empty);
}

TEST_P(SharedInformerTest, AHandlerRemovedInItsOwnCallHearsNothingMoreAndTheOthersEverything) {
  script->answer({config_map("a", "1"), config_map("b", "2"), config_map("c", "3")}, "5");
  make();
  Lines lines;
  const auto other = add(lines);
  int calls = 0;
  Registration own;
  ResourceEventHandlerFuncs<> f;
  f.on_add = [&](const meta::Object&) {
    ++calls;
    own.remove();
  };
  own = informer->add_event_handler(std::move(f));
  start();

  EXPECT_EQ(calls, 1);
  EXPECT_EQ(lines.size(), 3U);
}

TEST_P(SharedInformerTest, WhatAHandlerHasBeforeItIsCountedCallByCall) {
  script->answer({config_map("a", "1"), config_map("b", "2"), config_map("c", "3")}, "5");
  make();
  Registration registration;
  Lines seen;
  ResourceEventHandlerFuncs<> f;
  f.on_add = [&](const meta::Object&) {
    const auto status = registration.status();
    seen.push_back(std::to_string(status.calls) + " made, " + std::to_string(status.depth) + " waiting since " +
                   std::to_string(std::chrono::duration_cast<seconds>(status.oldest).count()) +
                   (status.running ? ", running" : "") + (status.synced ? ", synced" : ""));
    handlers->fake_clock().advance(seconds(2));
  };
  registration = informer->add_event_handler(std::move(f));
  start();

  EXPECT_THAT(seen, ElementsAre("0 made, 2 waiting since 0, running", "1 made, 1 waiting since 2, running",
                                "2 made, 0 waiting since 0, running"));
  EXPECT_TRUE(registration.status().synced);
  EXPECT_EQ(registration.status().busy, seconds(6));
  EXPECT_EQ(registration.status().slowest_call, seconds(2));
  EXPECT_FALSE(registration.status().running);
}

INSTANTIATE_TEST_SUITE_P(BothQueues, SharedInformerTest, testing::Values(QueueKind::Ordered, QueueKind::PerKey),
                         [](const auto& each) { return each.param == QueueKind::Ordered ? "Ordered" : "PerKey"; });

}  // namespace
}  // namespace kubexx::informer
