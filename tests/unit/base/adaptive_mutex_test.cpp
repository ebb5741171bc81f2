#include "kubexx/base/detail/adaptive_mutex.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace kubexx {
namespace {

TEST(AdaptiveMutexTest, OneThreadAtATimeIsInside) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20'000;
  AdaptiveMutex mutex;
  int count = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int round = 0; round < kRounds; ++round) {
          const std::lock_guard lock(mutex);
          ++count;
        }
      });
    }
  }

  EXPECT_EQ(count, kThreads * kRounds);
}

TEST(AdaptiveMutexTest, ABellWakesWhoWaitsAndNoRingIsLost) {
  constexpr int kRounds = 2000;
  AdaptiveMutex mutex;
  Bell bell;
  int turn = 0;  // guarded by mutex
  const auto play = [&](int me) {
    for (int round = 0; round < kRounds; ++round) {
      std::unique_lock lock(mutex);
      while (turn % 2 != me) bell.wait(lock);
      ++turn;
      bell.ring();
      lock.unlock();
      bell.wake_all();
    }
  };
  {
    const std::jthread other(play, 1);
    play(0);
  }

  EXPECT_EQ(turn, 2 * kRounds);
}

}  // namespace
}  // namespace kubexx
