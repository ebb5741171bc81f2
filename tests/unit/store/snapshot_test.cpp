#include "kubexx/store/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>

#include "kubexx/store/store.hpp"
#include "unit/store/test_objects.hpp"

namespace kubexx::store {
namespace {

using meta::Object;
using test::make_pod;
using test::pod;
using testing::ElementsAre;

TEST(SnapshotTest, NeverChangesWhateverTheStoreDoes) {
  Indexer store(namespace_indexers());
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(store.add(pod("p" + std::to_string(i), 1)));
  store.bookmark("100");
  const Snapshot before = store.snapshot();

  for (int i = 0; i < 3000; i += 2) ASSERT_TRUE(store.remove(pod("p" + std::to_string(i), 2)));
  for (int i = 1; i < 3000; i += 2) ASSERT_TRUE(store.update(pod("p" + std::to_string(i), 3)));
  ASSERT_TRUE(store.replace({make_pod({.namespace_ = "new", .name = "only"})}, "200"));

  EXPECT_EQ(before.size(), 3000U);
  EXPECT_EQ(before.resource_version(), "100");
  EXPECT_EQ(before.by_index("namespace", "default")->size(), 3000U);
  EXPECT_FALSE(before.find("new/only"));
  for (int i = 0; i < 3000; ++i) {
    const Object found = before.find("default/p" + std::to_string(i));
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(found.resource_version(), "1");
  }
  const Snapshot after = store.snapshot();
  EXPECT_EQ(after.size(), 1U);
  EXPECT_EQ(after.resource_version(), "200");
  EXPECT_GT(after.version(), before.version());
  EXPECT_THAT(after.list_index_values("namespace"), ElementsAre("new"));
}

TEST(SnapshotTest, VisitsEveryObjectOnceWithItsKey) {
  Indexer store(namespace_indexers());
  std::set<std::string> expected;
  for (int i = 0; i < 1500; ++i) {
    const Object object = make_pod({.namespace_ = i % 3 == 0 ? "" : "ns", .name = "p" + std::to_string(i)});
    ASSERT_TRUE(store.add(object));
    expected.insert(store.key_of(object).value());
  }
  const Snapshot snapshot = store.snapshot();
  std::set<std::string> visited;
  std::size_t count = 0;
  snapshot.for_each_with_key([&](std::string_view key, const Object& object) {
    visited.emplace(key);
    EXPECT_TRUE(key.ends_with(object.name()));
    ++count;
  });
  EXPECT_EQ(visited, expected);
  EXPECT_EQ(count, 1500U);

  std::size_t in_namespace = 0;
  ASSERT_TRUE(snapshot.for_each_by_index("namespace", "ns", [&](const Object& object) {
    EXPECT_EQ(object.namespace_(), "ns");
    ++in_namespace;
  }));
  EXPECT_EQ(in_namespace, 1000U);
  EXPECT_FALSE(snapshot.for_each_by_index("nope", "ns", [](const Object&) {}));
  EXPECT_EQ(snapshot.list_keys().size(), 1500U);
  EXPECT_EQ(snapshot.list().size(), 1500U);
}

TEST(SnapshotTest, OutlivesItsStore) {
  auto store = std::make_unique<Indexer>(namespace_indexers());
  for (int i = 0; i < 600; ++i) ASSERT_TRUE(store->add(pod("p" + std::to_string(i))));
  const Snapshot snapshot = store->snapshot();
  ASSERT_TRUE(store->replace(std::vector<Object>{}, "2"));
  store.reset();

  EXPECT_EQ(snapshot.list().size(), 600U);
  EXPECT_TRUE(snapshot.find("default/p599"));
}

TEST(SnapshotTest, AnEmptyHandleIsAnEmptyStore) {
  const Snapshot none;
  EXPECT_TRUE(none.empty());
  EXPECT_FALSE(none.find("a"));
  EXPECT_EQ(none.resource_version(), "");
  EXPECT_EQ(none.page_count(), 0U);
  EXPECT_TRUE(none.list().empty());
  EXPECT_TRUE(none.list_keys().empty());
}

TEST(SnapshotTest, MemoryOfTheOldStateGoesWithItsLastSnapshot) {
  ThreadSafeStore store(namespace_indexers());
  for (int i = 0; i < 5000; ++i) store.add("default/p" + std::to_string(i), pod("p" + std::to_string(i)));
  const std::size_t alone = store.overhead_bytes();
  {
    std::optional<Snapshot> first = store.snapshot();
    for (int i = 0; i < 5000; ++i) store.update("default/p" + std::to_string(i), pod("p" + std::to_string(i), 2));
    const Snapshot second = store.snapshot();
    for (int i = 0; i < 5000; ++i) store.update("default/p" + std::to_string(i), pod("p" + std::to_string(i), 3));
    EXPECT_GT(store.overhead_bytes(), alone);
    first.reset();
    EXPECT_EQ(second.find("default/p7").resource_version(), "2");
  }
  EXPECT_LT(store.overhead_bytes(), alone + 5120 * 2 + 100);  // when each object was born; forgotten by the next write
  store.update("default/p0", pod("p0", 4));
  EXPECT_EQ(store.overhead_bytes(), alone);
}

TEST(SnapshotTest, ALongHeldSnapshotDoesNotKeepWhatCameAndWentAfterIt) {
  ThreadSafeStore store(namespace_indexers());
  for (int i = 0; i < 600; ++i) store.add("default/p" + std::to_string(i), pod("p" + std::to_string(i)));
  const Snapshot held = store.snapshot();
  const auto churn = [&](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < 600; i += 7)
        store.update("default/p" + std::to_string(i), pod("p" + std::to_string(i), round));
      const Snapshot passing = store.snapshot();
      store.update("default/p1", pod("p1", round));
    }
  };
  churn(3);
  const std::size_t early = store.overhead_bytes();
  churn(50);
  EXPECT_EQ(store.overhead_bytes(), early);
  EXPECT_EQ(held.find("default/p0").resource_version(), "1");
}

}  // namespace
}  // namespace kubexx::store
