#include "kubexx/base/loop_executor.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "kubexx/base/error_sink.hpp"
#include "unit/base/wait.hpp"

namespace kubexx {
namespace {

using namespace std::chrono_literals;
using test::Count;

bool readable(int fd, std::chrono::milliseconds within = 0ms) {
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(within.count())) == 1;
}

struct Pipe {
  Pipe() {
    if (pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category());
  }
  ~Pipe() {
    for (const int end : ends) close(end);
  }
  void write() const { EXPECT_EQ(::write(ends[1], "x", 1), 1); }
  void read() const {
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  }
  std::array<int, 2> ends{};
};

TEST(LoopExecutorTest, RunsTasksInOrderOnTheThreadThatDrivesIt) {
  LoopExecutor loop;
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) loop.post([&order, i] { order.push_back(i); });
  EXPECT_TRUE(order.empty());

  EXPECT_EQ(loop.run_ready(), 5U);

  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(loop.run_ready(), 0U);
}

TEST(LoopExecutorTest, ItsDescriptorIsReadableWhileATaskWaitsAndNotAfterwards) {
  LoopExecutor loop;
  EXPECT_FALSE(readable(loop.fd()));
  EXPECT_FALSE(loop.next_due());

  loop.post([] {});
  EXPECT_TRUE(readable(loop.fd()));
  EXPECT_LE(loop.next_due(), Clock::system().now());
  loop.run_ready();

  EXPECT_FALSE(readable(loop.fd()));
  loop.post([] {});
  EXPECT_TRUE(readable(loop.fd()));
}

TEST(LoopExecutorTest, ATaskThatPostsAnotherLeavesItToTheNextTurn) {
  LoopExecutor loop;
  int ran = 0;
  std::function<void()> again = [&] {
    ++ran;
    loop.post([&] { again(); });
  };
  loop.post([&] { again(); });

  EXPECT_EQ(loop.run_ready(), 1U);

  EXPECT_EQ(ran, 1);
  EXPECT_TRUE(readable(loop.fd()));
  EXPECT_EQ(loop.run_ready(), 1U);
  EXPECT_EQ(ran, 2);
}

TEST(LoopExecutorTest, OneTurnRunsAtMost64Tasks) {
  LoopExecutor loop;
  int ran = 0;
  for (int i = 0; i < 100; ++i) loop.post([&] { ++ran; });

  EXPECT_EQ(loop.run_ready(), 64U);

  EXPECT_TRUE(readable(loop.fd()));
  EXPECT_EQ(loop.run_ready(), 36U);
  EXPECT_EQ(ran, 100);
}

TEST(LoopExecutorTest, TimersMakeItReadableWhenTheyAreDueAndRunInThatOrder) {
  LoopExecutor loop;
  std::vector<int> order;
  const TimePoint start = loop.clock().now();
  loop.post_after(60ms, [&] { order.push_back(2); });
  loop.post_after(20ms, [&] { order.push_back(1); });
  const auto first = loop.next_due();
  ASSERT_TRUE(first);
  EXPECT_GE(*first - start, 20ms);
  const auto ran = loop.run_ready();
  const bool told = readable(loop.fd());
  if (loop.clock().now() < *first) {  // else this thread was kept waiting
    EXPECT_EQ(ran, 0U);
    EXPECT_FALSE(told);
  }

  ASSERT_TRUE(order.size() == 2 || readable(loop.fd(), 10s));
  EXPECT_GE(loop.clock().now() - start, 20ms);
  while (order.size() < 2 && readable(loop.fd(), 10s)) loop.run_ready();

  EXPECT_EQ(order.size(), 2U);
  if (*first - start < 60ms) {  // else the second was posted when the first was nearly due
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
  }
  EXPECT_GE(loop.clock().now() - start, 60ms);
  EXPECT_FALSE(readable(loop.fd()));
}

TEST(LoopExecutorTest, ATimerThatATaskSetsMakesItReadable) {
  LoopExecutor loop;
  bool ran = false;
  loop.post([&] { loop.post_after(10ms, [&] { ran = true; }); });
  loop.run_ready();

  ASSERT_TRUE(readable(loop.fd(), 10s));
  loop.run_ready();

  EXPECT_TRUE(ran);
}

TEST(LoopExecutorTest, ACanceledTimerDoesNotRunAndReleasesItsTask) {
  LoopExecutor loop;
  auto owned = std::make_shared<int>(1);
  auto timer = loop.post_after(10ms, [owned] { FAIL(); });

  timer.cancel();

  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_FALSE(loop.next_due());
  readable(loop.fd(), 50ms);  // the alarm was set already
  EXPECT_EQ(loop.run_ready(), 0U);
  EXPECT_FALSE(readable(loop.fd()));
}

TEST(LoopExecutorTest, PostingFromAnotherThreadWakesTheOneThatWaits) {
  LoopExecutor loop;
  std::atomic<int> ran{0};
  std::jthread other([&] {
    for (int i = 0; i < 1000; ++i) loop.post([&] { ++ran; });
    loop.post_after(1ms, [&] { ++ran; });
  });

  while (ran < 1001) {
    ASSERT_TRUE(readable(loop.fd(), 10s));
    loop.run_ready();
  }
}

TEST(LoopExecutorTest, RunUntilEndsByItsConditionByStopAndByTime) {
  LoopExecutor loop;
  bool done = false;
  loop.post_after(5ms, [&] { done = true; });
  EXPECT_TRUE(loop.run_until([&] { return done; }, {}, 10s));

  std::stop_source stop;
  std::jthread other([&] { stop.request_stop(); });
  EXPECT_FALSE(loop.run_until([] { return false; }, stop.get_token()));

  const TimePoint before = loop.clock().now();
  EXPECT_FALSE(loop.run_until([] { return false; }, {}, 20ms));
  EXPECT_GE(loop.clock().now() - before, 20ms);
}

TEST(LoopExecutorTest, ATaskThatThrowsIsReportedAndTheNextRuns) {
  LoopExecutor loop;
  std::string reported;
  set_error_sink([&](const Error& error, std::string_view) { reported = error.message(); });
  bool ran = false;
  loop.post([] { throw std::runtime_error("no luck"); });
  loop.post([&] { ran = true; });

  loop.run_ready();

  set_error_sink({});
  EXPECT_NE(reported.find("no luck"), std::string::npos);
  EXPECT_TRUE(ran);
}

TEST(LoopExecutorTest, DestroyingItDropsWhatWaits) {
  auto owned = std::make_shared<int>(1);
  Pipe pipe;
  std::shared_ptr<void> handle;
  {
    LoopExecutor loop;
    loop.post([owned] {});
    loop.post_after(1h, [owned] {});
    handle = loop.watch(pipe.ends[0], [owned] {});
    EXPECT_EQ(owned.use_count(), 4);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(LoopExecutorTest, ShuttingDownFreesATaskThatHoldsTheLoop) {
  auto loop = std::make_shared<LoopExecutor>();
  const std::weak_ptr<LoopExecutor> alive = loop;
  loop->post([loop] {});

  loop->shut_down();
  loop->post([loop] {});
  loop.reset();

  EXPECT_TRUE(alive.expired());
}

TEST(LoopExecutorTest, ATaskMayDropTheLastOwnerOfTheLoop) {
  auto* loop = new std::shared_ptr<LoopExecutor>(std::make_shared<LoopExecutor>());
  LoopExecutor& inside = **loop;
  bool second = false;
  inside.post([loop] { delete loop; });
  inside.post([&] { second = true; });

  EXPECT_EQ(inside.run_ready(), 1U);

  EXPECT_FALSE(second);
}

TEST(LoopExecutorTest, AnEmptyTaskIsRefused) {
  LoopExecutor loop;
  EXPECT_THROW(loop.post({}), std::logic_error);
  EXPECT_THROW(loop.post_after(1s, {}), std::logic_error);
}

TEST(LoopExecutorTest, CallsWhatWatchesAReadableDescriptorUntilItsHandleGoes) {
  LoopExecutor loop;
  const Pipe pipe;
  int called = 0;
  auto handle = loop.watch(pipe.ends[0], [&] {
    ++called;
    pipe.read();
  });
  EXPECT_FALSE(readable(loop.fd()));

  pipe.write();
  EXPECT_TRUE(readable(loop.fd()));
  EXPECT_EQ(loop.run_ready(), 1U);
  EXPECT_EQ(called, 1);
  EXPECT_FALSE(readable(loop.fd()));

  pipe.write();
  handle.reset();
  EXPECT_FALSE(readable(loop.fd()));
  EXPECT_EQ(loop.run_ready(), 0U);
  EXPECT_EQ(called, 1);
}

TEST(LoopExecutorTest, ADescriptorThatCannotBeWaitedForIsRefused) {
  LoopExecutor loop;
  EXPECT_THROW(static_cast<void>(loop.watch(-1, [] {})), std::system_error);
  EXPECT_THROW(static_cast<void>(loop.watch(0, {})), std::logic_error);
}

TEST(LoopExecutorTest, BelongsToTheThreadThatDroveItLast) {
  LoopExecutor loop;
  EXPECT_TRUE(loop.runs_only_here());

  std::jthread([&] {
    EXPECT_FALSE(loop.runs_only_here());
    loop.run_ready();
    EXPECT_TRUE(loop.runs_only_here());
  }).join();

  EXPECT_FALSE(loop.runs_only_here());
}

TEST(LoopExecutorTest, TwoThreadsThatDriveItAtOnceAreMisuse) {
  LoopExecutor loop;
  bool refused = false;
  loop.post([&] {
    std::jthread([&] {
      try {
        loop.run_ready();
      } catch (const std::logic_error&) {
        refused = true;
      }
    }).join();
  });

  loop.run_ready();

  EXPECT_TRUE(refused);
}

TEST(LoopExecutorTest, ATaskMayDriveTheLoop) {
  LoopExecutor loop;
  std::vector<int> order;
  loop.post([&] {
    order.push_back(1);
    while (order.size() < 3) ASSERT_TRUE(loop.drive(TimePoint::max()));
    order.push_back(4);
  });
  loop.post([&] { order.push_back(2); });
  loop.post([&] { loop.post_after(5ms, [&] { order.push_back(3); }); });

  loop.run_ready();

  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_FALSE(readable(loop.fd()));
}

TEST(LoopExecutorTest, DrivingWaitsNoLongerThanItIsTold) {
  LoopExecutor loop;
  const TimePoint before = loop.clock().now();

  EXPECT_TRUE(loop.drive(before + 20ms));

  EXPECT_GE(loop.clock().now() - before, 20ms);
}

TEST(LoopExecutorTest, CannotBeDrivenTooDeepInsideAWatcherOrAfterItsEnd) {
  LoopExecutor loop;
  int deepest = 0;
  bool refused = false;
  std::function<void()> deeper = [&] {
    if (refused) return;
    ++deepest;
    loop.post([&] { deeper(); });
    while (!refused) {
      if (!loop.drive(TimePoint::max())) refused = true;  // what runs inside may have been refused meanwhile
    }
  };
  loop.post([&] { deeper(); });
  loop.run_ready();
  EXPECT_EQ(deepest, 64);
  loop.run_ready();

  const Pipe pipe;
  pipe.write();
  bool driven = true;
  const auto handle = loop.watch(pipe.ends[0], [&] {
    pipe.read();
    driven = loop.drive(TimePoint::min());
  });
  loop.run_ready();
  EXPECT_FALSE(driven);

  loop.shut_down();
  EXPECT_FALSE(loop.drive(TimePoint::min()));
}

}  // namespace
}  // namespace kubexx
