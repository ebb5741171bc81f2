#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kubexx/store/store.hpp"
#include "store/fair_lock.hpp"
#include "unit/store/writes.hpp"

namespace kubexx::store {
namespace {

using meta::Object;
using test::pod;

TEST(StoreConcurrencyTest, EveryReadSeesWholeAppliesAndReplaces) {
  constexpr int kPods = 40;
  Indexer store(namespace_indexers());
  const auto state = [](int version) {
    std::vector<Object> all;
    for (int i = 0; i < kPods; ++i) all.push_back(pod("p" + std::to_string(i), version));
    return all;
  };
  ASSERT_TRUE(store.replace(state(1), "1"));

  std::atomic<bool> done{false};
  std::atomic<int> torn{0};
  std::atomic<std::uint64_t> reads{0};
  const auto read = [&] {
    while (!done) {
      const auto listed = store.list();
      const auto indexed = *store.by_index("namespace", "default");
      const Snapshot snapshot = store.snapshot();
      if (listed.size() != kPods || indexed.size() != kPods || snapshot.size() != kPods) ++torn;
      for (const Object& each : listed) torn += each.resource_version() != listed[0].resource_version() ? 1 : 0;
      for (const Object& each : indexed) torn += each.resource_version() != indexed[0].resource_version() ? 1 : 0;
      snapshot.for_each(
          [&](const Object& each) { torn += each.resource_version() != snapshot.resource_version() ? 1 : 0; });
      if (!store.find("default/p7")) ++torn;
      reads.fetch_add(1);
    }
  };
  {
    const std::jthread first(read);
    const std::jthread second(read);
    for (int version = 2; version < 400 || reads < 50; ++version) {
      if (version % 10 == 0) {
        EXPECT_TRUE(store.replace(state(version), std::to_string(version)));
      } else {
        std::vector<Write> all;
        for (const Object& object : state(version)) all.push_back(test::put(object));
        EXPECT_TRUE(store.apply(all));
      }
    }
    done = true;
  }
  EXPECT_EQ(torn, 0);
}

/// Half of the keys are there at any time; which half changes with each apply.
TEST(StoreConcurrencyTest, EveryReadSeesAllOfAnApplyThatPutsAndRemoves) {
  constexpr int kPairs = 20;
  for (const bool own_keys : {false, true}) {
    Indexer store(namespace_indexers());
    const auto key = [&](int i, bool even) {
      return (own_keys ? "key-" : "default/") + std::string(even ? "e" : "o") + std::to_string(i);
    };
    const auto swap = [&](int version) {
      std::vector<Write> all;
      const bool even = version % 2 == 0;
      for (int i = 0; i < kPairs; ++i) {
        all.push_back(test::removal(key(i, !even)));
        all.push_back(test::put(key(i, even), pod((even ? "e" : "o") + std::to_string(i), version)));
      }
      return all;
    };
    auto first = swap(1);
    ASSERT_TRUE(store.apply(first));

    std::atomic<bool> done{false};
    std::atomic<int> torn{0};
    std::atomic<std::uint64_t> reads{0};
    const auto read = [&] {
      while (!done) {
        const auto listed = store.list();
        if (listed.size() != kPairs) ++torn;
        for (const Object& each : listed) torn += each.resource_version() != listed[0].resource_version() ? 1 : 0;
        const Snapshot snapshot = store.snapshot();
        const bool even = static_cast<bool>(snapshot.find(key(3, true)));
        if (even == static_cast<bool>(snapshot.find(key(3, false)))) ++torn;
        if (store.by_index("namespace", "default")->size() != kPairs) ++torn;
        reads.fetch_add(1);
      }
    };
    {
      const std::jthread one(read);
      const std::jthread two(read);
      for (int version = 2; version < 400 || reads < 50; ++version) {
        auto writes = swap(version);
        EXPECT_TRUE(store.apply(writes));
        for (const Write& write : writes) {
          const bool removes = write.type == Write::Type::Remove;
          EXPECT_EQ(test::version_or_none(write.previous), removes ? std::to_string(version - 1) : "-");
        }
      }
      done = true;
    }
    EXPECT_EQ(torn, 0);
  }
}

TEST(StoreConcurrencyTest, EachStateIsThePreviousOneOfExactlyOneWrite) {
  constexpr int kThreads = 3;
  constexpr int kEach = 400;
  Indexer store;
  std::vector<std::vector<std::string>> found(kThreads);
  {
    std::vector<std::jthread> writers;
    for (int t = 0; t < kThreads; ++t) {
      writers.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          std::vector<Write> writes = {test::put(pod("other" + std::to_string(t))),
                                       test::put(pod("shared", 1 + t * kEach + i))};
          EXPECT_TRUE(store.apply(writes));
          if (writes[1].previous) found[t].emplace_back(writes[1].previous.resource_version());
        }
      });
    }
  }
  std::set<std::string> all;
  for (const auto& each : found) all.insert(each.begin(), each.end());
  all.emplace(store.find("default/shared").resource_version());
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kThreads * kEach));
}

TEST(StoreConcurrencyTest, IndexesAddedAndRemovedUnderWritesAreComplete) {
  constexpr int kPods = 3000;
  Indexer store;
  for (int i = 0; i < kPods; ++i) ASSERT_TRUE(store.add(pod("p" + std::to_string(i))));
  std::atomic<bool> done{false};
  const std::jthread writer([&] {
    for (int round = 2; !done; ++round) {
      for (int i = 0; i < kPods && !done; i += 11) {
        EXPECT_TRUE(store.update(pod("p" + std::to_string(i), round)));
        EXPECT_TRUE(store.remove(pod("extra")));
        EXPECT_TRUE(store.add(pod("extra", round)));
      }
    }
  });
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(store.add_indexers(namespace_indexers()));
    const std::size_t found = store.by_index("namespace", "default")->size();
    EXPECT_GE(found, static_cast<std::size_t>(kPods));
    EXPECT_LE(found, static_cast<std::size_t>(kPods + 1));
    ASSERT_TRUE(store.remove_indexer("namespace"));
  }
  done = true;
}

TEST(StoreConcurrencyTest, WritersFromSeveralThreadsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  Indexer store(namespace_indexers());
  {
    std::vector<std::jthread> writers;
    for (int t = 0; t < kThreads; ++t) {
      writers.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          EXPECT_TRUE(store.add(test::make_pod({.namespace_ = "ns" + std::to_string(t), .name = std::to_string(i)})));
          if (i % 3 == 0) {
            EXPECT_TRUE(
                store.remove(test::make_pod({.namespace_ = "ns" + std::to_string(t), .name = std::to_string(i)})));
          }
        }
      });
    }
  }
  const std::size_t left = kEach - (kEach + 2) / 3;
  EXPECT_EQ(store.size(), kThreads * left);
  for (int t = 0; t < kThreads; ++t) EXPECT_EQ(store.by_index("namespace", "ns" + std::to_string(t))->size(), left);
}

TEST(FairLockTest, ReadersThatNeverPauseDoNotKeepAWriterOut) {
  FairLock lock;
  std::atomic<bool> done{false};
  std::vector<std::jthread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      while (!done) const FairLock::Reading reading(lock);
    });
  }
  for (int i = 0; i < 1000; ++i) {
    lock.lock();
    lock.unlock();
  }
  done = true;
}

TEST(FairLockTest, WritersThatNeverPauseDoNotKeepAReaderOut) {
  FairLock lock;
  std::atomic<bool> done{false};
  std::vector<std::jthread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&] {
      while (!done) {
        lock.lock();
        lock.unlock();
      }
    });
  }
  for (int i = 0; i < 1000; ++i) const FairLock::Reading reading(lock);
  done = true;
}

TEST(FairLockTest, AWriterIsAlone) {
  FairLock lock;
  int guarded = 0;
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 2000; ++n) {
          lock.lock();
          ++guarded;
          ++guarded;
          lock.unlock();
          const FairLock::Reading reading(lock);
          wrong += guarded % 2;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(guarded, 12000);
}

}  // namespace
}  // namespace kubexx::store
