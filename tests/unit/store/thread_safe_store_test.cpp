#include "kubexx/store/thread_safe_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

#include "kubexx/base/error_sink.hpp"
#include "unit/store/writes.hpp"

namespace kubexx::store {
namespace {

using meta::Object;
using test::make_pod;
using test::names;
using test::pod;
using test::previous_versions;
using test::put;
using test::removal;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// The characters of the label "values".
Result<std::vector<std::string>> letters(const Object& object) {
  const std::string_view text = object.labels()["values"].string();
  std::vector<std::string> values;
  for (const char letter : text) values.emplace_back(1, letter);
  return values;
}
std::vector<Write> apply(ThreadSafeStore& store, std::vector<Write> writes) {
  store.apply(writes);
  return writes;
}
Object lettered(const std::string& name, const std::string& values) {
  return make_pod({.name = name, .labels = {{"values", values}}});
}

TEST(ThreadSafeStoreTest, HoldsWhatWasWrittenLastUnderEachKey) {
  ThreadSafeStore store;
  store.add("any key", pod("a", 1));
  store.update("other", pod("b", 1));
  store.add("any key", pod("a", 2));

  EXPECT_EQ(store.size(), 2U);
  EXPECT_EQ(store.find("any key").resource_version(), "2");
  EXPECT_FALSE(store.find("default/a"));
  EXPECT_THAT(store.list_keys(), UnorderedElementsAre("any key", "other"));
  store.remove("any key");
  store.remove("never there");
  EXPECT_FALSE(store.find("any key"));
  EXPECT_THAT(names(store.list()), ElementsAre("b"));
}

TEST(ThreadSafeStoreTest, ManyAreFoundInTheOrderOfTheirKeysWithGapsWhereNothingIs) {
  ThreadSafeStore store;
  EXPECT_THAT(store.find_many(std::vector<std::string>{}), IsEmpty());
  EXPECT_FALSE(store.find_many(std::vector<std::string>{"nothing yet"}).at(0));
  std::vector<std::string> keys;
  for (int i = 0; i < 100; ++i) {
    const std::string name = std::to_string(i);
    if (i % 3 != 0) store.add(i % 3 == 1 ? "default/" + name : "other " + name, pod(name, i));
    keys.push_back(i % 3 == 1 ? "default/" + name : "other " + name);
  }
  keys.push_back(keys[1]);  // once more

  const auto found = store.find_many(keys);

  ASSERT_EQ(found.size(), keys.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i], store.find(keys[i])) << keys[i];
    EXPECT_EQ(static_cast<bool>(found[i]), i == 100 || i % 3 != 0) << keys[i];
  }
}

TEST(ThreadSafeStoreTest, DefaultAndOtherKeysLiveTogether) {
  ThreadSafeStore store;
  store.add("default/a", pod("a"));  // the default key
  store.add("default/b", pod("b"));
  store.add("odd", pod("a"));
  EXPECT_THAT(store.list_keys(), UnorderedElementsAre("default/a", "default/b", "odd"));

  store.update("default/a", pod("stranger"));  // another object under the key of a
  EXPECT_EQ(store.find("default/a").name(), "stranger");
  EXPECT_FALSE(store.find("default/stranger"));
  store.remove("default/b");
  EXPECT_THAT(store.list_keys(), UnorderedElementsAre("default/a", "odd"));
  EXPECT_EQ(store.find("odd").name(), "a");
  store.update("default/a", pod("a"));
  EXPECT_EQ(store.find("default/a").name(), "a");
  store.remove("odd");
  store.remove("default/a");
  EXPECT_EQ(store.size(), 0U);
}

TEST(ThreadSafeStoreTest, NullObjectsAndEmptyKeysAreMisuse) {
  ThreadSafeStore store;
  EXPECT_THROW(store.add("a", {}), std::logic_error);
  EXPECT_THROW(store.add("", pod("a")), std::logic_error);
  for (const Write& wrong : {put("a", {}), put("", pod("a")), removal("")}) {
    std::vector<Write> writes = {put("fine", pod("a")), wrong};
    EXPECT_THROW(store.apply(writes), std::logic_error);
    EXPECT_THROW(store.replace(writes, "1"), std::logic_error);
  }
  std::vector<Write> removals = {removal("a")};
  EXPECT_THROW(store.replace(removals, "1"), std::logic_error);
  EXPECT_EQ(store.size(), 0U);
}

// TestThreadSafeStoreRV
TEST(ThreadSafeStoreTest, TheResourceVersionIsThatOfTheLastWrittenObjectAndIsNotCompared) {
  ThreadSafeStore store;
  const auto version = [&] { return store.last_store_sync_resource_version(); };
  EXPECT_EQ(version(), "");
  store.add("a", pod("a", 5));
  EXPECT_EQ(version(), "5");
  store.update("a", pod("a", 5));
  EXPECT_EQ(version(), "5");
  store.update("a", pod("a", 9));
  EXPECT_EQ(version(), "9");
  store.update("a", pod("a", 7));
  EXPECT_EQ(version(), "7");
  store.remove("a", pod("a", 11));
  EXPECT_EQ(version(), "11");
  store.add("x", test::bare_object("no metadata"));
  EXPECT_EQ(version(), "11");
  store.remove("x", {});
  EXPECT_EQ(version(), "11");
  store.remove("x");
  EXPECT_EQ(version(), "11");
  apply(store, {put("b", pod("b", 20)), put("c", pod("c", 18))});
  EXPECT_EQ(version(), "18");
  apply(store, {put("b", pod("b", 21)), removal("c", pod("c", 22))});
  EXPECT_EQ(version(), "22");
  apply(store, {put("b", pod("b", 23)), removal("c")});  // the last write says nothing
  EXPECT_EQ(version(), "22");
  apply(store, {});
  EXPECT_EQ(version(), "22");
  store.bookmark("30");
  EXPECT_EQ(version(), "30");
  std::vector<Write> all = {put("a", pod("a", 40))};
  store.replace(all, "35");
  EXPECT_EQ(version(), "35");
  store.replace({}, "");
  EXPECT_EQ(version(), "");
}

// TestThreadSafeStoreDeleteRemovesEmptySetsFromIndex
TEST(ThreadSafeStoreIndexTest, AValueWithoutObjectsIsGone) {
  ThreadSafeStore store({{"name", [](const Object& object) -> Result<std::vector<std::string>> {
                            return std::vector<std::string>{std::string(object.name())};
                          }}});
  store.add("key", pod("a"));
  EXPECT_THAT(store.list_index_values("name"), ElementsAre("a"));
  store.remove("key");
  EXPECT_THAT(store.list_index_values("name"), IsEmpty());
  EXPECT_THAT(*store.by_index("name", "a"), IsEmpty());
}

// TestThreadSafeStoreAddKeepsNonEmptySetPostDeleteFromIndex
TEST(ThreadSafeStoreIndexTest, AValueThatStillHasObjectsStays) {
  ThreadSafeStore store(
      {{"same", [](const Object&) -> Result<std::vector<std::string>> { return std::vector<std::string>{"value"}; }}});
  store.add("k1", pod("a"));
  store.add("k2", pod("b"));
  store.remove("k1");
  EXPECT_THAT(*store.index_keys("same", "value"), ElementsAre("k2"));
}

// TestThreadSafeStoreIndexingFunctionsWithMultipleValues
TEST(ThreadSafeStoreIndexTest, SeveralValuesFollowAddsUpdatesAndRemovals) {
  ThreadSafeStore store({{"letters", letters}});
  const auto keys = [&](const char* value) { return *store.index_keys("letters", value); };

  store.add("k1", lettered("one", "ab"));
  EXPECT_THAT(keys("a"), ElementsAre("k1"));
  EXPECT_THAT(keys("b"), ElementsAre("k1"));
  store.add("k2", lettered("two", "abab"));  // a value named twice counts once
  EXPECT_THAT(keys("a"), ElementsAre("k1", "k2"));
  store.update("k1", lettered("one", "bc"));
  EXPECT_THAT(keys("a"), ElementsAre("k2"));
  EXPECT_THAT(keys("b"), ElementsAre("k1", "k2"));
  EXPECT_THAT(keys("c"), ElementsAre("k1"));
  store.update("k1", lettered("one", "c"));
  store.update("k2", lettered("two", ""));
  EXPECT_THAT(store.list_index_values("letters"), ElementsAre("c"));
  store.update("k2", lettered("two", "xyz"));
  store.remove("k1");  // its place is taken by k2
  EXPECT_THAT(store.list_index_values("letters"), UnorderedElementsAre("x", "y", "z"));
  EXPECT_THAT(keys("y"), ElementsAre("k2"));
  store.remove("k2");
  EXPECT_THAT(store.list_index_values("letters"), IsEmpty());
}

// TestGetIndexFuncValues, TestMultiIndexKeys
TEST(ThreadSafeStoreIndexTest, SeveralIndexesAnswerIndependentlyAndObjectsWithoutValuesAreAbsent) {
  ThreadSafeStore store({{"letters", letters}, {"app", label_index("app")}, {"namespace", meta_namespace_index}});
  store.add("one", make_pod({.name = "one", .labels = {{"values", "eb"}, {"app", "x"}}}));
  store.add("two", make_pod({.name = "two", .labels = {{"values", "eo"}}}));
  store.add("three", make_pod({.namespace_ = "other", .name = "three", .labels = {{"app", "x"}}}));

  EXPECT_THAT(store.list_index_values("letters"), UnorderedElementsAre("e", "b", "o"));
  EXPECT_THAT(names(*store.by_index("letters", "e")), ElementsAre("one", "two"));
  EXPECT_THAT(names(*store.by_index("app", "x")), ElementsAre("one", "three"));
  EXPECT_THAT(names(*store.by_index("namespace", "other")), ElementsAre("three"));
  EXPECT_THAT(names(*store.index("letters", lettered("any", "bo"))), ElementsAre("one", "two"));
  EXPECT_THAT(names(*store.index("letters", lettered("any", "o"))), ElementsAre("two"));
  EXPECT_THAT(*store.index("letters", lettered("any", "")), IsEmpty());
}

TEST(ThreadSafeStoreIndexTest, AnObjectThatSharesSeveralValuesIsFoundOnce) {
  ThreadSafeStore store({{"letters", letters}});
  store.add("one", lettered("one", "ab"));
  store.add("two", lettered("two", "bc"));

  EXPECT_THAT(names(*store.index("letters", lettered("any", "ab"))), ElementsAre("one", "two"));
}

TEST(ThreadSafeStoreIndexTest, AnUnknownIndexIsAnErrorAndHasNoValues) {
  ThreadSafeStore store;
  EXPECT_FALSE(store.by_index("nope", "x"));
  EXPECT_FALSE(store.index("nope", pod("a")));
  EXPECT_FALSE(store.index_keys("nope", "x"));
  EXPECT_FALSE(store.snapshot().by_index("nope", "x"));
  EXPECT_FALSE(Snapshot().by_index("nope", "x"));
  EXPECT_THAT(store.list_index_values("nope"), IsEmpty());
  EXPECT_FALSE(store.remove_indexer("nope"));
}

TEST(ThreadSafeStoreIndexTest, IndexesCanBeAddedAndRemovedWhileInUse) {
  ThreadSafeStore store;
  for (int i = 0; i < 2000; ++i) {
    store.add("k" + std::to_string(i), make_pod({.name = "p", .labels = {{"app", i % 2 == 0 ? "even" : "odd"}}}));
  }
  ASSERT_TRUE(store.add_indexers({{"app", label_index("app")}, {"letters", letters}}));
  EXPECT_EQ(store.by_index("app", "even")->size(), 1000U);
  store.remove("k0");
  EXPECT_EQ(store.by_index("app", "even")->size(), 999U);

  EXPECT_FALSE(store.add_indexers({{"new", letters}, {"app", letters}}));
  EXPECT_FALSE(store.by_index("new", "x"));  // nothing was added
  EXPECT_EQ(store.indexers().size(), 2U);
  ASSERT_TRUE(store.remove_indexer("app"));
  EXPECT_FALSE(store.by_index("app", "even"));
  store.add("more", pod("more"));
  ASSERT_TRUE(store.add_indexers({{"app", label_index("app")}}));
  EXPECT_EQ(store.by_index("app", "odd")->size(), 1000U);
}

TEST(ThreadSafeStoreIndexTest, AFailingIndexFunctionIsCountedAndLeavesTheObjectOutOfThatIndexOnly) {
  std::atomic<int> reports{0};
  set_error_sink([&](const Error&, std::string_view) { ++reports; });
  {
    ThreadSafeStore store({{"picky",
                            [](const Object& object) -> Result<std::vector<std::string>> {
                              if (object.name() == "bad") return Error::decode("no");
                              if (object.name() == "ugly") throw std::runtime_error("boom");
                              return std::vector<std::string>{"fine"};
                            }},
                           {"namespace", meta_namespace_index}});
    store.add("a", pod("good"));
    store.add("b", pod("bad"));
    store.add("c", pod("ugly"));

    EXPECT_EQ(store.size(), 3U);
    EXPECT_EQ(store.by_index("picky", "fine")->size(), 1U);
    EXPECT_EQ(store.by_index("namespace", "default")->size(), 3U);
    EXPECT_EQ(store.index_errors(), 2U);
    EXPECT_FALSE(store.index("picky", pod("bad")));
    EXPECT_FALSE(store.index("picky", pod("ugly")));
    store.update("a", pod("bad"));
    EXPECT_THAT(store.list_index_values("picky"), IsEmpty());
  }
  set_error_sink({});
  EXPECT_EQ(reports, 3);
}

TEST(ThreadSafeStoreIndexTest, AnObjectThatItsFunctionFailsForDoesNotGetTheValuesOfTheOneBefore) {
  set_error_sink([](const Error&, std::string_view) {});
  {
    ThreadSafeStore store({{"picky", [](const Object& object) -> Result<std::vector<std::string>> {
                              if (object.name() == "bad") return Error::decode("no");
                              return std::vector<std::string>{"fine"};
                            }}});
    std::vector<Write> all = {put("a", pod("good")), put("b", pod("bad"))};
    store.replace(all, "1");

    EXPECT_THAT(*store.index_keys("picky", "fine"), ElementsAre("a"));
  }
  set_error_sink({});
}

TEST(ThreadSafeStoreIndexTest, AnIndexFunctionMayReadTheStore) {
  ThreadSafeStore store;
  const auto reading = [&](const Object&) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{std::to_string(store.list().size())};
  };
  store.add("a", pod("a"));
  ASSERT_TRUE(store.add_indexers({{"size", reading}}));
  store.add("b", pod("b"));
  EXPECT_THAT(store.list_index_values("size"), ElementsAre("1"));
}

TEST(ThreadSafeStoreTest, EachOfSeveralWritesTellsWhatItFound) {
  ThreadSafeStore store({{"namespace", meta_namespace_index}});
  store.add("there", pod("there", 1));
  store.add("gone", pod("gone", 2));

  const auto writes = apply(store, {put("there", pod("there", 3)), put("fresh", pod("fresh", 4)), removal("gone"),
                                    removal("never"), put("default/own", pod("own", 5))});
  EXPECT_THAT(previous_versions(writes), ElementsAre("1", "-", "2", "-", "-"));
  EXPECT_FALSE(writes[0].object);  // it is the store's now
  EXPECT_THAT(store.list_keys(), UnorderedElementsAre("there", "fresh", "default/own"));
  EXPECT_EQ(store.by_index("namespace", "default")->size(), 3U);
  EXPECT_EQ(store.find("there").resource_version(), "3");
}

TEST(ThreadSafeStoreTest, WritesUnderOneKeyFindEachOther) {
  ThreadSafeStore store({{"letters", letters}});
  const auto writes =
      apply(store, {put("a", pod("a", 1)), put("a", lettered("a", "x")), removal("a"), removal("a"),
                    put("a", lettered("a", "yz")), put("default/d", pod("d", 6)), put("default/d", pod("d", 7))});
  EXPECT_THAT(previous_versions(writes), ElementsAre("-", "1", "1", "-", "-", "-", "6"));
  EXPECT_TRUE(writes[2].previous.labels()["values"].string() == "x");
  EXPECT_THAT(store.list_index_values("letters"), UnorderedElementsAre("y", "z"));
  EXPECT_EQ(store.find("default/d").resource_version(), "7");
  EXPECT_EQ(store.size(), 2U);
}

TEST(ThreadSafeStoreTest, APreviousObjectThatWasLeftInAWriteIsNotMistakenForWhatWasFound) {
  ThreadSafeStore store;
  std::vector<Write> writes = {put("a", pod("a", 1)), removal("b")};
  for (Write& write : writes) write.previous = pod("stale");
  store.apply(writes);
  EXPECT_THAT(previous_versions(writes), ElementsAre("-", "-"));
  writes = {put("c", pod("c", 1))};
  writes[0].previous = pod("stale");
  store.replace(writes, "1");
  EXPECT_THAT(previous_versions(writes), ElementsAre("-"));
}

TEST(ThreadSafeStoreTest, WritesOfManyMoreObjectsThanIndexValuesFitInPlaceAreIndexed) {
  ThreadSafeStore store({{"letters", letters}, {"namespace", meta_namespace_index}, {"app", label_index("app")}});
  std::vector<Write> writes;
  for (int i = 0; i < 500; ++i) {
    writes.push_back(put("k" + std::to_string(i), lettered("p" + std::to_string(i), i % 2 == 0 ? "e" : "o")));
  }
  for (int i = 0; i < 500; i += 4) writes.push_back(removal("k" + std::to_string(i)));
  store.apply(writes);
  EXPECT_EQ(store.by_index("letters", "e")->size(), 125U);
  EXPECT_EQ(store.by_index("letters", "o")->size(), 250U);
  EXPECT_EQ(store.by_index("namespace", "default")->size(), 375U);
}

TEST(ThreadSafeStoreTest, AReplaceKeepsTheHandlesOfUnchangedObjects) {
  ThreadSafeStore store({{"namespace", meta_namespace_index}});
  store.add("same", pod("same", 1));
  store.add("newer", pod("newer", 1));
  store.add("reborn", make_pod({.name = "reborn", .uid = "first"}));
  store.add("gone", pod("gone", 1));
  const Object same = store.find("same");
  const Object newer = store.find("newer");
  const Object reborn = store.find("reborn");

  std::vector<Write> writes = {put("same", pod("same", 1)), put("newer", pod("newer", 2)),
                               put("reborn", make_pod({.name = "reborn", .uid = "second"})),
                               put("twice", pod("twice", 1)), put("twice", pod("twice", 2))};
  store.replace(writes, "9");
  EXPECT_TRUE(store.find("same").same_document(same));
  EXPECT_TRUE(writes[0].object.same_document(same));
  EXPECT_FALSE(store.find("newer").same_document(newer));
  EXPECT_FALSE(store.find("reborn").same_document(reborn));
  EXPECT_EQ(store.find("twice").resource_version(), "2");
  EXPECT_FALSE(store.find("gone"));
  EXPECT_EQ(store.by_index("namespace", "default")->size(), 4U);
}

TEST(ThreadSafeStoreTest, AReplaceTellsWhatWasThereAndGivesWhatIsGone) {
  ThreadSafeStore store;
  for (int i = 0; i < 300; ++i) store.add("k" + std::to_string(i), pod("p" + std::to_string(i), i));
  std::vector<Write> writes;
  for (int i = 0; i < 600; i += 3) writes.push_back(put("k" + std::to_string(i), pod("p" + std::to_string(i), 999)));
  writes.push_back(put("k0", pod("p0", 1000)));  // twice
  const auto gone = store.replace(writes, "1");

  std::set<std::string> keys;
  for (const auto& [key, object] : gone) {
    keys.insert(key.text());
    EXPECT_EQ(key.text(), "k" + std::string(object.resource_version()));
    EXPECT_NE(std::stoi(std::string(object.resource_version())) % 3, 0);
  }
  EXPECT_EQ(keys.size(), 200U);
  EXPECT_EQ(gone.size(), 200U);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(previous_versions(writes)[i], i < 100 ? std::to_string(3 * i) : "-");
  }
  EXPECT_EQ(previous_versions(writes)[200], "0");  // what the store had, not what this replace put before
  EXPECT_EQ(store.find("k0").resource_version(), "1000");
  EXPECT_EQ(store.size(), 200U);
  EXPECT_EQ(store.replace({}, "2").size(), 200U);
  EXPECT_TRUE(store.replace({}, "3").empty());
}

TEST(ThreadSafeStoreTest, BytesGrowAndShrinkWithTheObjects) {
  ThreadSafeStore store({{"namespace", meta_namespace_index}});
  const std::size_t empty = store.bytes();
  for (int i = 0; i < 20'000; ++i) store.add("k" + std::to_string(i), pod("p" + std::to_string(i)));
  const std::size_t full = store.bytes();
  EXPECT_GT(full, empty + 20'000 * pod("p").byte_size());
  EXPECT_LT(store.overhead_bytes(), full);
  for (int i = 0; i < 20'000; ++i) store.remove("k" + std::to_string(i));
  EXPECT_LT(store.bytes(), full / 50);
  EXPECT_EQ(store.size(), 0U);
}

}  // namespace
}  // namespace kubexx::store
