#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kubexx/base/executor.hpp"

namespace kubexx {
namespace {

using namespace std::chrono_literals;

TEST(ManualExecutorTest, RunsNothingByItself) {
  ManualExecutor executor;
  int ran = 0;
  executor.post([&] { ++ran; });
  EXPECT_EQ(ran, 0);

  EXPECT_TRUE(executor.run_one());

  EXPECT_EQ(ran, 1);
  EXPECT_FALSE(executor.run_one());
}

TEST(ManualExecutorTest, SeedZeroKeepsTheOrderOfPosting) {
  ManualExecutor executor;
  std::string order;
  for (char c : {'a', 'b', 'c', 'd'}) executor.post([&order, c] { order += c; });

  EXPECT_EQ(executor.run_until_idle(), 4U);

  EXPECT_EQ(order, "abcd");
}

std::string order_of(std::uint64_t seed) {
  ManualExecutor executor(seed);
  std::string order;
  for (char c = 'a'; c <= 'p'; ++c) executor.post([&order, c] { order += c; });
  executor.run_until_idle();
  return order;
}

TEST(ManualExecutorTest, ASeedDecidesTheOrder) {
  EXPECT_EQ(order_of(5), order_of(5));
  EXPECT_NE(order_of(5), order_of(6));
  EXPECT_NE(order_of(5), order_of(0));
}

TEST(ManualExecutorTest, StrandsKeepTheirOrderUnderEverySeed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    auto executor = std::make_shared<ManualExecutor>(seed);
    Strand a(executor);
    Strand b(executor);
    std::string in_a;
    std::string in_b;
    for (char c = 'a'; c <= 'f'; ++c) {
      a.post([&in_a, c] { in_a += c; });
      b.post([&in_b, c] { in_b += c; });
    }

    executor->run_until_idle();

    ASSERT_EQ(in_a, "abcdef");
    ASSERT_EQ(in_b, "abcdef");
  }
}

TEST(ManualExecutorTest, SeedsInterleaveTheTasksOfTwoStrands) {
  auto executor = std::make_shared<ManualExecutor>(3);
  Strand a(executor);
  Strand b(executor);
  std::string order;
  for (int i = 0; i < 8; ++i) {
    a.post([&] { order += 'a'; });
    b.post([&] { order += 'b'; });
  }

  executor->run_until_idle();

  EXPECT_NE(order, "aaaaaaaabbbbbbbb");
  EXPECT_NE(order, "bbbbbbbbaaaaaaaa");
}

TEST(ManualExecutorTest, AdvanceStepsFromTimerToTimer) {
  ManualExecutor executor;
  const TimePoint start = executor.clock().now();
  std::vector<std::pair<int, Duration>> ran;
  const auto note = [&](int n) { ran.emplace_back(n, executor.clock().now() - start); };
  executor.post_after(3s, [&] { note(3); });
  executor.post_after(1s, [&] {
    note(1);
    executor.post_after(1s, [&] { note(2); });
  });
  executor.post_after(11s, [&] { note(4); });

  executor.advance(10s);

  EXPECT_EQ(ran, (std::vector<std::pair<int, Duration>>{{1, 1s}, {2, 2s}, {3, 3s}}));
  EXPECT_EQ(executor.clock().now() - start, 10s);
  EXPECT_EQ(executor.pending_timers(), 1U);
}

TEST(ManualExecutorTest, AdvanceToTheNextTimerStopsThere) {
  ManualExecutor executor;
  const TimePoint start = executor.clock().now();
  int ran = 0;
  executor.post_after(5s, [&] { ++ran; });
  executor.post_after(9s, [&] { ++ran; });

  EXPECT_TRUE(executor.advance_to_next_timer());

  EXPECT_EQ(ran, 1);
  EXPECT_EQ(executor.clock().now() - start, 5s);
  EXPECT_TRUE(executor.advance_to_next_timer());
  EXPECT_FALSE(executor.advance_to_next_timer());
}

TEST(ManualExecutorTest, ACanceledTimerIsNotPendingAndMovesNoClock) {
  ManualExecutor executor;
  const TimePoint start = executor.clock().now();
  Timer timer = executor.post_after(5s, [] { FAIL(); });

  timer.cancel();

  EXPECT_EQ(executor.pending_timers(), 0U);
  EXPECT_FALSE(executor.advance_to_next_timer());
  EXPECT_EQ(executor.clock().now(), start);
}

TEST(ManualExecutorTest, MovingTheClockAloneRunsNothing) {
  ManualExecutor executor;
  int ran = 0;
  executor.post_after(5s, [&] { ++ran; });

  executor.fake_clock().advance(10s);
  EXPECT_EQ(ran, 0);
  executor.run_until_idle();

  EXPECT_EQ(ran, 1);
}

TEST(ManualExecutorTest, ADelayOfZeroIsAPostThatCanBeCanceled) {
  ManualExecutor executor;
  int ran = 0;
  executor.post_after(0s, [&] { ++ran; });
  Timer canceled = executor.post_after(-1s, [&] { ++ran; });
  canceled.cancel();

  executor.run_until_idle();

  EXPECT_EQ(ran, 1);
  EXPECT_EQ(executor.pending_timers(), 0U);
}

TEST(ManualExecutorTest, TasksDroppedByDestructionMayPost) {
  struct PostsWhenDropped {
    ManualExecutor* executor;
    std::shared_ptr<int> owned;
    PostsWhenDropped(ManualExecutor* e, std::shared_ptr<int> o) : executor(e), owned(std::move(o)) {}
    PostsWhenDropped(PostsWhenDropped&& other) noexcept
        : executor(std::exchange(other.executor, nullptr)), owned(std::move(other.owned)) {}
    ~PostsWhenDropped() {
      if (executor) executor->post([o = owned] {});
    }
    void operator()() {}
  };
  auto owned = std::make_shared<int>(1);

  {
    ManualExecutor executor;
    executor.post(PostsWhenDropped(&executor, owned));
    executor.post_after(1s, PostsWhenDropped(&executor, owned));
  }

  EXPECT_EQ(owned.use_count(), 1);
}

TEST(ManualExecutorTest, TimeDoesNotGoBack) {
  ManualExecutor executor;
  EXPECT_THROW(executor.advance(-1s), std::logic_error);
}

TEST(ManualExecutorTest, ShutDownFreesTasksThatHoldTheExecutorAndTakesNoMore) {
  auto executor = std::make_shared<ManualExecutor>();
  const std::weak_ptr<ManualExecutor> watched = executor;
  int ran = 0;
  executor->post([executor, &ran] { ++ran; });
  executor->post_after(1s, [executor, &ran] { ++ran; });

  executor->shut_down();
  executor->post([&ran] { ++ran; });
  executor->advance(2s);
  executor.reset();

  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(ran, 0);
}

TEST(TimerTest, ADefaultTimerIsInert) {
  Timer timer;
  timer.cancel();
  EXPECT_FALSE(timer.pending());
}

TEST(TimerTest, CopiesCancelTheSameTask) {
  auto [timer, task] = Timer::wrap([] { FAIL(); });
  Timer copy = timer;

  copy.cancel();
  task();

  EXPECT_FALSE(timer.pending());
}

TEST(TimerTest, CancelingWhatRunsHasNoEffect) {
  Timer self;
  int ran = 0;
  auto [timer, task] = Timer::wrap([&] {
    self.cancel();
    ++ran;
  });
  self = timer;

  task();

  EXPECT_EQ(ran, 1);
  EXPECT_FALSE(timer.pending());
}

}  // namespace
}  // namespace kubexx
