#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "unit/base/bell.hpp"
#include "unit/base/wait.hpp"

/// The two lanes of an ElasticExecutor, and the descriptors that its threads wait for.
namespace kubexx {
namespace {

using namespace std::chrono_literals;
using test::Bell;
using test::Count;

;

TEST(PromptExecutorTest, PromptTasksDoNotWaitForThoseThatComputeOrBlock) {
  for (const bool computes : {true, false}) {
    std::atomic<bool> over{false};
    Count begun;
    Count ran;
    ElasticExecutor executor({.eager_threads = 2});
    const auto prompt = executor.prompt();
    for (int i = 0; i < 2; ++i) {
      executor.post([&] {
        begun.add();
        while (computes && !over) continue;
        if (!computes) over.wait(false);
      });
    }
    EXPECT_TRUE(begun.reaches(2));

    for (int i = 0; i < 10; ++i) prompt->post([&] { ran.add(); });

    EXPECT_TRUE(ran.reaches(10));
    over = true;
    over.notify_all();
  }
}

TEST(PromptExecutorTest, TwoPromptTasksRunAtOnceAndNoThird) {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  Count ran;
  ElasticExecutor executor;
  const auto prompt = executor.prompt();
  for (int i = 0; i < 200; ++i) {
    prompt->post([&] {
      const int at_once = ++now;
      for (int seen = most; seen < at_once && !most.compare_exchange_weak(seen, at_once);) continue;
      std::this_thread::yield();
      --now;
      ran.add();
    });
  }

  ASSERT_TRUE(ran.reaches(200));
  EXPECT_LE(most, 2);
}

TEST(PromptExecutorTest, ADescriptorIsReadAsOftenAsItIsReadableAndNeverTwiceAtOnce) {
  const Bell bell;
  std::atomic<int> inside{0};
  std::atomic<int> collisions{0};
  Count heard;
  ElasticExecutor executor;
  const auto prompt = executor.prompt();
  ASSERT_TRUE(prompt->watches());
  const auto watching = prompt->watch(bell.fd(), [&] {
    if (++inside > 1) ++collisions;
    bell.hear();
    --inside;
    heard.add();
  });

  for (int i = 1; i <= 100; ++i) {
    bell.ring();
    ASSERT_TRUE(heard.reaches(i));
  }
  EXPECT_EQ(collisions, 0);
}

TEST(PromptExecutorTest, WhatIsLeftUnreadIsToldAgain) {
  const Bell bell;
  std::atomic<int> calls{0};
  Count enough;
  ElasticExecutor executor;
  const auto prompt = executor.prompt();
  const auto watching = prompt->watch(bell.fd(), [&] {
    if (++calls < 5) return;
    bell.hear();
    enough.add();
  });
  bell.ring();
  EXPECT_TRUE(enough.reaches(1));
}

TEST(PromptExecutorTest, ALoneChangeGoesFromItsDescriptorToTheEndOnOneThread) {
  const Bell bell;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto note = [&] {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  };
  Count handled;
  ElasticExecutor executor;
  const auto prompt = executor.prompt();
  const Strand strand(prompt);
  const auto watching = prompt->watch(bell.fd(), [&] {
    bell.hear();
    note();
    strand.post([&] {
      note();
      executor.post_soon([&] {
        note();
        handled.add();
      });
    });
  });

  // At least once: somebody else may be quicker at any one of them.
  std::size_t fewest = 3;
  for (int i = 1; i <= 100 && fewest > 1; ++i) {
    {
      const std::lock_guard lock(mutex);
      threads.clear();
    }
    bell.ring();
    ASSERT_TRUE(handled.reaches(i));
    const std::lock_guard lock(mutex);
    fewest = std::min(fewest, threads.size());
  }
  EXPECT_EQ(fewest, 1U);
}

TEST(PromptExecutorTest, DescriptorsAreReadWhileEveryTaskBlocks) {
  const Bell bell;
  Count heard;
  Count begun;
  std::latch release(1);
  ElasticExecutor executor({.eager_threads = 2});
  const auto prompt = executor.prompt();
  const auto watching = prompt->watch(bell.fd(), [&] {
    bell.hear();
    heard.add();
  });
  for (int i = 1; i <= 10; ++i) {
    executor.post([&] {
      begun.add();
      release.wait();
    });
    EXPECT_TRUE(begun.reaches(i));
    bell.ring();
    ASSERT_TRUE(heard.reaches(i)) << i;
  }
  release.count_down();
}

TEST(PromptExecutorTest, TheLastWhoListensStaysWhileAllOthersBlock) {
  ThreadExecutor elsewhere({.threads = 1});
  const Bell bell;
  Count heard;
  Count begun;
  std::latch release(1);
  ElasticExecutor executor({.eager_threads = 2, .linger = 20ms});
  const auto prompt = executor.prompt();
  const auto watching = prompt->watch(bell.fd(), [&] {
    bell.hear();
    heard.add();
  });
  for (int i = 1; i <= 3; ++i) {
    executor.post([&] {
      begun.add();
      release.wait();
    });
    EXPECT_TRUE(begun.reaches(i));
  }
  for (int i = 1; i <= 3; ++i) {
    Count waited;
    const auto alarm = elsewhere.post_after(60ms, [&] { waited.add(); });  // longer than an idle thread stays
    ASSERT_TRUE(waited.reaches(1));
    bell.ring();
    EXPECT_TRUE(heard.reaches(i));
  }
  release.count_down();
}

TEST(PromptExecutorTest, DescriptorsAreReadWhilePromptTasksTakeLong) {
  const Bell bell;
  Count heard;
  Count begun;
  std::latch release(1);
  ElasticExecutor executor;
  const auto prompt = executor.prompt();
  const auto watching = prompt->watch(bell.fd(), [&] {
    bell.hear();
    heard.add();
  });
  for (int i = 1; i <= 2; ++i) {
    prompt->post([&] {
      begun.add();
      release.wait();
    });
    EXPECT_TRUE(begun.reaches(i));
    bell.ring();
    EXPECT_TRUE(heard.reaches(i));
  }
  release.count_down();
}

TEST(PromptExecutorTest, DescriptorsAreReadWhileManyTasksCompute) {
  const Bell bell;
  Count heard;
  std::atomic<bool> over{false};
  std::atomic<std::size_t> most{0};
  ElasticExecutor executor({.eager_threads = 2});
  const auto prompt = executor.prompt();
  const auto watching = prompt->watch(bell.fd(), [&] {
    bell.hear();
    heard.add();
  });
  for (int i = 0; i < 50; ++i) {
    executor.post([&] {
      while (!over) continue;
    });
  }
  for (int i = 1; i <= 20; ++i) {
    bell.ring();
    EXPECT_TRUE(heard.reaches(i));
    most = std::max(most.load(), executor.threads());
  }
  over = true;
  EXPECT_LE(most, 8U);  // two compute; not one more for each that waits
}

TEST(PromptExecutorTest, APromptTimerComesWhileEveryThreadBlocks) {
  Count ran;
  Count begun;
  std::latch release(1);
  ElasticExecutor executor({.eager_threads = 2});
  const auto prompt = executor.prompt();
  for (int i = 1; i <= 2; ++i) {
    executor.post([&] {
      begun.add();
      release.wait();
    });
    EXPECT_TRUE(begun.reaches(i));
  }
  for (int i = 1; i <= 3; ++i) {
    prompt->post_after(20ms, [&] { ran.add(); });
    EXPECT_TRUE(ran.reaches(i));
  }
  release.count_down();
}

TEST(PromptExecutorTest, ATimerComesWhenTheLastIdleThreadHasEndedAndAnotherBlocks) {
  Count ran;
  Count begun;
  std::latch release(1);
  ElasticExecutor executor({.linger = 10ms});
  executor.post([&] {
    begun.add();
    release.wait();
  });
  EXPECT_TRUE(begun.reaches(1));
  executor.post([&] { begun.add(); });
  EXPECT_TRUE(begun.reaches(2));
  executor.post_after(100ms, [&] { ran.add(); });

  EXPECT_TRUE(ran.reaches(1));
  release.count_down();
}

TEST(PromptExecutorTest, HandlersOfTheirOwnNumberLeaveAPlaceForPromptTasks) {
  Count ran;
  Count begun;
  std::latch release(1);
  ElasticExecutor executor({.max_threads = 1});
  const auto prompt = executor.prompt();
  for (int i = 0; i < 3; ++i) {
    executor.post([&] {
      begun.add();
      release.wait();
    });
  }
  EXPECT_TRUE(begun.reaches(1));
  prompt->post([&] { ran.add(); });

  EXPECT_TRUE(ran.reaches(1));
  release.count_down();
  EXPECT_TRUE(begun.reaches(3));
}

TEST(PromptExecutorTest, WhatAStrandPostsSoonDoesNotWaitForItsNextTask) {
  Count ran;
  std::latch release(1);
  ElasticExecutor executor;
  const auto prompt = executor.prompt();
  const Strand strand(prompt);
  std::latch posted(1);
  strand.post([&] {
    executor.post_soon([&] { ran.add(); });
    posted.wait();  // so that the next one is there
  });
  strand.post([&] { release.wait(); });
  posted.count_down();

  EXPECT_TRUE(ran.reaches(1));
  release.count_down();
}

TEST(PromptExecutorTest, TimersOfBothLanesComeWhereNothingElseDoes) {
  Count ran;
  ElasticExecutor executor({.linger = 1ms});
  const auto prompt = executor.prompt();
  for (int i = 1; i <= 3; ++i) {
    executor.post_after(30ms, [&] { ran.add(); });
    prompt->post_after(60ms, [&] { ran.add(); });
    EXPECT_TRUE(ran.reaches(2 * i));
  }
}

TEST(PromptExecutorTest, EachLaneEndsByItself) {
  Count ran;
  auto executor = std::make_unique<ElasticExecutor>();
  auto prompt = executor->prompt();
  EXPECT_EQ(executor->prompt(), prompt);

  prompt.reset();
  executor->post([&] { ran.add(); });
  EXPECT_TRUE(ran.reaches(1));

  prompt = executor->prompt();
  executor.reset();
  prompt->post([&] { ran.add(); });
  EXPECT_TRUE(ran.reaches(2));
}

TEST(PromptExecutorTest, TheEndOfALaneWaitsForItsTasksAndNotForTheOthers) {
  std::latch release(1);
  Count begun;
  std::atomic<bool> finished{false};
  auto executor = std::make_unique<ElasticExecutor>();
  auto prompt = executor->prompt();
  prompt->post([&] {
    begun.add();
    release.wait();
    std::this_thread::yield();
    finished = true;
  });
  EXPECT_TRUE(begun.reaches(1));
  executor.reset();
  EXPECT_FALSE(finished);
  release.count_down();
  prompt.reset();
  EXPECT_TRUE(finished);
}

TEST(PromptExecutorTest, ADescriptorThatCannotBeWatchedIsAnErrorAndSoIsNobodyWhoWatches) {
  ElasticExecutor executor;
  EXPECT_THROW(static_cast<void>(executor.prompt()->watch(-1, [] {})), std::system_error);
  EXPECT_THROW(static_cast<void>(executor.prompt()->watch(0, {})), std::logic_error);
  EXPECT_FALSE(executor.watches());
  EXPECT_THROW(static_cast<void>(executor.watch(0, [] {})), std::logic_error);
}

TEST(PromptExecutorTest, ADescriptorThatIsForgottenIsNotReadAnyMore) {
  const Bell bell;
  std::atomic<int> calls{0};
  Count heard;
  ElasticExecutor executor;
  const auto prompt = executor.prompt();
  auto watching = prompt->watch(bell.fd(), [&] {
    bell.hear();
    ++calls;
    heard.add();
  });
  bell.ring();
  ASSERT_TRUE(heard.reaches(1));
  watching.reset();
  bell.ring();
  Count later;
  prompt->post([&] { later.add(); });
  ASSERT_TRUE(later.reaches(1));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace kubexx
