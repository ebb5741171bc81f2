#include "kubexx/store/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "unit/store/writes.hpp"

namespace kubexx::store {
namespace {

using meta::Object;
using test::make_pod;
using test::pod;
using test::previous_versions;
using test::put;
using test::removal;
using test::removal_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// TestCache
TEST(StoreTest, AddGetUpdateRemoveListAndReplaceByTheObjectsOwnKey) {
  Store store;
  ASSERT_TRUE(store.add(pod("foo", 1)));
  EXPECT_EQ(store.find(pod("foo", 99)).resource_version(), "1");
  ASSERT_TRUE(store.update(pod("foo", 2)));
  EXPECT_EQ(store.find("default/foo").resource_version(), "2");
  ASSERT_TRUE(store.add(make_pod({.namespace_ = "", .name = "cluster-wide"})));
  EXPECT_TRUE(store.find("cluster-wide"));
  ASSERT_TRUE(store.remove(pod("foo", 3)));
  EXPECT_FALSE(store.find(pod("foo")));
  EXPECT_EQ(store.last_store_sync_resource_version(), "3");
  EXPECT_EQ(store.list().size(), 1U);

  ASSERT_TRUE(store.replace({pod("a"), pod("b")}, "7"));
  EXPECT_THAT(store.list_keys(), UnorderedElementsAre("default/a", "default/b"));
  EXPECT_EQ(store.last_store_sync_resource_version(), "7");
  ASSERT_TRUE(store.remove(meta::DeletedFinalStateUnknown{"default/a", {}}));
  EXPECT_THAT(store.list_keys(), ElementsAre("default/b"));
  EXPECT_EQ(store.last_store_sync_resource_version(), "7");
}

// The last known state is an old one.
TEST(StoreTest, ATombstoneLeavesTheVersionAsItIs) {
  Store store;
  ASSERT_TRUE(store.replace({pod("a", 3), pod("b", 4)}, "7"));

  ASSERT_TRUE(store.remove(meta::DeletedFinalStateUnknown{"default/a", pod("a", 3)}));

  EXPECT_THAT(store.list_keys(), ElementsAre("default/b"));
  EXPECT_EQ(store.last_store_sync_resource_version(), "7");
  EXPECT_FALSE(store.remove(meta::DeletedFinalStateUnknown{}));
}

// TestIndex
TEST(StoreTest, AnIndexerAnswersByIndexToo) {
  Indexer store({{"app", label_index("app")}});
  ASSERT_TRUE(store.add(make_pod({.name = "a", .labels = {{"app", "x"}}})));
  ASSERT_TRUE(store.add(make_pod({.name = "b", .labels = {{"app", "y"}}})));
  ASSERT_TRUE(store.add(make_pod({.name = "c", .labels = {{"app", "x"}}})));

  EXPECT_THAT(*store.index_keys("app", "x"), ElementsAre("default/a", "default/c"));
  EXPECT_EQ(store.index("app", make_pod({.name = "any", .labels = {{"app", "y"}}}))->size(), 1U);
  ASSERT_TRUE(store.update(make_pod({.name = "a", .labels = {{"app", "y"}}})));
  EXPECT_THAT(*store.index_keys("app", "x"), ElementsAre("default/c"));
  EXPECT_THAT(store.list_index_values("app"), UnorderedElementsAre("x", "y"));
}

TEST(StoreTest, AnyFunctionMayNameObjects) {
  Store store([](const Object& object) -> Result<std::string> {
    if (object.name() == "nameless") return Error::config("no name for it");
    if (object.name() == "throws") throw std::runtime_error("boom");
    return std::string(object.uid());
  });
  ASSERT_TRUE(store.add(pod("a", 1)));
  ASSERT_TRUE(store.add(pod("a", 2)));
  EXPECT_THAT(store.list_keys(), ElementsAre("uid-a"));
  EXPECT_FALSE(store.add(pod("throws")));
  EXPECT_FALSE(store.replace({pod("b"), pod("nameless")}, "9"));
  EXPECT_THAT(store.list_keys(), ElementsAre("uid-a"));
  ASSERT_TRUE(store.replace({pod("b"), pod("c")}, "9"));
  EXPECT_THAT(store.list_keys(), UnorderedElementsAre("uid-b", "uid-c"));
}

// TestKeyError
TEST(StoreTest, AnObjectWithoutAKeyIsAnErrorThatSaysWhyAndChangesNothing) {
  Store store;
  ASSERT_TRUE(store.add(pod("kept")));
  const auto refused = store.add(test::bare_object("x"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("metadata.name"));
  EXPECT_FALSE(store.update({}));
  EXPECT_FALSE(store.remove(test::bare_object("x")));
  EXPECT_FALSE(store.remove(meta::DeletedFinalStateUnknown{}));
  EXPECT_FALSE(store.find(test::bare_object("x")));
  const auto replaced = store.replace({pod("a"), test::bare_object("x")}, "2");
  ASSERT_FALSE(replaced);
  EXPECT_THAT(replaced.error().with_context("relist").message(), testing::StartsWith("relist: replace: "));
  EXPECT_THAT(store.list_keys(), ElementsAre("default/kept"));

  Store failing([](const Object&) -> Result<std::string> { return Error::timeout("inner"); });
  EXPECT_TRUE(failing.add(pod("a")).error().is_timeout());  // the cause is still asked for
}

// TestCacheTransactionShouldIndexErrors: here what has no key fails the whole.
TEST(StoreTest, WritesOfWhichOneHasNoKeyFailAsAWholeAndSayWhy) {
  Store store;
  std::vector<Write> good = {put(pod("a")), put(pod("b"))};
  EXPECT_TRUE(store.apply(good));
  std::vector<Write> all_bad = {put(test::bare_object("x")), put(Object())};
  EXPECT_FALSE(store.apply(all_bad));
  std::vector<Write> mixed = {put(pod("c", 9)), removal("default/a"), put(test::bare_object("x"))};
  const auto refused = store.apply(mixed);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("metadata.name"));
  EXPECT_FALSE(mixed[1].previous);
  std::vector<Write> keyed_null = {put("default/n", Object())};
  EXPECT_FALSE(store.apply(keyed_null));
  std::vector<Write> blind_removal = {removal_of(Object())};
  EXPECT_FALSE(store.apply(blind_removal));

  EXPECT_THAT(store.list_keys(), UnorderedElementsAre("default/a", "default/b"));
  EXPECT_EQ(store.last_store_sync_resource_version(), "1");
  EXPECT_TRUE(store.apply({}));
}

TEST(StoreTest, WritesAreNamedByTheStoreUnlessTheyBringTheirKey) {
  Store store([](const Object& object) -> Result<std::string> { return std::string(object.uid()); });
  std::vector<Write> writes = {put(pod("a")), put("given", pod("b")), put(pod("c"))};
  ASSERT_TRUE(store.apply(writes));
  EXPECT_THAT(store.list_keys(), UnorderedElementsAre("uid-a", "given", "uid-c"));
  EXPECT_EQ(writes[0].key.text(), "uid-a");  // and says so

  std::vector<Write> removals = {removal_of(pod("a")), removal("given")};
  ASSERT_TRUE(store.apply(removals));
  EXPECT_THAT(store.list_keys(), ElementsAre("uid-c"));
}

TEST(StoreTest, AReplaceOfWritesTellsWhatWasThereAndWhatIsGone) {
  Store store;
  const Object same = pod("same", 1);
  for (const Object& each : {same, pod("newer", 2), pod("gone", 3)}) ASSERT_TRUE(store.add(each));
  std::vector<Write> writes = {put(pod("same", 1)), put(pod("newer", 4)), put(pod("fresh", 5))};
  const auto gone = store.replace(writes, "9");
  ASSERT_TRUE(gone);
  ASSERT_EQ(gone->size(), 1U);
  EXPECT_EQ(gone->front().key.text(), "default/gone");
  EXPECT_EQ(gone->front().object.resource_version(), "3");
  EXPECT_THAT(previous_versions(writes), ElementsAre("1", "2", "-"));
  EXPECT_TRUE(writes[0].object.same_document(same));
  EXPECT_TRUE(store.find("default/same").same_document(same));
  EXPECT_EQ(store.last_store_sync_resource_version(), "9");

  std::vector<Write> bad = {put(pod("a")), put(test::bare_object("x"))};
  EXPECT_FALSE(store.replace(bad, "10"));
  std::vector<Write> with_removal = {put(pod("a")), removal("default/same")};
  EXPECT_FALSE(store.replace(with_removal, "10"));
  EXPECT_EQ(store.size(), 3U);
  EXPECT_EQ(store.last_store_sync_resource_version(), "9");
}

TEST(StoreTest, PrefersTheHandleItHasForTheSameUidAndVersion) {
  Store store;
  const Object held = pod("a", 1);
  ASSERT_TRUE(store.add(held));
  EXPECT_TRUE(store.prefer_known(pod("a", 1)).same_document(held));
  EXPECT_EQ(store.prefer_known(pod("a", 2)).resource_version(), "2");
  EXPECT_EQ(store.prefer_known(make_pod({.name = "a", .uid = "reborn"})).uid(), "reborn");
  const Object keyless = test::bare_object("x");
  EXPECT_TRUE(store.prefer_known(keyless).same_document(keyless));
}

TEST(StoreTest, KnowsAnObjectByItsNameUidAndVersionTogether) {
  Store store;
  const Object held = pod("a", 1);
  ASSERT_TRUE(store.add(held));

  EXPECT_TRUE(store.find_known({"default", "a", "uid-a", "1"}).same_document(held));
  EXPECT_FALSE(store.find_known({"default", "a", "reborn", "1"}));
  EXPECT_FALSE(store.find_known({"default", "a", "uid-a", "2"}));
  EXPECT_FALSE(store.find_known({"other", "a", "uid-a", "1"}));
  EXPECT_FALSE(store.find_known({"", "a", "uid-a", "1"}));

  Store by_uid([](const Object& object) -> Result<std::string> { return std::string(object.uid()); });
  ASSERT_TRUE(by_uid.add(held));
  EXPECT_FALSE(by_uid.find_known({"default", "a", "uid-a", "1"}));
}

// A restored server gives a version out twice.
TEST(StoreTest, TheSameVersionWithOtherContentsIsAnotherObject) {
  Store store;
  ASSERT_TRUE(store.add(make_pod({.name = "a", .labels = {{"from", "before"}}})));
  const Object after = make_pod({.name = "a", .labels = {{"from", "after"}}});

  EXPECT_TRUE(store.prefer_known(after).same_document(after));
  ASSERT_TRUE(store.replace({after}, "9"));
  EXPECT_TRUE(store.find("default/a").same_document(after));
}

}  // namespace
}  // namespace kubexx::store
