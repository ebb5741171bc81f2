#include "base/timer_heap.hpp"

#include <gtest/gtest.h>

namespace kubexx::detail {
namespace {

using namespace std::chrono_literals;

Timer push(TimerHeap& heap, TimePoint when, Task task = [] {}) {
  auto [timer, run] = Timer::wrap(std::move(task));
  heap.push(when, timer, std::move(run));
  return timer;
}

TEST(TimerHeapTest, EqualTimesKeepTheOrderOfInsertion) {
  TimerHeap heap;
  std::string order;
  for (char c : {'a', 'b', 'c', 'd', 'e'}) push(heap, TimePoint(1s), [&order, c] { order += c; });
  push(heap, TimePoint(500ms), [&order] { order += '0'; });

  while (auto task = heap.pop_due(TimePoint(1s))) (*task)();

  EXPECT_EQ(order, "0abcde");
}

TEST(TimerHeapTest, GivesNothingBeforeItsTime) {
  TimerHeap heap;
  push(heap, TimePoint(1s));

  EXPECT_FALSE(heap.pop_due(TimePoint(999ms)));
  EXPECT_EQ(heap.next(), TimePoint(1s));
  EXPECT_TRUE(heap.pop_due(TimePoint(1s)));
  EXPECT_FALSE(heap.next());
}

TEST(TimerHeapTest, CanceledTimersDoNotPileUp) {
  TimerHeap heap;
  Timer first = push(heap, TimePoint(1s));
  std::size_t largest = 0;

  for (int i = 0; i < 100'000; ++i) {
    push(heap, TimePoint(1h)).cancel();
    largest = std::max(largest, heap.size());
  }

  EXPECT_LE(largest, 64U);
  EXPECT_EQ(heap.pending(), 1U);
  EXPECT_TRUE(first.pending());
}

TEST(TimerHeapTest, ManyLivingTimersSurviveTheSweeps) {
  TimerHeap heap;
  int ran = 0;
  for (int i = 0; i < 10'000; ++i) {
    push(heap, TimePoint(std::chrono::milliseconds(i * 7919 % 10'000)), [&] { ++ran; });
    push(heap, TimePoint(1s)).cancel();
  }

  TimePoint last{};
  while (auto when = heap.next()) {
    ASSERT_GE(*when, last);
    last = *when;
    (*heap.pop_due(*when))();
  }

  EXPECT_EQ(ran, 10'000);
}

TEST(TimerHeapTest, ADelayDoesNotRunOverTheEndOfTime) {
  EXPECT_EQ(after(TimePoint(1s), Duration::max()), TimePoint::max());
  EXPECT_EQ(after(TimePoint(1s), 1s), TimePoint(2s));
}

}  // namespace
}  // namespace kubexx::detail
