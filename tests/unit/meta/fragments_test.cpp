#include "meta/document/fragments.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "kubexx/base/random.hpp"

namespace kubexx::meta::detail {
namespace {

class FragmentsTest : public testing::Test {
 protected:
  std::optional<Fragments::Taken> take(const std::string& nodes) {
    return fragments.take(nodes, 5, fragments.hash(nodes, 5));
  }
  static std::string text(std::uint32_t number) {
    const Fragment& fragment = fragment_at(number);
    return {reinterpret_cast<const char*>(fragment.base()) + sizeof(Fragment), fragment.size - sizeof(Fragment)};
  }

  Fragments& fragments = Fragments::process();
  const FragmentMemory before = fragment_memory();
};

TEST_F(FragmentsTest, EqualContentsStandOnceAndGoWithTheLastReference) {
  const auto first = take("the same contents");
  const auto second = take("the same contents");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->number, second->number);
  EXPECT_EQ(first->references_before, 0U);
  EXPECT_EQ(second->references_before, 1U);
  EXPECT_EQ(text(first->number), "the same contents");
  EXPECT_EQ(fragment_memory().fragments, before.fragments + 1);
  fragments.release(first->number);
  EXPECT_EQ(text(second->number), "the same contents");
  fragments.release(second->number);
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
  EXPECT_EQ(fragment_memory().bytes, before.bytes);
}

TEST_F(FragmentsTest, ContentsThatHaveTheSameHashAreToldApart) {
  const auto one = fragments.take("one", 5, 77);
  const auto two = fragments.take("two", 5, 77);
  const auto root = fragments.take("one", 6, 77);
  ASSERT_TRUE(one && two && root);
  EXPECT_NE(one->number, two->number);
  EXPECT_NE(one->number, root->number);
  EXPECT_EQ(fragments.take("two", 5, 77)->number, two->number);
  for (const auto& each : {*one, *two, *two, *root}) fragments.release(each.number);
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
}

TEST_F(FragmentsTest, TablesGrowAndShrinkWithWhatIsThere) {
  std::vector<std::uint32_t> numbers;
  constexpr std::size_t kCount = 40'000;
  numbers.reserve(kCount);
  const std::size_t allocated = mallinfo2().uordblks;
  for (std::size_t i = 0; i < kCount; ++i) numbers.push_back(take("contents " + std::to_string(i))->number);
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(text(numbers[i]), "contents " + std::to_string(i));
  // Every other one goes first, so that holes are left.
  for (std::size_t i = 0; i < kCount; i += 2) fragments.release(numbers[i]);
  for (std::size_t i = 1; i < kCount; i += 2) {
    const auto again = take("contents " + std::to_string(i));
    ASSERT_TRUE(again && again->number == numbers[i]);
    fragments.release(again->number);
  }
  for (std::size_t i = 1; i < kCount; i += 2) fragments.release(numbers[i]);
  EXPECT_EQ(fragment_memory().bytes, before.bytes);
  // 640 KB of slots and as much of index were there.
  EXPECT_LT(mallinfo2().uordblks, allocated + 100'000);
}

TEST_F(FragmentsTest, ThreadsTakeAndReleaseTheSameContentsAtOnce) {
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([this, seed, &wrong] {
      Random random(seed);
      std::vector<std::pair<std::uint32_t, std::string>> held;
      for (int i = 0; i < 8'000; ++i) {
        if (held.size() < 8 || random.below(2) == 0) {
          std::string nodes = "contents " + std::to_string(random.below(40));
          held.emplace_back(take(nodes)->number, nodes);
        } else {
          const std::size_t at = random.below(held.size());
          if (text(held[at].first) != held[at].second) ++wrong;
          fragments.release(held[at].first);
          std::swap(held[at], held.back());
          held.pop_back();
        }
      }
      for (const auto& each : held) fragments.release(each.first);
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(fragment_memory().fragments, before.fragments);
}

}  // namespace
}  // namespace kubexx::meta::detail
