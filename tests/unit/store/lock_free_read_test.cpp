#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <charconv>
#include <string>
#include <thread>
#include <vector>

#include "kubexx/store/store.hpp"
#include "store/epochs.hpp"
#include "store/internal/readers.hpp"
#include "unit/store/writes.hpp"

namespace kubexx::store {
namespace {

using meta::Object;
using test::pod;

int version_of(const Object& object) {
  const std::string_view text = object.resource_version();
  int version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

TEST(LockFreeReadTest, FindsWhatIsAlwaysThereWhileOthersComeAndGo) {
  constexpr int kStaying = 200;
  constexpr int kPassing = 2000;
  Indexer store(namespace_indexers());
  std::atomic<bool> done{false};
  std::atomic<int> missed{0};
  std::atomic<std::uint64_t> reads{0};
  for (int i = 0; i < kStaying; ++i) ASSERT_TRUE(store.add(pod("stay" + std::to_string(i))));
  const auto read = [&] {
    for (int i = 0; !done; i = (i + 1) % kStaying) {
      const std::string name = "stay" + std::to_string(i);
      missed += store.find("default/" + name).name() != name ? 1 : 0;
      missed += store.find("default/absent" + std::to_string(i)) ? 1 : 0;
      reads.fetch_add(1);
    }
  };
  {
    const std::jthread first(read);
    const std::jthread second(read);
    // Tables grow, split and shrink; removals give ids of the last to those in the middle; snapshots make pages be
    // copied.
    for (int round = 0; round < 6 || reads < 2000; ++round) {
      const Snapshot kept = round % 2 == 0 ? store.snapshot() : Snapshot();
      for (int i = 0; i < kPassing; ++i) ASSERT_TRUE(store.add(pod("pass" + std::to_string(i), round)));
      for (int i = 0; i < kStaying; ++i) ASSERT_TRUE(store.update(pod("stay" + std::to_string(i), round)));
      for (int i = 0; i < kPassing; ++i) ASSERT_TRUE(store.remove(pod("pass" + std::to_string(i))));
    }
    done = true;
  }
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(store.size(), static_cast<std::size_t>(kStaying));
}

TEST(LockFreeReadTest, ManyAtOnceAreFoundWhileOthersComeAndGo) {
  constexpr int kStaying = 100;
  constexpr int kPassing = 500;
  Indexer store(namespace_indexers());
  std::vector<std::string> keys;
  for (int i = 0; i < kStaying; ++i) {
    ASSERT_TRUE(store.add(pod("stay" + std::to_string(i))));
    keys.push_back("default/stay" + std::to_string(i));
    keys.push_back("default/absent" + std::to_string(i));
  }
  std::atomic<bool> done{false};
  std::atomic<int> missed{0};
  std::atomic<std::uint64_t> reads{0};
  const auto read = [&] {
    while (!done) {
      const auto found = store.find_many(keys);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        missed += (i % 2 == 0) == (found[i] && keys[i].ends_with(found[i].name())) ? 0 : 1;
      }
      reads.fetch_add(1);
    }
  };
  {
    const std::jthread first(read);
    const std::jthread second(read);
    for (int round = 0; round < 6 || reads < 200; ++round) {
      for (int i = 0; i < kPassing; ++i) ASSERT_TRUE(store.add(pod("pass" + std::to_string(i), round)));
      for (int i = 0; i < kStaying; ++i) ASSERT_TRUE(store.update(pod("stay" + std::to_string(i), round)));
      for (int i = 0; i < kPassing; ++i) ASSERT_TRUE(store.remove(pod("pass" + std::to_string(i))));
    }
    done = true;
  }
  EXPECT_EQ(missed, 0);
}

TEST(LockFreeReadTest, NeverSeesAnOlderStateAfterANewerOne) {
  Indexer store(namespace_indexers());
  ASSERT_TRUE(store.add(pod("a", 1)));
  ASSERT_TRUE(store.add(pod("b", 1)));
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::atomic<std::uint64_t> reads{0};
  const auto read = [&] {
    for (int last = 0; !done;) {
      const int a = version_of(store.find("default/a"));
      const int b = version_of(store.find("default/b"));
      // Both are written together, so b is at least what a was.
      wrong += a < last || b < a ? 1 : 0;
      last = b;
      reads.fetch_add(1);
    }
  };
  {
    const std::jthread first(read);
    const std::jthread second(read);
    for (int version = 2; version < 3000 || reads < 2000; ++version) {
      if (version % 50 == 0) {
        ASSERT_TRUE(store.replace({pod("b", version), pod("a", version)}, std::to_string(version)));
      } else {
        std::array<Write, 2> both = {test::put(pod("b", version)), test::put(pod("a", version))};
        ASSERT_TRUE(store.apply(both));
      }
    }
    done = true;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(LockFreeReadTest, AnswersOnlyUnderTheKeyOfTheStore) {
  // Keys are chosen so that the default key of one object is the key of another.
  const auto swapped = [](const Object& object) -> Result<std::string> {
    return "default/" + std::string(object.name() == "a" ? "b" : object.name() == "b" ? "a" : object.name());
  };
  Indexer store(namespace_indexers(), swapped);
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::atomic<std::uint64_t> reads{0};
  const auto read = [&] {
    while (!done) {
      const Object a = store.find("default/a");
      const Object b = store.find("default/b");
      wrong += (a && a.name() != "b") || (b && b.name() != "a") ? 1 : 0;
      reads.fetch_add(1);
    }
  };
  {
    const std::jthread first(read);
    const std::jthread second(read);
    for (int round = 1; round < 2000 || reads < 1000; ++round) {
      ASSERT_TRUE(store.add(pod("c", round)));
      ASSERT_TRUE(store.add(pod("a", round)));
      ASSERT_TRUE(store.add(pod("b", round)));
      ASSERT_TRUE(store.remove(pod("c")));
      ASSERT_TRUE(store.remove(pod("b")));
      ASSERT_TRUE(store.remove(pod("a")));
    }
    done = true;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(LockFreeReadTest, FindsAKeyWhoseObjectsHaveItByNatureAndByDecreeInTurn) {
  // "default/a" names the pod a, whose own key it is, and the pod b, whose key must be kept for it.
  const auto always_a = [](const Object&) -> Result<std::string> { return "default/a"; };
  Indexer store({}, always_a);
  ASSERT_TRUE(store.add(pod("b")));
  std::atomic<bool> done{false};
  std::atomic<int> missed{0};
  std::atomic<std::uint64_t> reads{0};
  const auto read = [&] {
    while (!done) {
      missed += store.find("default/a") ? 0 : 1;
      reads.fetch_add(1, std::memory_order_relaxed);
    }
  };
  const Object natural = pod("a");
  const Object decreed = pod("b");
  {
    const std::jthread first(read);
    const std::jthread second(read);
    for (int round = 0; round < 200'000 || reads < 10'000; ++round) {
      ASSERT_TRUE(store.add(natural));
      ASSERT_TRUE(store.add(decreed));
    }
    done = true;
  }
  EXPECT_EQ(missed, 0);
}

TEST(LockFreeReadTest, ThreadsBeyondTheSlotsReadUnderTheLock) {
  constexpr int kThreads = 300;
  Indexer store;
  ASSERT_TRUE(store.add(pod("a", 7)));
  std::barrier all_there(kThreads);
  std::atomic<int> found{0};
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < kThreads; ++i) {
      readers.emplace_back([&] {
        found += version_of(store.find("default/a")) == 7 ? 1 : 0;
        all_there.arrive_and_wait();  // so that every thread has its slot, or none, at one time
        found += version_of(store.find("default/a")) == 7 ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(found, 2 * kThreads);
}

TEST(EpochsTest, WhatAReadMayLookAtIsFreedAfterTheRead) {
  Epochs epochs;
  Block* block = epochs.allocate(100);
  Block* other = epochs.allocate(100);
  {
    const Readers::Mark read;
    ASSERT_TRUE(read);
    epochs.discard(block);
    EXPECT_FALSE(epochs.discard(Handle::adopt(pod("a")), epochs.now()));
    epochs.tidy();
    EXPECT_EQ(epochs.in_limbo(), 2U);
    EXPECT_EQ(block->bytes, other->bytes);  // still there
  }
  EXPECT_EQ(epochs.in_limbo(), 2U);
  epochs.tidy();
  EXPECT_EQ(epochs.in_limbo(), 0U);
  EXPECT_EQ(epochs.bytes(), other->bytes);

  EXPECT_TRUE(epochs.discard(Handle::adopt(pod("b")), epochs.now()));  // nobody reads
  epochs.discard(other);
  EXPECT_EQ(epochs.bytes(), 0U);
}

TEST(EpochsTest, LimboStaysSmallUnderReadsThatFollowEachOther) {
  Epochs epochs;
  std::size_t most = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Readers::Mark read;
    epochs.discard(epochs.allocate(8));
    most = std::max(most, epochs.in_limbo());
  }
  EXPECT_GT(most, 0U);
  EXPECT_LT(most, 1000U);
}

TEST(ReadersTest, WaitingEndsWithTheReadsThatWereUnderWay) {
  std::atomic<bool> reading{false};
  std::atomic<bool> may_end{false};
  std::atomic<bool> ended{false};
  const std::jthread reader([&] {
    {
      const Readers::Mark read;
      reading = true;
      while (!may_end) std::this_thread::yield();
      ended = true;
    }
  });
  while (!reading) std::this_thread::yield();
  EXPECT_TRUE(Readers::any());
  may_end = true;
  Readers::wait();
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace kubexx::store
