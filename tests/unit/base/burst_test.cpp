/// What strands and executors take in a burst they give back when it was run.
#include <gtest/gtest.h>

#include <future>
#include <latch>

#include "kubexx/base/executor.hpp"
#include "kubexx/base/loop_executor.hpp"
#include "support/burst_cost.hpp"

namespace kubexx {
namespace {

using namespace std::chrono_literals;
using test::cost_of_burst;
using test::given_back;
using test::kBurst;

constexpr std::ptrdiff_t kBurstTasks = 8 << 20;  // so many bytes at least

TEST(BurstTest, AStrandGivesBackWhatItsTasksTook) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  const auto executor = std::make_shared<ManualExecutor>();
  const Strand strand(executor);

  const auto spent = cost_of_burst(
      kBurst,
      [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) strand.post([] {});
      },
      [&] { executor->run_until_idle(); });

  EXPECT_TRUE(given_back(spent, kBurstTasks));
}

TEST(BurstTest, AStrandGivesBackWhatATaskDeferred) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  const auto executor = std::make_shared<ManualExecutor>();
  const Strand strand(executor);
  std::ptrdiff_t height = 0;

  auto spent = cost_of_burst(
      kBurst,
      [&](std::size_t count) {
        strand.post([&, count] {
          const auto before = test::live_bytes();
          for (std::size_t i = 0; i < count; ++i) strand.defer([] {});
          height = test::live_bytes() - before;
        });
      },
      [&] { executor->run_until_idle(); });
  spent.height = height;

  EXPECT_TRUE(given_back(spent, kBurstTasks));
}

TEST(BurstTest, AnExecutorOfALoopGivesBackWhatItsTasksTook) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  LoopExecutor loop;

  const auto spent = cost_of_burst(
      kBurst,
      [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) loop.post([] {});
      },
      [&] {
        while (loop.run_ready() > 0) continue;
      });

  EXPECT_TRUE(given_back(spent, kBurstTasks));
}

/// Tasks wait while the only thread is held.
template <class Threads>
test::BurstCost cost_of_tasks(Threads& executor) {
  std::unique_ptr<std::latch> held;
  return cost_of_burst(
      kBurst,
      [&](std::size_t count) {
        held = std::make_unique<std::latch>(1);
        executor.post([&] { held->wait(); });
        for (std::size_t i = 0; i < count; ++i) executor.post([] {});
      },
      [&] {
        std::promise<void> last;
        executor.post([&] { last.set_value(); });
        held->count_down();
        last.get_future().wait();
      });
}

TEST(BurstTest, AnExecutorWithThreadsGivesBackWhatItsTasksTook) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  ThreadExecutor executor({.threads = 1});
  EXPECT_TRUE(given_back(cost_of_tasks(executor), kBurstTasks));
}

TEST(BurstTest, AnExecutorWhoseThreadsComeAndGoGivesBackWhatItsTasksTook) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  ElasticExecutor executor({.max_threads = 1});
  EXPECT_TRUE(given_back(cost_of_tasks(executor), kBurstTasks));
}

TEST(BurstTest, TimersThatRanAreGivenBackThoughOneStays) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  const auto executor = std::make_shared<ManualExecutor>();
  const Timer stays = executor->post_after(1h, [] {});

  const auto spent = cost_of_burst(
      kBurst,
      [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) executor->post_after(1s, [] {});
      },
      [&] { executor->advance(2s); });

  EXPECT_EQ(executor->pending_timers(), 1U);
  EXPECT_TRUE(given_back(spent, kBurstTasks));
}

TEST(BurstTest, CanceledTimersAreGivenBackWhenTheirTimeHasCome) {
  SKIP_UNLESS_BYTES_ARE_COUNTED();
  const auto executor = std::make_shared<ManualExecutor>();
  std::vector<Timer> timers;

  const auto spent = cost_of_burst(
      kBurst,
      [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) timers.push_back(executor->post_after(1s, [] {}));
      },
      [&] {
        for (Timer& timer : timers) timer.cancel();
        std::vector<Timer>().swap(timers);
        executor->advance(2s);
      });

  EXPECT_TRUE(given_back(spent, kBurstTasks));
}

}  // namespace
}  // namespace kubexx
