#include "kubexx/workqueue/detail/indexed_heap.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "kubexx/base/random.hpp"

namespace kubexx::workqueue::detail {
namespace {

/// Rank, then age, of everything inside.
class Model {
 public:
  bool contains(std::uint32_t id) const { return where_.count(id) != 0; }
  void push(std::uint32_t id, std::int64_t rank) { put(id, {rank, next_++}); }
  bool move_forward(std::uint32_t id, std::int64_t rank) {
    const auto old = where_.at(id);
    if (rank >= old.first) return false;
    order_.erase({old, id});
    put(id, {rank, old.second});
    return true;
  }
  std::uint32_t pop() {
    const std::uint32_t id = order_.begin()->second;
    order_.erase(order_.begin());
    where_.erase(id);
    return id;
  }
  std::int64_t top_rank() const { return order_.begin()->first.first; }
  std::size_t size() const { return order_.size(); }

 private:
  using Rank = std::pair<std::int64_t, std::uint64_t>;
  void put(std::uint32_t id, Rank rank) {
    where_[id] = rank;
    order_.insert({rank, id});
  }
  std::map<std::uint32_t, Rank> where_;
  std::set<std::pair<Rank, std::uint32_t>> order_;
  std::uint64_t next_ = 0;
};

class IndexedHeapTest : public testing::TestWithParam<int> {};

// The parameter is how many of 100 ranks do not come in ascending order.
TEST_P(IndexedHeapTest, AgreesWithASortedSetUnderRandomUse) {
  Random random(static_cast<std::uint64_t>(GetParam()) + 1);
  IndexedHeap heap;
  Model model;
  std::int64_t now = 0;

  for (int step = 0; step < 100'000; ++step) {
    const bool growing = (step / 10'000) % 2 == 0;
    const auto id = static_cast<std::uint32_t>(random.below(8'000));
    now += static_cast<std::int64_t>(random.below(3));
    const bool out_of_order = random.below(100) < static_cast<std::uint64_t>(GetParam());
    const std::int64_t rank = out_of_order ? now - 500 + static_cast<std::int64_t>(random.below(5'000)) : now;
    if (random.below(10) < (growing ? 3U : 7U)) {
      if (model.size() > 0) {
        ASSERT_EQ(heap.top_rank(), model.top_rank());
        ASSERT_EQ(heap.pop(), model.pop());
      }
    } else if (model.contains(id)) {
      ASSERT_EQ(heap.move_forward(id, rank - 1'000), model.move_forward(id, rank - 1'000));
    } else {
      heap.push(id, rank);
      model.push(id, rank);
    }
    ASSERT_EQ(heap.size(), model.size());
  }
  while (model.size() > 0) ASSERT_EQ(heap.pop(), model.pop());
  EXPECT_TRUE(heap.empty());
}
INSTANTIATE_TEST_SUITE_P(, IndexedHeapTest, testing::Values(0, 1, 30, 100));

}  // namespace
}  // namespace kubexx::workqueue::detail
