#include "support/thread_shortage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <system_error>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"
#include "unit/base/bell.hpp"
#include "unit/base/wait.hpp"

namespace kubexx {
namespace {

using namespace std::chrono_literals;
using test::Bell;
using test::Count;
using test::ThreadShortage;
using testing::HasSubstr;

TEST(ThreadShortageTest, AThreadExecutorThrowsAndLeavesNothing) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  for (int left = 0; left < 3; ++left) {
    const ThreadShortage shortage(left);
    EXPECT_THROW(ThreadExecutor({.threads = 3}), std::system_error);
  }
}

TEST(ThreadShortageTest, AnElasticExecutorWithoutAnyThreadThrows) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  const ThreadShortage shortage;
  EXPECT_THROW(ElasticExecutor{}, std::system_error);
}

TEST(ThreadShortageTest, AnElasticExecutorWithoutWorkersRunsTasksAndTimersAllTheSame) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  Count ran;
  ElasticExecutor executor;
  {
    const ThreadShortage shortage;
    for (int i = 0; i < 10; ++i) executor.post([&] { ran.add(); });
    executor.post_after(1ms, [&] { ran.add(); });

    EXPECT_TRUE(ran.reaches(11));
    EXPECT_EQ(executor.threads(), 0U);
  }
  executor.post([&] { ran.add(); });
  EXPECT_TRUE(ran.reaches(12));
}

TEST(ThreadShortageTest, APromptLaneWithoutAWorkerIsRefused) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  ElasticExecutor executor;
  {
    const ThreadShortage shortage;
    EXPECT_THROW(executor.prompt(), std::system_error);
  }
  EXPECT_TRUE(executor.prompt());
}

TEST(ThreadShortageTest, TasksThatBlockDoNotHoldUpPromptOnes) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  std::latch release(1);
  Count begun;
  Count ran;
  ElasticExecutor executor;
  const auto prompt = executor.prompt();
  {
    const ThreadShortage shortage;
    for (int i = 0; i < 3; ++i) {
      executor.post([&] {
        begun.add();
        release.wait();
      });
    }
    EXPECT_TRUE(begun.reaches(1));
    for (int i = 1; i <= 20; ++i) {
      prompt->post([&] { ran.add(); });
      EXPECT_TRUE(ran.reaches(i));
    }
  }
  EXPECT_TRUE(begun.reaches(3));
  release.count_down();
}

TEST(ThreadShortageTest, ATaskRunsWhileTheOnlyWorkerIsBlocked) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  Count release;
  Count ran;
  ElasticExecutor executor;
  const ThreadShortage shortage(1);

  executor.post([&] { release.reaches(1); });
  executor.post([&] { ran.add(); });

  EXPECT_TRUE(ran.reaches(1));
  release.add();
}

// The thread that watches over the others reads in their place. One of them becomes idle meanwhile, and nothing else
// comes.
TEST(ThreadShortageTest, WhatWasReadInPlaceOfTheOthersWakesOneThatIsIdleByThen) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  const Bell bell;
  std::latch release(1);
  Count begun;
  Count first_done;
  Count reading;
  Count handled;
  Count over;
  ElasticExecutor executor;
  const auto prompt = executor.prompt();
  const auto watching = prompt->watch(bell.fd(), [&] {
    bell.hear();
    reading.add();
    first_done.reaches(1);
    prompt->post([&] { executor.post_soon([&] { handled.add(); }); });
  });
  const ThreadShortage shortage;
  executor.post([&] {
    begun.add();
    reading.reaches(1);
    over.add();
  });
  executor.post([&] {
    begun.add();
    release.wait();
  });
  EXPECT_TRUE(begun.reaches(2));
  bell.ring();
  EXPECT_TRUE(over.reaches(1));
  first_done.add();
  EXPECT_TRUE(handled.reaches(1));
  release.count_down();
}

TEST(ThreadShortageTest, AShortageIsReportedOnceAndWithoutALock) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  std::mutex mutex;
  std::vector<std::string> reports;
  Count ran;
  {
    ElasticExecutor executor;
    set_error_sink([&](const Error& error, std::string_view) {
      executor.post([&] { ran.add(); });  // the executor would have to be unlocked
      const std::lock_guard lock(mutex);
      reports.push_back(error.message());
    });
    const ThreadShortage shortage;
    for (int i = 0; i < 20; ++i) executor.post([&] { ran.add(); });
    EXPECT_TRUE(ran.reaches(21));
  }
  set_error_sink({});

  EXPECT_THAT(reports, testing::ElementsAre(HasSubstr("no further thread can be started")));
}

TEST(ThreadShortageTest, AnExecutorDestroyedByItsOwnTaskWithoutWorkersIsGone) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  Count ran;
  auto executor = std::make_shared<ElasticExecutor>();
  const ThreadShortage shortage;
  auto* raw = executor.get();
  raw->post([&ran, executor = std::move(executor)]() mutable {
    executor.reset();
    ran.add();
  });

  EXPECT_TRUE(ran.reaches(1));
}

}  // namespace
}  // namespace kubexx
