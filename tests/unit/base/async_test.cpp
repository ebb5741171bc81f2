#include "kubexx/base/async.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

#include "kubexx/base/result.hpp"
#include "support/coroutine.hpp"
#include "support/fixture_executor.hpp"
#include "unit/base/wait.hpp"

namespace kubexx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
concept Copyable = std::is_copy_constructible_v<T>;
static_assert(!Copyable<Async<int>>);
static_assert(std::is_nothrow_move_constructible_v<Async<int>>);

class AsyncTest : public testing::Test {
 protected:
  /// An operation that counts its beginnings and completes with the value.
  Async<Result<int>> counted(int value) {
    return Async<Result<int>>(executor, [this, value](Async<Result<int>>::Done done) {
      ++begun;
      executor->post([done = std::move(done), value]() mutable { done(value); });
    });
  }

  FixtureExecutor executor;
  int begun = 0;
};

TEST_F(AsyncTest, AnOperationThatIsDroppedNeverBegins) {
  const auto held = std::make_shared<int>(1);
  {
    auto dropped = counted(3).map([held](Result<int> value) { return value; });
    EXPECT_EQ(held.use_count(), 2);
  }

  EXPECT_EQ(executor->run_until_idle(), 0U);
  EXPECT_EQ(begun, 0);
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(AsyncTest, TheResultComesOnceAsATaskOfTheExecutorAndNeverInsideStart) {
  std::vector<int> got;
  counted(3).start([&](Result<int> value) { got.push_back(*value); });
  EXPECT_EQ(begun, 1);
  EXPECT_THAT(got, ElementsAre());
  Async<int>::ready(executor, 4).start([&](int value) { got.push_back(value); });
  EXPECT_THAT(got, ElementsAre());

  executor->run_until_idle();

  EXPECT_THAT(got, ElementsAre(3, 4));
}

TEST_F(AsyncTest, ACompletionMovesToAnotherExecutorAndWhatWasMappedBeforeStays) {
  FixtureExecutor other;
  std::vector<std::string> steps;
  counted(3)
      .map([&](Result<int> value) {
        steps.push_back("before");
        return value;
      })
      .on(other)
      .map([&](Result<int> value) {
        steps.push_back("after");
        return value;
      })
      .start([&](const Result<int>&) { steps.push_back("done"); });

  executor->run_until_idle();
  EXPECT_THAT(steps, ElementsAre("before"));
  other->run_until_idle();
  EXPECT_THAT(steps, ElementsAre("before", "after", "done"));
}

TEST_F(AsyncTest, AFunctionThatThrowsBetweenMakesTheResultAnError) {
  std::optional<Result<std::string>> got;
  counted(3)
      .map([](const Result<int>&) -> Result<std::string> { throw std::runtime_error("no good"); })
      .start([&](Result<std::string> value) { got = std::move(value); });
  executor->run_until_idle();

  ASSERT_TRUE(got && !*got);
  EXPECT_THAT(got->error().message(), HasSubstr("no good"));
}

TEST_F(AsyncTest, ACallbackThatThrowsIsReportedAndTheExecutorGoesOn) {
  std::vector<std::string> reported;
  set_error_sink([&](const Error& error, std::string_view where) {
    reported.push_back(std::string(where) + ": " + error.message());
  });
  bool later = false;
  counted(3).start([](const Result<int>&) { throw std::runtime_error("not mine"); });
  executor->post([&] { later = true; });
  executor->run_until_idle();
  set_error_sink(nullptr);

  EXPECT_THAT(reported, ElementsAre("completion: exception: not mine"));
  EXPECT_TRUE(later);
}

TEST_F(AsyncTest, UsingOneTwiceOrWithoutACallbackIsRefused) {
  auto once = counted(3);
  std::move(once).start([](const Result<int>&) {});

  EXPECT_THROW(std::move(once).start([](const Result<int>&) {}), std::logic_error);
  EXPECT_THROW(counted(3).start(nullptr), std::logic_error);
  EXPECT_THROW(static_cast<void>(Async<int>::ready(nullptr, 3)), std::logic_error);
  EXPECT_EQ(begun, 1);
}

TEST_F(AsyncTest, WaitReturnsWhenTheOperationHasReleasedWhatItHeld) {
  const auto threads = std::make_shared<ThreadExecutor>();
  for (int round = 0; round < 200; ++round) {
    auto held = std::make_shared<int>(round);
    const std::weak_ptr<int> weak = held;
    auto operation = Async<int>::ready(threads, 1).map([held](int one) { return *held + one; });
    held.reset();

    ASSERT_EQ(std::move(operation).wait(), round + 1);
    ASSERT_TRUE(weak.expired());
  }
}

/// An executor of a program that destroys no task before it goes itself.
class KeepingExecutor final : public Executor {
 public:
  void post(Task task) override {
    const auto kept = std::make_shared<Task>(std::move(task));
    {
      const std::lock_guard lock(mutex_);
      kept_.push_back(kept);
    }
    threads_.post([kept] { (*kept)(); });
  }
  Timer post_after(Duration delay, Task task) override { return threads_.post_after(delay, std::move(task)); }
  const Clock& clock() const override { return threads_.clock(); }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Task>> kept_;  // guarded by mutex_
  ThreadExecutor threads_;
};

TEST_F(AsyncTest, AnExecutorThatEverybodyDroppedStillCompletesWhatBegan) {
  test::Count completed;
  for (int i = 0; i < 100; ++i) {
    Async<int>::ready(std::make_shared<ThreadExecutor>(), 1).start([&](int one) { completed.add(one); });
    Async<int>::ready(std::make_shared<ThreadExecutor>(), 1).on(std::make_shared<ThreadExecutor>()).start([&](int one) {
      completed.add(one);
    });
  }
  EXPECT_TRUE(completed.reaches(200));
}

TEST_F(AsyncTest, WaitReturnsAlsoWhereFinishedTasksAreKept) {
  const auto keeping = std::make_shared<KeepingExecutor>();
  EXPECT_EQ(Async<int>::ready(keeping, 3).wait(), 3);
  EXPECT_EQ(Async<int>::ready(std::make_shared<ThreadExecutor>(), 4).on(keeping).wait(), 4);
}

TEST_F(AsyncTest, WaitEndsWithCanceledWhenTheExecutorIsShutDown) {
  test::Count begun_there;
  std::optional<Result<int>> result;
  std::optional<Error> thrown;
  std::jthread waiting([&] {
    result = Async<Result<int>>(executor, [&](Async<Result<int>>::Done done) {
               executor->post([done = std::move(done)]() mutable { done(3); });
               begun_there.add();
             }).wait();
    try {
      static_cast<void>(Async<bool>(executor, [](const Async<bool>::Done&) {}).wait());
    } catch (const Exception& e) {
      thrown = e.error();
    }
  });
  ASSERT_TRUE(begun_there.reaches(1));
  executor->shut_down();
  waiting.join();

  ASSERT_TRUE(result && !*result);
  EXPECT_TRUE(result->error().is_canceled());
  ASSERT_TRUE(thrown);
  EXPECT_TRUE(thrown->is_canceled());
}

Coroutine add(Async<Result<int>> first, Async<Result<int>> second, int& sum) {
  const auto a = co_await std::move(first);
  sum = *a;
  const auto b = co_await std::move(second);
  sum += *b;
}

TEST_F(AsyncTest, ACoroutineAwaitsOneOperationAfterTheOther) {
  int sum = 0;
  add(counted(3), counted(4), sum);
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(sum, 0);

  executor->run_one();
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(begun, 2);
  executor->run_until_idle();
  EXPECT_EQ(sum, 7);
}

Coroutine count_to(std::shared_ptr<Executor> on, int rounds, test::Count& counted) {
  for (int i = 0; i < rounds; ++i) {
    counted.add(co_await Async<int>::ready(on, 1));
  }
}

TEST_F(AsyncTest, ACoroutineMayGoOnBeforeTheBeginningReturned) {
  test::Count total;
  {
    const auto threads = std::make_shared<ThreadExecutor>();
    for (int i = 0; i < 10; ++i) count_to(threads, 500, total);
    EXPECT_TRUE(total.reaches(5000));
  }
  EXPECT_EQ(total.value(), 5000);
}

TEST_F(AsyncTest, AnExceptionOfACoroutineIsItsOwn) {
  std::vector<std::string> reported;
  set_error_sink([&](const Error& error, std::string_view where) {
    reported.push_back(std::string(where) + ": " + error.message());
  });
  const auto fails = [](Async<int> operation) -> Coroutine {
    static_cast<void>(co_await std::move(operation));
    throw std::runtime_error("inside");
  };
  fails(Async<int>::ready(executor, 1));
  executor->run_until_idle();
  set_error_sink(nullptr);

  EXPECT_THAT(reported, ElementsAre("coroutine: exception: inside"));
}

}  // namespace
}  // namespace kubexx
