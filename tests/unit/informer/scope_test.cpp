#include <map>
#include <thread>

#include "unit/informer/shared_informer_fixture.hpp"

/// Informers of several namespaces, and those whose scope changes.
namespace kubexx::informer {
namespace {

using testing::HasSubstr;

meta::Object map_in(const std::string& namespace_, const std::string& name, const std::string& version,
                    const std::string& value = "") {
  return meta::object_from_json(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name +
                                R"(","namespace":")" + namespace_ + R"(","uid":"u-)" + namespace_ + name +
                                R"(","resourceVersion":")" + version + R"("},"data":{"v":")" + value + R"("}})");
}

class ScopeTest : public SharedInformerTest {
 protected:
  void make_in(std::vector<std::string> namespaces) {
    options.scope.namespaces = std::move(namespaces);
    informer = SharedIndexInformer::create(
        [this](const Scope& scope, const std::string& namespace_) {
          asked.push_back(namespace_ + (scope.label_selector ? " -l " + scope.label_selector->to_string() : ""));
          return next[namespace_] ? next[namespace_] : next[namespace_] = std::make_shared<Script>();
        },
        options);
  }
  Script& in(const std::string& namespace_) {
    auto& script_of = next[namespace_];
    if (!script_of) script_of = std::make_shared<Script>();
    return *script_of;
  }
  /// The next source of a namespace is another one.
  void forget(const std::string& namespace_) {
    past.push_back(std::move(next[namespace_]));
    next[namespace_] = std::make_shared<Script>();
  }
  void start_red_and_blue() {
    make_in({"red", "blue"});
    registration = add(lines);
    in("red").answer({map_in("red", "r", "3")}, "10");
    in("blue").answer({map_in("blue", "b", "4")}, "12");
    start();
    lines.clear();
  }
  void set(Scope scope) {
    const auto done = informer->set_scope(scope);
    ASSERT_TRUE(done) << done.error().message();
    run();
  }
  std::vector<std::string> keys() { return informer->store()->list_keys(); }

  std::map<std::string, std::shared_ptr<Script>> next;
  std::vector<std::shared_ptr<Script>> past;
  std::vector<std::string> asked;
  Lines lines;
  Registration registration;
};

TEST_P(ScopeTest, EachNamespaceHasAListAndAWatchAndTheInformerIsSyncedWithTheLastOfThem) {
  make_in({"red", "blue"});
  registration = add(lines);
  in("red").answer({map_in("red", "r1", "1")}, "10", "more");
  in("red").answer({map_in("red", "r2", "2")}, "10");
  start();
  EXPECT_THAT(lines, ElementsAre("initial r1@1", "initial r2@2"));
  EXPECT_FALSE(informer->has_synced());
  EXPECT_FALSE(registration.has_synced());

  in("red").stream().send({kAdded, map_in("red", "r3", "11")});
  run();
  in("blue").answer({map_in("blue", "b", "4")}, "12");
  informer->relist();  // the list of blue was never answered
  in("red").answer({map_in("red", "r1", "1"), map_in("red", "r2", "2"), map_in("red", "r3", "11")}, "11");
  run();

  EXPECT_TRUE(informer->has_synced());
  EXPECT_TRUE(informer->status().whole);
  EXPECT_TRUE(registration.has_synced());
  EXPECT_EQ(lines.at(2), "add r3@11");
  EXPECT_THAT(lines, testing::Contains("initial b@4"));
  EXPECT_EQ(in("red").watches.back().resource_version, "11");
  EXPECT_EQ(in("blue").watches.back().resource_version, "12");
  EXPECT_EQ(informer->last_sync_resource_version(), "12");
}

TEST_P(ScopeTest, ANamespaceThatFailsListsForItselfAndDelaysNoOther) {
  start_red_and_blue();
  in("red").answer({map_in("red", "new", "30")}, "30");
  in("red").stream().send(reflector::status_event(410, "Expired", "too old"));
  run();
  in("blue").stream().send({kModified, map_in("blue", "b", "31")});
  run();

  EXPECT_THAT(lines, UnorderedElementsAre("delete red/r r@3 unknown", "add new@30", "update b@4 b@31 watch"));
  EXPECT_EQ(in("blue").lists.size(), 1U);
  EXPECT_EQ(in("blue").watches.size(), 1U);
  EXPECT_EQ(informer->status().reflector.lists, 3U);
  EXPECT_EQ(informer->status().reflector.state, reflector::ReflectorState::Watching);
}

TEST_P(ScopeTest, TheStatusOfSeveralSaysWhatIsFurthestFromWatching) {
  options.reflector->backoff = Backoff();
  start_red_and_blue();
  in("blue").stream().send(reflector::status_event(500, "InternalError", "blue is sick"));
  run();

  const auto status = informer->status();
  EXPECT_EQ(status.reflector.state, reflector::ReflectorState::BackingOff);
  ASSERT_TRUE(status.reflector.last_error);
  EXPECT_THAT(status.reflector.last_error->message(), HasSubstr("blue is sick"));
  EXPECT_EQ(status.reflector.watches, 2U);
}

TEST_P(ScopeTest, AnAddedNamespaceListsOnlyItself) {
  start_red_and_blue();
  in("green").answer({map_in("green", "g", "5")}, "20");
  set({.namespaces = {"red", "blue", "green"}});

  EXPECT_THAT(lines, ElementsAre("add g@5"));
  EXPECT_THAT(keys(), UnorderedElementsAre("red/r", "blue/b", "green/g"));
  EXPECT_EQ(in("red").lists.size() + in("blue").lists.size(), 2U);
  EXPECT_EQ(in("red").streams.size() + in("blue").streams.size(), 2U);
  EXPECT_EQ(informer->status().scope, "in blue,green,red");
  EXPECT_THAT(informer->status().namespaces, ElementsAre("blue", "green", "red"));

  in("green").stream().send({kDeleted, map_in("green", "g", "21")});
  in("red").stream().send({kModified, map_in("red", "r", "22")});
  run();
  EXPECT_THAT(lines, ElementsAre("add g@5", "delete green/g g@21", "update r@3 r@22 watch"));
}

TEST_P(ScopeTest, TheScopeIsWholeWhenTheAddedNamespaceIsThereAndSyncedAllTheTime) {
  start_red_and_blue();
  set({.namespaces = {"red", "blue", "green"}});
  EXPECT_FALSE(informer->status().whole);
  EXPECT_TRUE(informer->has_synced());
  EXPECT_TRUE(registration.has_synced());
  in("red").stream().send({kModified, map_in("red", "r", "22")});
  run();
  EXPECT_FALSE(informer->status().whole);
  EXPECT_EQ(informer->wait_until_whole({.timeout = Duration::zero()}).error().kind(), ErrorKind::Timeout);

  in("green").answer({}, "23");
  in("red").answer({map_in("red", "r", "22")}, "23");
  in("blue").answer({map_in("blue", "b", "4")}, "23");
  informer->relist();
  run();
  EXPECT_TRUE(informer->status().whole);
  EXPECT_TRUE(informer->wait_until_whole());
}

TEST_P(ScopeTest, ARemovedNamespaceAnnouncesItsDeletesAndIsNotWatchedAnyMore) {
  start_red_and_blue();
  const auto& red_stream = in("red").stream();
  set({.namespaces = {"blue"}});

  EXPECT_THAT(lines, ElementsAre("delete red/r r@3 unknown"));
  EXPECT_FALSE(red_stream.alive);
  EXPECT_EQ(in("blue").lists.size(), 1U);
  EXPECT_TRUE(informer->status().whole);
  EXPECT_EQ(informer->status().reflector.lists, 2U) << "what the part that is gone did is counted still";
}

TEST_P(ScopeTest, WhatWasOnItsWayFromARemovedNamespaceIsGoneToo) {
  start_red_and_blue();
  in("red").stream().send_together({{kAdded, map_in("red", "late", "20")}, {kModified, map_in("red", "r", "21")}});
  ASSERT_TRUE(informer->set_scope({.namespaces = {"blue"}}));
  run();

  EXPECT_THAT(keys(), ElementsAre("blue/b"));
  EXPECT_THAT(lines, testing::Contains("delete red/late late@20 unknown"));
}

TEST_P(ScopeTest, NothingIsWholeAndNoVersionReachedBeforeWhatWasRemovedIsGone) {
  start_red_and_blue();
  std::vector<meta::WatchEvent> many;
  for (int i = 0; i < 40; ++i) {  // more than one turn takes
    many.push_back({kAdded, map_in("red", "n" + std::to_string(i), std::to_string(20 + i))});
    many.push_back({kModified, map_in("red", "r", std::to_string(60 + i))});
  }
  in("red").stream().send_together(many);
  ASSERT_TRUE(informer->set_scope({.namespaces = {"blue"}}));
  while (executor->run_one()) {
    const auto status = informer->status();
    if (status.whole) {
      EXPECT_EQ(keys(), std::vector<std::string>{"blue/b"});
    }
    EXPECT_THAT(status.resource_version, testing::AnyOf("", "12")) << "of blue";
  }
  EXPECT_TRUE(informer->status().whole);
  EXPECT_TRUE(informer->wait_until("12"));
}

TEST_P(ScopeTest, WhoWaitsForAVersionIsToldWhenThereIsNoneAnyMore) {
  make_in({"red"});
  in("red").answer({}, "10");
  start();
  Result<void> waited;
  std::thread waiting([&] { waited = informer->wait_until("50", {.timeout = seconds(30)}); });
  in("blue").answer({map_in("blue", "b", "200")}, "200");
  set({.namespaces = {"red", "blue"}});
  waiting.join();
  EXPECT_THAT(waited.error().message(), HasSubstr("several namespaces"));
}

TEST_P(ScopeTest, WhatANamespaceThatWasAddedHoldsIsNotGoneBeforeItIsListed) {
  start_red_and_blue();
  set({.namespaces = {"red", "blue", "green"}});
  EXPECT_EQ(informer->wait_until_gone("green/g", "u", {.timeout = Duration::zero()}).error().kind(),
            ErrorKind::Timeout);
}

TEST_P(ScopeTest, ANamespaceThatFailsKeepsNobodyFromBeingReminded) {
  options.resync_period = seconds(10);
  make_in({"forbidden", "red"});
  registration = add(lines);
  in("red").answer({map_in("red", "r", "3")}, "10");
  start();  // the other is never answered
  for (int i = 0; i < 11; ++i) {
    executor->advance(seconds(1));
    run();
  }
  EXPECT_THAT(lines, ElementsAre("initial r@3", "update r@3 r@3 resync"));
}

TEST_P(ScopeTest, ANamespaceThatComesBackIsListedAnewNotBelowWhatWasSeenOfIt) {
  start_red_and_blue();
  set({.namespaces = {"blue"}});
  set({.namespaces = {"blue", "other"}});
  forget("red");
  in("red").answer({map_in("red", "r", "3")}, "30");
  set({.namespaces = {"blue", "red"}});

  EXPECT_EQ(in("red").lists.at(0).resource_version, "10");
  EXPECT_THAT(lines, ElementsAre("delete red/r r@3 unknown", "add r@3"));
}

TEST_P(ScopeTest, OtherSelectorsListAnewNotBelowWhatWasThereAndKeepUnchangedObjects) {
  start_red_and_blue();
  in("red").stream().send({kAdded, map_in("red", "kept", "15")});
  run();
  lines.clear();
  const auto kept = informer->store()->find("red/kept");
  forget("red");
  forget("blue");
  in("red").answer({map_in("red", "kept", "15"), map_in("red", "other", "2")}, "16");
  in("blue").answer({}, "16");
  set({.namespaces = {"red", "blue"}, .label_selector = meta::LabelSelector::equals("a", "b")});

  EXPECT_THAT(asked, ElementsAre("blue", "red", "blue -l a=b", "red -l a=b"));
  EXPECT_EQ(in("red").lists.at(0).resource_version, "15");
  EXPECT_EQ(in("blue").lists.at(0).resource_version, "15") << "the highest that was seen";
  EXPECT_THAT(lines, testing::IsSupersetOf({"delete red/r r@3 unknown", "delete blue/b b@4 unknown", "add other@2"}));
  EXPECT_EQ(lines.size(), 3U);
  EXPECT_TRUE(informer->store()->find("red/kept").same_document(kept));
  EXPECT_EQ(informer->status().scope, "in blue,red -l a=b");
}

TEST_P(ScopeTest, FromEverythingToSomeNamespacesAndBack) {
  make_in({});
  registration = add(lines);
  in("").answer({map_in("red", "r", "3"), map_in("blue", "b", "4"), map_in("green", "g", "5")}, "10");
  start();
  lines.clear();
  set({.namespaces = {"red", "blue"}});
  EXPECT_THAT(lines, ElementsAre("delete green/g g@5 unknown"));
  EXPECT_THAT(keys(), UnorderedElementsAre("red/r", "blue/b"));
  EXPECT_EQ(in("red").lists.at(0).resource_version, "10");
  EXPECT_FALSE(informer->status().whole);

  forget("");
  in("").answer({map_in("red", "r", "3"), map_in("green", "g", "5")}, "20");
  set({});
  EXPECT_THAT(lines, UnorderedElementsAre("delete green/g g@5 unknown", "delete blue/b b@4 unknown", "add g@5"));
  EXPECT_EQ(in("").lists.at(0).resource_version, "10") << "nothing of red or blue was newer";
  EXPECT_TRUE(informer->status().whole);
}

TEST_P(ScopeTest, VersionsCanBeWaitedForWhenOneNamespaceIsLeft) {
  start_red_and_blue();
  EXPECT_THAT(informer->wait_until("5").error().message(), HasSubstr("several namespaces"));
  set({.namespaces = {"red"}});

  EXPECT_TRUE(informer->wait_until("10"));
  EXPECT_EQ(informer->wait_until("12", {.timeout = Duration::zero()}).error().kind(), ErrorKind::Timeout)
      << "that was blue's";
  in("red").stream().send({kModified, map_in("red", "r", "13")});
  run();
  EXPECT_TRUE(informer->wait_until("12"));
}

TEST_P(ScopeTest, ObjectsOfAnotherNamespaceAreNotTaken) {
  make_in({"red", "blue"});
  registration = add(lines);
  in("red").answer({map_in("red", "r", "3"), map_in("secret", "s", "3")}, "10");
  in("blue").answer({}, "12");
  start();
  in("blue").stream().send({kAdded, map_in("secret", "t", "13")});
  in("blue").stream().send({kDeleted, map_in("red", "r", "14")});
  run();

  EXPECT_THAT(lines, ElementsAre("initial r@3"));
  EXPECT_THAT(keys(), ElementsAre("red/r"));
}

TEST_P(ScopeTest, SeveralNamespacesResyncTogetherAndOnce) {
  options.resync_period = seconds(10);
  start_red_and_blue();
  const auto resync = [this] {
    lines.clear();
    for (int i = 0; i < 11; ++i) {
      executor->advance(seconds(1));
      run();
    }
  };
  resync();
  EXPECT_THAT(lines, UnorderedElementsAre("update r@3 r@3 resync", "update b@4 b@4 resync"));

  set({.namespaces = {"red"}});
  resync();
  EXPECT_THAT(lines, ElementsAre("update r@3 r@3 resync")) << "whoever is left reminds";
}

TEST_P(ScopeTest, AScopeThatChangesBeforeTheStartIsTheOneThatIsListed) {
  make_in({"red"});
  ASSERT_TRUE(informer->set_scope({.namespaces = {"blue"}}));
  in("blue").answer({map_in("blue", "b", "4")}, "12");
  registration = add(lines);
  start();

  EXPECT_THAT(lines, ElementsAre("initial b@4"));
  EXPECT_TRUE(in("red").lists.empty());
  EXPECT_TRUE(informer->status().whole);
}

TEST_P(ScopeTest, AScopeThatChangesDuringTheFirstListIsSyncedWithWhatItIsThen) {
  make_in({"red", "blue"});
  registration = add(lines);
  in("red").answer({map_in("red", "r", "3")}, "10");
  start();  // blue is not answered
  set({.namespaces = {"red"}});

  EXPECT_TRUE(informer->has_synced());
  EXPECT_TRUE(registration.has_synced());
  EXPECT_THAT(lines, ElementsAre("initial r@3"));
}

TEST_P(ScopeTest, ANamespaceThatFindsTheServerRestoredHasTheOthersListToo) {
  start_red_and_blue();
  in("red").answer({}, "5");
  in("blue").answer({map_in("blue", "b", "2")}, "6");
  in("red").stream().send(reflector::status_event(410, "Expired", "too old"));
  run();

  EXPECT_THAT(lines, UnorderedElementsAre("delete red/r r@3 unknown", "update b@4 b@2 relist"));
  EXPECT_EQ(in("blue").lists.size(), 2U);
  EXPECT_EQ(in("red").lists.size(), 2U) << "not once more for itself";
}

TEST_P(ScopeTest, ANamespaceThatComesBackFindsOutThatTheServerWasRestored) {
  start_red_and_blue();
  set({.namespaces = {"blue"}});
  forget("red");
  in("red").answer({map_in("red", "r", "3")}, "5");
  in("blue").answer({map_in("blue", "b", "2")}, "6");
  set({.namespaces = {"blue", "red"}});

  EXPECT_THAT(lines, UnorderedElementsAre("delete red/r r@3 unknown", "add r@3", "update b@4 b@2 relist"));
  EXPECT_EQ(in("blue").lists.size(), 2U);
}

TEST_P(ScopeTest, AResourceThatIsGoneWhenTheScopeChangesIsEmpty) {
  start_red_and_blue();
  forget("red");
  in("red").can_await = true;
  in("red").answer(Error::api(404, "NotFound", "the server could not find the requested resource"));
  set({.namespaces = {"red"}, .label_selector = meta::LabelSelector::equals("a", "b")});

  EXPECT_THAT(keys(), IsEmpty());
  EXPECT_EQ(informer->status().reflector.state, reflector::ReflectorState::Parked);
  EXPECT_TRUE(informer->status().whole);
}

TEST_P(ScopeTest, TheSameScopeInOtherWordsChangesNothing) {
  start_red_and_blue();
  set({.namespaces = {"blue", "red", "blue"}});

  EXPECT_TRUE(lines.empty());
  EXPECT_TRUE(informer->status().whole);
  EXPECT_THAT(asked, ElementsAre("blue", "red"));
}

TEST_P(ScopeTest, WhatCannotBeChangedIsAnErrorAndLeavesEverythingAsItIs) {
  start_red_and_blue();
  EXPECT_THAT(informer->set_scope({.metadata_only = true}).error().message(), HasSubstr("namespaces and selectors"));
  EXPECT_THAT(informer->set_scope({.projection = meta::Projection::metadata_only()}).error().message(),
              HasSubstr("namespaces and selectors"));
  EXPECT_EQ(informer->status().scope, "in blue,red");

  informer->stop();
  EXPECT_TRUE(informer->set_scope({.namespaces = {"red"}}).error().is_canceled());
  run();
}

TEST_P(ScopeTest, TheScopeOfAGivenSourceCannotBeChanged) {
  make();
  EXPECT_THAT(informer->set_scope({.namespaces = {"red"}}).error().message(), HasSubstr("given as it is"));
}

TEST_P(ScopeTest, ASourceThatCannotBeMadeIsAnError) {
  bool broken = false;
  informer = SharedIndexInformer::create(
      [&](const Scope&, const std::string&) -> std::shared_ptr<reflector::ListerWatcher> {
        if (broken) throw std::runtime_error("no more sources");
        return script;
      },
      options);
  script->answer({config_map("a", "1")}, "5");
  start();
  broken = true;

  EXPECT_THAT(informer->set_scope({.namespaces = {"red"}}).error().message(), HasSubstr("no more sources"));
  broken = false;
  script.reset();
  EXPECT_THAT(informer->set_scope({.namespaces = {"red"}}).error().message(), HasSubstr("is null"));
  EXPECT_THAT(keys(), ElementsAre("ns/a"));
}

INSTANTIATE_TEST_SUITE_P(BothQueues, ScopeTest, testing::Values(QueueKind::Ordered, QueueKind::PerKey),
                         [](const auto& kind) { return kind.param == QueueKind::Ordered ? "Ordered" : "PerKey"; });

}  // namespace
}  // namespace kubexx::informer
