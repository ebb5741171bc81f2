// On one thread and a fake clock: nothing happens between two lines that is not asked for.
#include "kubexx/controller/cached_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/testkit/client.hpp"
#include "support/one_thread.hpp"

namespace kubexx::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using testkit::make_config_map;

const meta::GroupVersionResource kMaps{"", "v1", "configmaps"};

template <class T>
class Answer {
 public:
  explicit Answer(Async<T> operation) {
    std::move(operation).start([got = got_](T value) { got->emplace(std::move(value)); });
  }
  bool there() const { return got_->has_value(); }
  const T& operator*() const { return **got_; }
  const T* operator->() const { return &**got_; }

 private:
  std::shared_ptr<std::optional<T>> got_ = std::make_shared<std::optional<T>>();
};

class CachedClientTest : public ::testing::Test {
 protected:
  ~CachedClientTest() override {
    world.meanwhile([this] { factory.reset(); });
  }
  void make(CachedClientOptions options = {}, informer::FactoryOptions all = {}) {
    if (!factory) factory.emplace(*world.client, std::move(all));
    cached.emplace(*factory, std::move(options));
    maps.emplace(cached->resource(kMaps));
  }
  template <class T>
  Answer<T> begin(Async<T> operation) {
    Answer<T> answer(std::move(operation));
    world.executor->run_until_idle();
    return answer;
  }
  /// What is known after a moment in which no watch is late.
  template <class T>
  T now(Async<T> operation) {
    const auto answer = begin(std::move(operation));
    EXPECT_TRUE(answer.there());
    return answer.there() ? *answer : T(Error::config("nothing came"));
  }
  meta::Object create(const std::string& key, const std::string& value = "1") {
    return now(maps->create_async(make_config_map(key, value))).value();
  }
  Result<meta::Object> set(const meta::Object& object, const std::string& value) {
    auto draft = object.edit();
    draft["data"]["v"].set(value);
    return now(maps->update_async(draft.to_object()));
  }
  static std::string value_of(const Result<meta::Object>& object) {
    return object ? std::string((*object)["data"]["v"].string()) : object.error().message();
  }
  std::size_t requests(const std::string& verb) { return world.core->requests().count(verb, "configmaps"); }

  OneThread world;
  std::optional<informer::DynamicSharedInformerFactory> factory;
  std::optional<CachedClient> cached;
  std::optional<CachedResourceApi> maps;
};

TEST_F(CachedClientTest, AReadStartsTheInformerAndWaitsForItsFirstList) {
  ASSERT_TRUE(world.core->seed(make_config_map("default/a", "1")));
  make();
  EXPECT_TRUE(factory->informers().empty());
  EXPECT_EQ(value_of(now(maps->get_async({"default", "a"}))), "1");
  EXPECT_EQ(factory->informers().size(), 1U);
  EXPECT_EQ(now(maps->list_async()).value().size(), 1U);
  EXPECT_TRUE(now(maps->get_async({"default", "b"})).error().is_not_found());
  EXPECT_EQ(maps->get({"default", "a"}).value().name(), "a");  // nothing to wait for: it does not block
}

TEST_F(CachedClientTest, AReadWaitsForTheVersionThatAWriteMade) {
  make();
  const auto before = create("default/a", "1");
  ASSERT_TRUE(now(maps->get_async({"default", "a"})));
  const auto late = world.core->delay_watches(milliseconds(200));

  ASSERT_TRUE(set(before, "2"));
  const auto one = begin(maps->get_async({"default", "a"}));
  const auto all = begin(maps->list_async());
  const auto other = begin(maps->get_async({"default", "b"}));
  EXPECT_FALSE(one.there());
  EXPECT_FALSE(all.there());
  EXPECT_TRUE(other.there());

  world.executor->advance(milliseconds(200));
  ASSERT_TRUE(one.there() && all.there());
  EXPECT_EQ(value_of(*one), "2");
  EXPECT_EQ((**all)[0]["data"]["v"].string(), "2");
  EXPECT_EQ(maps->remembered(), 0U);
}

TEST_F(CachedClientTest, EveryKindOfWriteIsSeen) {
  make();
  ASSERT_TRUE(now(maps->list_async()));
  const auto late = world.core->delay_watches(milliseconds(50));
  const auto seen = [&](const char* name) {
    const auto answer = begin(maps->get_async({"default", name}));
    EXPECT_FALSE(answer.there());
    world.executor->advance(milliseconds(50));
    return answer.there() ? value_of(*answer) : std::string("nothing");
  };

  create("default/a", "1");
  EXPECT_EQ(seen("a"), "1");
  ASSERT_TRUE(now(maps->patch_async({"default", "a"}, client::PatchType::Merge, R"({"data":{"v":"2"}})")));
  EXPECT_EQ(seen("a"), "2");
  ASSERT_TRUE(now(maps->apply_async(make_config_map("default/b", "3"), {.field_manager = "test"})));
  EXPECT_EQ(seen("b"), "3");
  const auto past = now(maps->server("default").patch_async("a", client::PatchType::Merge, R"({"data":{"v":"4"}})"));
  maps->remember(past.value());
  EXPECT_EQ(seen("a"), "4");
}

TEST_F(CachedClientTest, ADryRunIsNotWaitedFor) {
  make();
  const auto before = create("default/a", "1");
  ASSERT_TRUE(now(maps->get_async({"default", "a"})));
  const auto stalled = world.core->stall_watches();
  const auto tried = now(maps->update_async(before, {.dry_run = true}));
  ASSERT_TRUE(tried) << tried.error();
  ASSERT_TRUE(now(maps->remove_async({"default", "a"}, {.dry_run = true})));
  EXPECT_EQ(value_of(now(maps->get_async({"default", "a"}))), "1");
}

TEST_F(CachedClientTest, AfterARemovalTheObjectIsNotSeenAgain) {
  make();
  create("default/a", "1");
  ASSERT_TRUE(now(maps->get_async({"default", "a"})));
  const auto late = world.core->delay_watches(milliseconds(200));

  ASSERT_TRUE(now(maps->remove_async({"default", "a"})));
  const auto one = begin(maps->get_async({"default", "a"}));
  const auto all = begin(maps->list_async({.namespace_ = "default"}));
  EXPECT_FALSE(one.there());
  world.executor->advance(milliseconds(200));
  ASSERT_TRUE(one.there() && all.there());
  EXPECT_TRUE(one->error().is_not_found());
  EXPECT_FALSE(std::any_of((*all)->begin(), (*all)->end(), [](const auto& each) { return each.name() == "a"; }));

  create("default/a", "new");
  const auto again = begin(maps->get_async({"default", "a"}));
  EXPECT_FALSE(again.there());
  world.executor->advance(milliseconds(200));
  ASSERT_TRUE(again.there());
  EXPECT_EQ(value_of(*again), "new");
}

TEST_F(CachedClientTest, WhatWasMadeAndRemovedBeforeTheCacheHeardOfItIsNotSeen) {
  make();
  ASSERT_TRUE(now(maps->list_async()));
  const auto late = world.core->delay_watches(milliseconds(200));
  create("default/a", "1");
  world.executor->advance(milliseconds(100));
  ASSERT_TRUE(now(maps->remove_async({"default", "a"})));

  const auto one = begin(maps->get_async({"default", "a"}));
  world.executor->advance(milliseconds(100));  // the cache has it now
  EXPECT_FALSE(one.there());
  world.executor->advance(milliseconds(100));
  ASSERT_TRUE(one.there());
  EXPECT_TRUE(one->error().is_not_found());
}

TEST_F(CachedClientTest, AnObjectThatAFinalizerKeepsIsSeenWithItsMark) {
  make();
  auto draft = make_config_map("default/a", "1").edit();
  draft["metadata"]["finalizers"].append(std::string_view("example.com/keep"));
  ASSERT_TRUE(now(maps->create_async(draft.to_object())));
  ASSERT_TRUE(now(maps->get_async({"default", "a"})));
  const auto late = world.core->delay_watches(milliseconds(200));

  ASSERT_TRUE(now(maps->remove_async({"default", "a"})));
  const auto one = begin(maps->get_async({"default", "a"}));
  EXPECT_FALSE(one.there());
  world.executor->advance(milliseconds(200));
  ASSERT_TRUE(one.there() && *one);
  EXPECT_NE((**one)["metadata"]["deletionTimestamp"].string(), "");
}

TEST_F(CachedClientTest, AWriteThatTakesTheLastFinalizerAwayIsARemoval) {
  make();
  auto draft = make_config_map("default/a", "1").edit();
  draft["metadata"]["finalizers"].append(std::string_view("example.com/keep"));
  ASSERT_TRUE(now(maps->create_async(draft.to_object())));
  ASSERT_TRUE(now(maps->remove_async({"default", "a"})));
  ASSERT_TRUE(now(maps->get_async({"default", "a"})));
  const auto late = world.core->delay_watches(milliseconds(200));

  ASSERT_TRUE(
      now(maps->patch_async({"default", "a"}, client::PatchType::Merge, R"({"metadata":{"finalizers":null}})")));
  const auto one = begin(maps->get_async({"default", "a"}));
  EXPECT_FALSE(one.there());
  world.executor->advance(milliseconds(200));
  ASSERT_TRUE(one.there());
  EXPECT_TRUE(one->error().is_not_found());
}

TEST_F(CachedClientTest, InSeveralNamespacesTheKeysOwnVersionIsWaitedFor) {
  informer::FactoryOptions two;
  two.defaults.scope.namespaces = {"default", "kube-public"};
  make({}, two);
  const auto before = create("kube-public/a", "1");
  ASSERT_TRUE(now(maps->get_async({"kube-public", "a"})));
  const auto late = world.core->delay_watches(milliseconds(200), {.namespace_ = "kube-public"});

  ASSERT_TRUE(set(before, "2"));
  create("default/b", "3");  // another watch is ahead
  const auto one = begin(maps->get_async({"kube-public", "a"}));
  const auto all = begin(maps->list_async());
  EXPECT_FALSE(one.there());
  EXPECT_FALSE(all.there());
  EXPECT_EQ(value_of(now(maps->get_async({"default", "b"}))), "3");
  EXPECT_EQ(now(maps->list_async({.namespace_ = "default"})).value().size(), 1U);

  world.executor->advance(milliseconds(200));
  ASSERT_TRUE(one.there() && all.there());
  EXPECT_EQ(value_of(*one), "2");

  ASSERT_TRUE(now(maps->remove_async({"kube-public", "a"})));
  const auto gone = begin(maps->get_async({"kube-public", "a"}));
  EXPECT_FALSE(gone.there());
  world.executor->advance(milliseconds(200));
  ASSERT_TRUE(gone.there());
  EXPECT_TRUE(gone->error().is_not_found());
}

TEST_F(CachedClientTest, InSeveralNamespacesAnObjectThatAnotherRemovedIsNotWaitedForToTheEnd) {
  informer::FactoryOptions two;
  two.defaults.scope.namespaces = {"default", "kube-public"};
  make({}, two);
  ASSERT_TRUE(now(maps->list_async()));
  {
    const auto stalled = world.core->stall_watches();
    create("default/a", "1");
    ASSERT_TRUE(world.core->remove(kMaps, {"default", "a"}));
  }
  world.executor->run_until_idle();  // both are through before anybody asks
  EXPECT_TRUE(now(maps->get_async({"default", "a"})).error().is_not_found());
}

TEST_F(CachedClientTest, WhatIsOutsideOfTheNamespacesOfTheScopeIsNotWaitedFor) {
  informer::FactoryOptions one;
  one.defaults.scope.namespaces = {"default"};
  make({}, one);
  ASSERT_TRUE(now(maps->list_async()));
  create("kube-public/a", "1");
  EXPECT_TRUE(now(maps->get_async({"kube-public", "a"})).error().is_not_found());
}

TEST_F(CachedClientTest, ACacheThatStaysBehindIsATimeoutThatNamesTheVersion) {
  make({.deadline = seconds(3)});
  const auto before = create("default/a", "1");
  ASSERT_TRUE(now(maps->get_async({"default", "a"})));
  const auto stalled = world.core->stall_watches();
  const auto after = set(before, "2");
  const auto one = begin(maps->get_async({"default", "a"}));
  const auto short_one = begin(maps->get_async({"default", "a"}, {.timeout = milliseconds(250)}));
  ASSERT_TRUE(now(maps->remove_async({"default", "a"})));
  const auto gone = begin(maps->get_async({"default", "a"}));

  world.executor->advance(milliseconds(250));
  ASSERT_TRUE(short_one.there());
  const auto text =
      "the cache of configmaps has not got version " + std::string(after->resource_version()) + " of default/a within ";
  EXPECT_EQ(short_one->error().message(), text + "250 ms");
  EXPECT_FALSE(one.there());
  world.executor->advance(seconds(3));
  ASSERT_TRUE(one.there() && gone.there());
  EXPECT_EQ(one->error().message(), text + "3 s");
  EXPECT_EQ(one->error().kind(), ErrorKind::Timeout);
  EXPECT_EQ(gone->error().message(), "the cache of configmaps has not got the removal of default/a within 3 s");
}

TEST_F(CachedClientTest, ACacheThatDoesNotSyncIsATimeoutThatSaysWhy) {
  make();
  const auto refused = world.core->add_fault({.resource = "configmaps", .status = 403, .message = "not for you"});
  const auto one = begin(maps->get_async({"default", "a"}));
  EXPECT_FALSE(one.there());
  world.executor->advance(seconds(10));
  ASSERT_TRUE(one.there());
  EXPECT_EQ(one->error().kind(), ErrorKind::Timeout);
  EXPECT_THAT(one->error().message(), HasSubstr("the cache of configmaps did not sync within 10 s ("));
  EXPECT_THAT(one->error().message(), HasSubstr("not for you"));
}

TEST_F(CachedClientTest, AStoppedReadIsCanceled) {
  make();
  const auto before = create("default/a", "1");
  ASSERT_TRUE(now(maps->get_async({"default", "a"})));
  const auto stalled = world.core->stall_watches();
  ASSERT_TRUE(set(before, "2"));
  std::stop_source stop;
  const auto one = begin(maps->get_async({"default", "a"}, {.stop = stop.get_token()}));
  EXPECT_FALSE(one.there());
  stop.request_stop();
  world.executor->run_until_idle();
  ASSERT_TRUE(one.there());
  EXPECT_TRUE(one->error().is_canceled());
}

TEST_F(CachedClientTest, AStoppedFactoryEndsWhoWaits) {
  make();
  ASSERT_TRUE(now(maps->list_async()));
  auto stalled = world.core->stall_watches();
  create("default/a", "1");
  const auto one = begin(maps->get_async({"default", "a"}));
  EXPECT_FALSE(one.there());
  factory->informers()[0]->stop();
  world.executor->run_until_idle();
  ASSERT_TRUE(one.there());
  EXPECT_EQ(one->error().message(), "the informer stopped");
  stalled.end();
  EXPECT_EQ(value_of(now(maps->get_async({"default", "a"}))), "1");  // a new informer
}

TEST_F(CachedClientTest, AClientThatStartsNoInformersReadsFromThoseThatAreThere) {
  make({.start_informers = false});
  EXPECT_EQ(now(maps->get_async({"default", "a"})).error().message(),
            "read configmaps: it has no informer, and this client starts none (start_informers)");
  EXPECT_TRUE(factory->informers().empty());

  const auto whole = factory->for_resource(kMaps).value();
  factory->start();
  EXPECT_TRUE(now(maps->get_async({"default", "a"})).error().is_not_found());

  make({.start_informers = false});
  const auto part = factory->for_resource(kMaps, {.namespaces = {"default"}}).value();
  EXPECT_THAT(now(maps->get_async({"default", "a"})).error().message(), HasSubstr("several informers"));
  cached->use(part);
  EXPECT_TRUE(now(maps->get_async({"default", "a"})).error().is_not_found());
}

TEST_F(CachedClientTest, WritesThatFailedAreNotRemembered) {
  make();
  const auto before = create("default/a", "1");
  ASSERT_TRUE(now(maps->get_async({"default", "a"})));
  ASSERT_TRUE(world.core->update(make_config_map("default/a", "of another")));
  EXPECT_TRUE(set(before, "2").error().is_conflict());
  EXPECT_TRUE(now(maps->create_async(make_config_map("default/a"))).error().is_already_exists());
  EXPECT_TRUE(now(maps->remove_async({"default", "b"})).error().is_not_found());
  EXPECT_EQ(maps->remembered(), 0U);
  EXPECT_EQ(value_of(now(maps->get_async({"default", "a"}))), "of another");
}

TEST_F(CachedClientTest, AWriteWhoseAnswerWasLostIsAnErrorAndNotWaitedFor) {
  make({});
  ASSERT_TRUE(now(maps->list_async()));
  const auto lost =
      world.core->add_fault({.verb = "create", .resource = "configmaps", .times = 1, .truncate_after = 5});
  const auto made = now(maps->create_async(make_config_map("default/a", "1")));
  ASSERT_FALSE(made);
  EXPECT_EQ(maps->remembered(), 0U);
  EXPECT_TRUE(begin(maps->get_async({"default", "a"})).there());
}

TEST_F(CachedClientTest, WithTooManyWritesBehindTheNextIsRefusedBeforeItIsSent) {
  make({.max_writes = 2});
  ASSERT_TRUE(now(maps->list_async()));
  auto stalled = world.core->stall_watches();
  create("default/a");
  create("default/b");
  const auto sent = requests("create");
  const auto third = now(maps->create_async(make_config_map("default/c")));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().message(), "the cache of configmaps is 2 writes behind: nothing was sent");
  EXPECT_TRUE(third.error().is_timeout());
  EXPECT_EQ(requests("create"), sent);

  stalled.end();
  world.executor->run_until_idle();
  create("default/c");
  EXPECT_EQ(now(maps->list_async({.namespace_ = "default"})).value().size(), 3U);
}

TEST_F(CachedClientTest, OfAResourceThatNobodyReadsTheLastWritesAreRemembered) {
  make({.max_writes = 2});
  for (const auto* name : {"default/a", "default/b", "default/c"}) create(name);
  EXPECT_EQ(maps->remembered(), 2U);
  EXPECT_EQ(now(maps->list_async({.namespace_ = "default"})).value().size(), 3U);
  EXPECT_EQ(maps->remembered(), 0U);
}

}  // namespace
}  // namespace kubexx::controller
