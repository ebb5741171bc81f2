/// What waits in a queue costs memory while it waits, and none afterwards.
#include <gtest/gtest.h>

#include "kubexx/delta/synchronized_queue.hpp"
#include "support/burst_cost.hpp"
#include "unit/store/test_objects.hpp"

namespace kubexx::delta {
namespace {

constexpr std::ptrdiff_t kWaiting = 20 << 20;  // so many bytes at least

/// Changes of many keys while nobody takes any.
template <class Queue, class Add>
test::BurstCost cost_of_changes(Queue& queue, Add add) {
  const Process drop = [](Deltas&, bool) -> Result<void> { return {}; };
  return test::cost_of_burst(
      test::kBurst,
      [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) add(test::pod("p" + std::to_string(i)));
      },
      [&] {
        while (queue.try_pop(drop).value()) continue;
      });
}

template <class Plain>
test::BurstCost cost_of_plain() {
  Plain queue;
  return cost_of_changes(queue, [&](const meta::Object& object) { queue.add(meta::Key::of(object), object); });
}

test::BurstCost cost_of_synchronized(PlainQueue plain) {
  SynchronizedQueue queue(std::move(plain));
  return cost_of_changes(queue, [&](const meta::Object& object) { ASSERT_TRUE(queue.add(object)); });
}

TEST(QueueBurstTest, AnOrderedQueueGivesBackWhatWaitedInIt) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  EXPECT_TRUE(test::given_back(cost_of_plain<OrderedQueue>(), kWaiting));
}

TEST(QueueBurstTest, ADeltaFifoGivesBackWhatWaitedInIt) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  EXPECT_TRUE(test::given_back(cost_of_plain<DeltaFifo>(), kWaiting));
}

TEST(QueueBurstTest, SoDoTheyBehindALock) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  EXPECT_TRUE(test::given_back(cost_of_synchronized(OrderedQueue()), kWaiting));
  EXPECT_TRUE(test::given_back(cost_of_synchronized(DeltaFifo()), kWaiting));
}

}  // namespace
}  // namespace kubexx::delta
