/// A program that comes back goes on where it was, by the file of its cache.
#include "contract/cache_file_fixture.hpp"

namespace kubexx::informer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::UnorderedElementsAre;

TEST_P(CacheFileContractTest, ARestartListsNothing) {
  for (int i = 0; i < 50; ++i) seed("default/a-" + std::to_string(i), std::to_string(i));
  run_once();

  Program again(server_, options());
  ASSERT_TRUE(again.synced());

  EXPECT_EQ(lists(), 0U);
  EXPECT_EQ(server_.requests().count("list", "configmaps"), 1U);
  EXPECT_EQ(server_.requests().count("watch", "configmaps"), 1U);
  EXPECT_TRUE(again.seen.await_count(50));
  EXPECT_EQ(again.value("default/a-17"), "17");
  EXPECT_FALSE(again.status().restored);
  EXPECT_FALSE(again.status().stale);
  EXPECT_TRUE(logged("restored the cache from its file"));
  seed("default/new");
  EXPECT_TRUE(again.seen.await({"add default/new"}));
}

TEST_P(CacheFileContractTest, WhatHappenedMeanwhileIsHeardOfBehindTheInitialAdds) {
  for (const char* key : {"default/kept", "default/changed", "default/gone"}) seed(key, "1");
  run_once();
  seed("default/changed", "2");
  remove("default/gone");
  seed("default/new");

  Program again(server_, options());
  ASSERT_TRUE(again.synced());

  ASSERT_TRUE(again.seen.await({"update default/changed", "delete default/gone", "add default/new"}));
  const auto lines = again.seen.lines();
  EXPECT_THAT(std::vector<std::string>(lines.begin(), lines.begin() + 3),
              UnorderedElementsAre("add default/kept", "add default/changed", "add default/gone"));
  EXPECT_EQ(lines.size(), 6U);
  EXPECT_EQ(again.value("default/changed"), "2");
  EXPECT_EQ(lists(), 0U);
}

TEST_P(CacheFileContractTest, AServerThatIsAwayIsNoReasonToHaveNothing) {
  seed("default/a", "1");
  run_once();
  auto outage = server_.refuse_connections();

  Program again(server_, options());
  ASSERT_TRUE(again.seen.await({"add default/a"}));
  ASSERT_TRUE(eventually([&] { return again.status().restored; }));
  EXPECT_TRUE(again.status().stale);
  EXPECT_FALSE(again.status().synced);
  EXPECT_FALSE(again.status().whole);
  EXPECT_EQ(again.value("default/a"), "1");

  outage.end();
  ASSERT_TRUE(again.synced());
  EXPECT_FALSE(again.status().restored);
  EXPECT_FALSE(again.status().stale);
  EXPECT_EQ(lists(), 0U);
}

TEST_P(CacheFileContractTest, AVersionThatTheServerForgotIsListedAndUnchangedObjectsStay) {
  for (const char* key : {"default/kept", "default/changed", "default/gone"}) seed(key, "1");
  run_once();
  seed("default/changed", "2");
  remove("default/gone");
  server_.compact_history();

  Program again(server_, options());
  ASSERT_TRUE(again.synced());

  ASSERT_TRUE(again.seen.await({"update default/changed", "delete default/gone (final state unknown)"}));
  EXPECT_EQ(again.seen.lines().size(), 5U);
  EXPECT_THAT(again.keys(), UnorderedElementsAre("default/kept", "default/changed"));
  EXPECT_EQ(lists(), 1U);
}

TEST_P(CacheFileContractTest, AServerThatWasRestoredMeanwhileIsListed) {
  seed("default/old", "1");
  const auto earlier = server_.core().checkpoint();
  seed("default/old", "2");
  seed("default/never");
  seed("default/never-either");
  run_once();
  server_.core().restore(earlier);

  Program again(server_, options());

  ASSERT_TRUE(again.synced());
  ASSERT_TRUE(eventually([&] { return again.value("default/old") == "1"; }));
  EXPECT_THAT(again.keys(), UnorderedElementsAre("default/old"));
  EXPECT_GE(lists(), 1U);
}

TEST_P(CacheFileContractTest, EachNamespaceOfSeveralGoesOnForItself) {
  auto how = options();
  how.defaults.scope.namespaces = {"default", "kube-public"};
  seed("default/a");
  seed("kube-public/b");
  seed("kube-system/hidden");
  run_once(how);
  seed("default/c");

  Program again(server_, how);
  ASSERT_TRUE(again.synced());

  EXPECT_TRUE(again.seen.await({"add default/a", "add kube-public/b", "add default/c"}));
  EXPECT_THAT(again.keys(), UnorderedElementsAre("default/a", "kube-public/b", "default/c"));
  EXPECT_EQ(lists(), 0U);
}

TEST_P(CacheFileContractTest, AProgramThatDiesHasWhatWasWrittenWhileItRan) {
  auto how = options();
  how.defaults.cache_interval = milliseconds(5);
  seed("default/a", "1");
  Program running(server_, how);
  ASSERT_TRUE(running.synced());
  ASSERT_TRUE(eventually([&] { return !files().empty(); }));
  seed("default/b");
  // What a program that dies now leaves is a copy of the directory at this moment.
  const auto left = own_.path() / "left";
  how.cache_directory = left;
  const auto has_both = [&] {
    std::filesystem::remove_all(left);
    std::filesystem::create_directory(left);
    std::filesystem::permissions(left, std::filesystem::perms::owner_all);
    std::error_code gone;  // a file that is being written may go at any time
    for (const auto& each : files()) std::filesystem::copy_file(each, left / each.filename(), gone);
    server_.requests().clear();
    Program again(server_, how);
    return again.synced() && again.keys().size() == 2 && lists() == 0;
  };
  EXPECT_TRUE(eventually(has_both));
}

TEST_P(CacheFileContractTest, TwoProgramsMayShareADirectory) {
  seed("default/a");
  auto how = options();
  how.defaults.cache_interval = milliseconds(1);
  {
    Program one(server_, how);
    Program other(server_, how);
    ASSERT_TRUE(one.synced());
    ASSERT_TRUE(other.synced());
    for (int i = 0; i < 20; ++i) seed("default/b-" + std::to_string(i));
    ASSERT_TRUE(one.seen.await_count(21));
    ASSERT_TRUE(other.seen.await_count(21));
    one.end();
    other.end();
  }
  EXPECT_FALSE(logged("cache file could not be written"));
  server_.requests().clear();
  file();

  Program again(server_, how);
  ASSERT_TRUE(again.synced());
  EXPECT_TRUE(again.seen.await_count(21));
  EXPECT_EQ(lists(), 0U);
}

TEST_P(CacheFileContractTest, AStopWhileItIsWrittenLeavesAWholeFile) {
  for (int i = 0; i < 300; ++i) seed("default/a-" + std::to_string(i), std::string(2000, 'x'));
  auto how = options();
  how.defaults.cache_interval = milliseconds(1);
  for (int i = 0; i < 10; ++i) {
    Program program(server_, how);
    ASSERT_TRUE(program.synced());
    seed("default/b", std::to_string(i));
    ASSERT_TRUE(eventually([&] { return program.value("default/b") == std::to_string(i); }));
    program.end();
    file();  // and no other
  }
  server_.requests().clear();
  Program again(server_, how);
  ASSERT_TRUE(again.synced());
  EXPECT_EQ(again.value("default/b"), "9");
  EXPECT_EQ(lists(), 0U);
}

TEST_P(CacheFileContractTest, AStopBeforeTheFileIsReadIsAStop) {
  seed("default/a");
  run_once();
  for (int i = 0; i < 20; ++i) {
    Program program(server_, options());
    program.end();
  }
  Program again(server_, options());
  EXPECT_TRUE(again.synced());
}

TEST_P(CacheFileContractTest, AScopeThatWasChangedHasAFileOfItsOwn) {
  seed("default/a");
  seed("kube-public/b");
  auto how = options();
  how.defaults.scope.namespaces = {"default"};
  {
    Program program(server_, how);
    ASSERT_TRUE(program.synced());
    ASSERT_TRUE(program.informer().set_scope({.namespaces = {"kube-public"}}));
    ASSERT_TRUE(program.informer().wait_until_whole({.timeout = seconds(30)}));
    program.end();
  }
  server_.requests().clear();
  how.defaults.scope.namespaces = {"kube-public"};
  Program again(server_, how);
  ASSERT_TRUE(again.synced());
  EXPECT_THAT(again.keys(), UnorderedElementsAre("kube-public/b"));
  EXPECT_EQ(lists(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Queues, CacheFileContractTest, ::testing::Values(QueueKind::Ordered, QueueKind::PerKey),
                         [](const auto& queue) { return queue.param == QueueKind::Ordered ? "ordered" : "per_key"; });

}  // namespace
}  // namespace kubexx::informer
