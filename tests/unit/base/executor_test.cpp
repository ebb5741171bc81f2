#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "unit/base/wait.hpp"

namespace kubexx {
namespace {

using namespace std::chrono_literals;
using test::Count;

template <class T>
class EveryExecutorTest : public ::testing::Test {};
using Executors = ::testing::Types<ThreadExecutor, ElasticExecutor>;
TYPED_TEST_SUITE(EveryExecutorTest, Executors);

/// Tasks run in the order in which they became due: two threads that wake up late would take two at once.
template <class T>
T with_one_thread() {
  if constexpr (std::is_same_v<T, ThreadExecutor>) {
    return T({.threads = 1});
  } else {
    return T({.max_threads = 1});
  }
}

TYPED_TEST(EveryExecutorTest, RunsWhatIsPosted) {
  Count ran;
  TypeParam executor;

  for (int i = 0; i < 1000; ++i) executor.post([&] { ran.add(); });

  EXPECT_TRUE(ran.reaches(1000));
}

TYPED_TEST(EveryExecutorTest, TimersRunInTheOrderTheyAreDueAndNotBefore) {
  std::mutex mutex;
  std::vector<int> order;
  Count ran;
  TypeParam executor = with_one_thread<TypeParam>();
  const TimePoint start = executor.clock().now();
  TimePoint first;

  const auto add = [&](int n) {
    std::lock_guard lock(mutex);
    if (order.empty()) first = executor.clock().now();
    order.push_back(n);
    ran.add();
  };
  executor.post_after(300ms, [&] { add(3); });
  executor.post_after(20ms, [&] { add(1); });
  executor.post_after(150ms, [&] { add(2); });
  const Duration posting = executor.clock().now() - start;

  ASSERT_TRUE(ran.reaches(3));
  std::lock_guard lock(mutex);
  if (posting < 150ms) {  // else the one that was posted first may be due first
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  }
  EXPECT_GE(first - start, 20ms);
}

TYPED_TEST(EveryExecutorTest, ACanceledTimerDoesNotRunAndReleasesItsTask) {
  auto owned = std::make_shared<int>(1);
  std::atomic<bool> ran{false};
  Count held;
  Count go;
  Count later;
  TypeParam executor = with_one_thread<TypeParam>();

  executor.post([&] {  // so that canceling is in time, however late it comes
    held.add();
    go.reaches(1);
  });
  ASSERT_TRUE(held.reaches(1));
  Timer timer = executor.post_after(50ms, [&ran, owned] { ran = true; });
  timer.cancel();
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_FALSE(timer.pending());
  go.add();
  executor.post_after(80ms, [&] { later.add(); });

  ASSERT_TRUE(later.reaches(1));
  EXPECT_FALSE(ran);
}

TYPED_TEST(EveryExecutorTest, ATaskThatThrowsDoesNotStopIt) {
  Count ran;
  TypeParam executor;

  executor.post([] { throw std::runtime_error("boom"); });
  executor.post([&] { ran.add(); });

  EXPECT_TRUE(ran.reaches(1));
}

TYPED_TEST(EveryExecutorTest, DestructionDropsTimersAndReleasesTheirTasks) {
  auto owned = std::make_shared<int>(1);
  Timer timer;

  {
    TypeParam executor;
    timer = executor.post_after(1h, [owned] {});
    EXPECT_TRUE(timer.pending());
  }

  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_FALSE(timer.pending());
}

TYPED_TEST(EveryExecutorTest, MayBeDestroyedByItsOwnTask) {
  auto executor = std::make_shared<TypeParam>();
  Count ready;
  Count go;
  Count gone;

  executor->post([&, executor]() mutable {
    ready.add();
    go.reaches(1);
    executor.reset();
    gone.add();
  });
  ready.reaches(1);
  executor.reset();
  go.add();

  EXPECT_TRUE(gone.reaches(1));
}

TYPED_TEST(EveryExecutorTest, ADelayBeyondTheEndOfTimeIsNeverDue) {
  Count ran;
  TypeParam executor;

  Timer never = executor.post_after(Duration::max(), [&] { ran.add(100); });
  executor.post_after(1ms, [&] { ran.add(); });

  EXPECT_TRUE(ran.reaches(1));
  EXPECT_TRUE(never.pending());
  EXPECT_EQ(ran.value(), 1);
}

TYPED_TEST(EveryExecutorTest, AnEmptyTaskIsMisuse) {
  TypeParam executor;

  EXPECT_THROW(executor.post(Task()), std::logic_error);
  EXPECT_THROW(executor.post_after(1s, Task()), std::logic_error);
}

TYPED_TEST(EveryExecutorTest, PostingFromAnywhereWhileItIsDestroyedIsSafe) {
  for (int round = 0; round < 20; ++round) {
    auto executor = std::make_shared<TypeParam>();
    Count started;
    auto owned = std::make_shared<int>(0);
    struct Repeat {
      TypeParam* executor;
      Count* started;
      std::shared_ptr<int> owned;
      void operator()() {
        started->add();
        executor->post(Repeat(*this));
        executor->post_after(1us, Repeat(*this));
      }
    };
    executor->post(Repeat{executor.get(), &started, owned});
    ASSERT_TRUE(started.reaches(10));

    executor.reset();

    ASSERT_EQ(owned.use_count(), 1);
  }
}

TEST(ThreadExecutorTest, NeedsAThread) {
  EXPECT_THROW(ThreadExecutor({.threads = 0}), std::logic_error);
}

TEST(ThreadExecutorTest, NamesItsThreads) {
  Count ran;
  char name[16] = {};
  ThreadExecutor executor({.threads = 1, .name = "a-very-long-thread-name"});

  executor.post([&] {
    pthread_getname_np(pthread_self(), name, sizeof name);
    ran.add();
  });

  ASSERT_TRUE(ran.reaches(1));
  EXPECT_STREQ(name, "a-very-long--0");
}

TEST(ThreadExecutorTest, AnEarlierTimerOvertakesTheOneItWaitsFor) {
  Count ran;
  ThreadExecutor executor;

  Timer late = executor.post_after(1h, [&] { ran.add(100); });
  executor.post_after(1ms, [&] { ran.add(); });

  ASSERT_TRUE(ran.reaches(1));
  EXPECT_EQ(ran.value(), 1);
  EXPECT_TRUE(late.pending());
}

TEST(ThreadExecutorTest, TimersFireWhileTasksKeepComing) {
  std::atomic<bool> stop{false};
  Count fired;
  ThreadExecutor executor({.threads = 1});
  struct Repeat {
    ThreadExecutor& executor;
    std::atomic<bool>& stop;
    void operator()() {
      if (!stop) executor.post(Repeat{executor, stop});
    }
  };

  executor.post(Repeat{executor, stop});
  executor.post_after(1ms, [&] { fired.add(); });

  EXPECT_TRUE(fired.reaches(1));
  stop = true;
}

TEST(ElasticExecutorTest, BlockedTasksDelayNobody) {
  Count release;
  Count blocked;
  Count ran;
  ElasticExecutor executor;

  for (int i = 0; i < 100; ++i) {
    executor.post([&] {
      blocked.add();
      release.reaches(1);
    });
  }
  executor.post([&] { ran.add(); });

  EXPECT_TRUE(blocked.reaches(100));
  EXPECT_TRUE(ran.reaches(1));
  release.add();
}

bool falls_to(const ElasticExecutor& executor, std::size_t threads) {
  const TimePoint until = executor.clock().now() + 60s;
  while (executor.threads() > threads) {
    if (executor.clock().now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(ElasticExecutorTest, HasNoWorkerBeforeTheFirstTaskAndNoneAfterLingering) {
  Count ran;
  ElasticExecutor executor({.linger = 5ms});
  EXPECT_EQ(executor.threads(), 0U);

  for (int i = 0; i < 50; ++i) executor.post([&] { ran.add(); });
  ASSERT_TRUE(ran.reaches(50));

  EXPECT_TRUE(falls_to(executor, 0));
  executor.post([&] { ran.add(); });
  EXPECT_TRUE(ran.reaches(51));
}

TEST(ElasticExecutorTest, ATimerNeedsNoWorker) {
  Count ran;
  ElasticExecutor executor({.linger = 5ms});
  executor.post([&] { ran.add(); });
  Timer timer = executor.post_after(1h, [] {});
  ASSERT_TRUE(ran.reaches(1));

  EXPECT_TRUE(falls_to(executor, 0));
  EXPECT_TRUE(timer.pending());
}

TEST(ElasticExecutorTest, TimersFireWhileEveryThreadIsBlocked) {
  Count release;
  Count fired;
  ElasticExecutor executor({.eager_threads = 1});

  executor.post([&] { release.reaches(1); });
  executor.post_after(1ms, [&] { fired.add(); });

  EXPECT_TRUE(fired.reaches(1));
  release.add();
}

TEST(ElasticExecutorTest, NeverHasMoreWorkersThanAllowed) {
  constexpr int kWorkers = 5;
  Count release;
  Count blocked;
  Count ran;
  ElasticExecutor executor({.eager_threads = 2, .max_threads = kWorkers});
  for (int i = 0; i < 20; ++i) {
    executor.post([&] {
      blocked.add();
      release.reaches(1);
      ran.add();
    });
  }

  ASSERT_TRUE(blocked.reaches(kWorkers));
  EXPECT_LE(executor.threads(), static_cast<std::size_t>(kWorkers));
  EXPECT_EQ(blocked.value(), kWorkers);
  release.add();

  EXPECT_TRUE(ran.reaches(20));
}

TEST(ElasticExecutorTest, ManyShortTasksDoNotMakeManyThreads) {
  constexpr int kTasks = 20'000;
  Count ran;
  std::atomic<int> left{kTasks};  // no lock: behind a holder that is preempted the others sleep, which is a reason
  std::atomic<std::size_t> most{0};
  ElasticExecutor executor({.eager_threads = 2, .patience = 20ms});

  for (int i = 0; i < kTasks; ++i) {
    executor.post([&] {
      const TimePoint until = executor.clock().now() + 5us;
      while (executor.clock().now() < until) continue;
      most = std::max(most.load(), executor.threads());
      if (--left == 0) ran.add();
    });
  }

  ASSERT_TRUE(ran.reaches(1));
  EXPECT_LE(most.load(), 10U);
}

TEST(ElasticExecutorTest, ThreadsThatComputeAreNoReasonForMoreThreads) {
  constexpr int kTasks = 30;
  Count ran;
  std::atomic<int> left{kTasks};  // no lock: threads that wait for one do not compute
  std::atomic<std::size_t> most{0};
  ElasticExecutor executor({.eager_threads = 2});

  for (int i = 0; i < kTasks; ++i) {
    executor.post([&] {
      const TimePoint until = executor.clock().now() + 5ms;
      while (executor.clock().now() < until) continue;
      most = std::max(most.load(), executor.threads());
      if (--left == 0) ran.add();
    });
  }

  ASSERT_TRUE(ran.reaches(1));
  EXPECT_LE(most.load(), 6U);
}

TEST(ElasticExecutorTest, NeedsAThread) {
  EXPECT_THROW(ElasticExecutor({.max_threads = 0}), std::logic_error);
}

}  // namespace
}  // namespace kubexx
