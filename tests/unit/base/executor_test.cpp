#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

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

TYPED_TEST(EveryExecutorTest, RunsWhatIsPosted) {
  TypeParam executor;
  Count ran;

  for (int i = 0; i < 1000; ++i) executor.post([&] { ran.add(); });

  EXPECT_TRUE(ran.reaches(1000));
}

TYPED_TEST(EveryExecutorTest, TimersRunInTheOrderTheyAreDueAndNotBefore) {
  TypeParam executor;
  std::mutex mutex;
  std::vector<int> order;
  Count ran;
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

  ASSERT_TRUE(ran.reaches(3));
  std::lock_guard lock(mutex);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  EXPECT_GE(first - start, 20ms);
}

TYPED_TEST(EveryExecutorTest, ACanceledTimerDoesNotRunAndReleasesItsTask) {
  TypeParam executor;
  auto owned = std::make_shared<int>(1);
  std::atomic<bool> ran{false};
  Count later;

  Timer timer = executor.post_after(50ms, [&ran, owned] { ran = true; });
  timer.cancel();
  executor.post_after(80ms, [&] { later.add(); });

  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_FALSE(timer.pending());
  ASSERT_TRUE(later.reaches(1));
  EXPECT_FALSE(ran);
}

TYPED_TEST(EveryExecutorTest, ATaskThatThrowsDoesNotStopIt) {
  TypeParam executor;
  Count ran;

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
  TypeParam executor;
  Count ran;

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

TEST(ElasticExecutorTest, BlockedTasksDelayNobody) {
  ElasticExecutor executor;
  Count release;
  Count blocked;
  Count ran;

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

}  // namespace
}  // namespace kubexx
