#include "kubexx/base/detail/driving_condition.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "kubexx/base/loop_executor.hpp"
#include "unit/base/wait.hpp"

namespace kubexx::detail {
namespace {

using namespace std::chrono_literals;

/// Runs on one thread and cannot be driven from a task.
class OneThread final : public Executor {
 public:
  void post(Task task) override { inner_.post(std::move(task)); }
  Timer post_after(Duration delay, Task task) override { return inner_.post_after(delay, std::move(task)); }
  const Clock& clock() const override { return inner_.clock(); }
  bool runs_only_here() const noexcept override { return thread_ == std::this_thread::get_id(); }

 private:
  ManualExecutor inner_;
  const std::thread::id thread_ = std::this_thread::get_id();
};

struct Waited {
  std::mutex mutex;
  DrivingCondition changed;
  bool done = false;  // guarded by mutex

  void finish() {
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  }
  Result<bool> wait(const Awaited& awaited, const std::stop_token& stop = {}, TimePoint until = TimePoint::max()) {
    std::unique_lock lock(mutex);
    return changed.wait(awaited, lock, [this] { return done; }, stop, until);
  }
};

TEST(DrivingConditionTest, SleepsWhereOthersRunTheTasks) {
  ThreadExecutor executor;
  Waited waited;
  executor.post([&] { waited.finish(); });

  EXPECT_TRUE(waited.wait({&executor, nullptr}).value());
}

TEST(DrivingConditionTest, DrivesTheLoopOfItsOwnThread) {
  LoopExecutor loop;
  Waited waited;
  loop.post_after(5ms, [&] { waited.finish(); });

  EXPECT_TRUE(waited.wait({&loop}).value());
}

TEST(DrivingConditionTest, WakesALoopThatIsDrivenWhenAnotherThreadNotifies) {
  LoopExecutor loop;
  Waited waited;
  test::Count begun;
  loop.post([&] { begun.add(); });
  std::jthread other([&] {
    EXPECT_TRUE(begun.reaches(1));
    waited.finish();
  });

  EXPECT_TRUE(waited.wait({&loop}).value());
}

TEST(DrivingConditionTest, StopAndTimeEndADrivenWait) {
  LoopExecutor loop;
  Waited waited;
  std::stop_source stop;
  loop.post_after(5ms, [&] { stop.request_stop(); });
  EXPECT_FALSE(waited.wait({&loop}, stop.get_token()).value());

  std::stop_source later;
  std::jthread other([&] { later.request_stop(); });
  EXPECT_FALSE(waited.wait({&loop}, later.get_token()).value());

  const TimePoint until = Clock::system().now() + 10ms;
  EXPECT_FALSE(waited.wait({&loop}, {}, until).value());
  EXPECT_GE(Clock::system().now(), until);
}

TEST(DrivingConditionTest, AWaitWithoutTimeOnlyLooks) {
  LoopExecutor loop;
  Waited waited;
  loop.post([] { FAIL(); });

  EXPECT_FALSE(waited.wait({&loop}, {}, Clock::system().now()).value());

  loop.shut_down();
}

TEST(DrivingConditionTest, IsAnErrorAtOnceWhereTheOwnThreadCannotBeDriven) {
  OneThread executor;
  Waited waited;
  executor.post([&] { waited.finish(); });

  const auto met = waited.wait({&executor});

  ASSERT_FALSE(met);
  EXPECT_NE(met.error().message().find("wait for ever"), std::string::npos);
  EXPECT_FALSE(Awaited({&executor}).possible());
  waited.finish();
  EXPECT_TRUE(waited.wait({&executor}).value());  // nothing is left to wait for
}

TEST(DrivingConditionTest, OnAnotherThreadTheSameExecutorIsWaitedFor) {
  OneThread executor;
  Waited waited;
  std::jthread other([&] { EXPECT_TRUE(waited.wait({&executor}).value()); });

  waited.finish();
}

TEST(DrivingConditionTest, TwoLoopsOfOneThreadAreAnError) {
  LoopExecutor one;
  LoopExecutor two;
  Waited waited;

  EXPECT_FALSE(waited.wait({&one, &two}));
  EXPECT_FALSE(Awaited({&one, &two}).possible());
  EXPECT_TRUE(Awaited({&one, &one}).possible());
}

TEST(DrivingConditionTest, ALoopThatEndsMeanwhileEndsTheWait) {
  LoopExecutor loop;
  Waited waited;
  loop.post([&] { loop.shut_down(); });

  EXPECT_FALSE(waited.wait({&loop}));
}

}  // namespace
}  // namespace kubexx::detail
