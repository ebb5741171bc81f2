#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"
#include "unit/base/wait.hpp"

namespace kubexx {
namespace {

using namespace std::chrono_literals;
using test::Count;

TEST(StrandTest, TasksOfManyPostersRunOneAtATimeAndInTheOrderOfEachPoster) {
  constexpr int kPosters = 4;
  constexpr int kEach = 20'000;
  std::vector<int> last(kPosters, -1);
  std::atomic<int> inside{0};
  std::atomic<int> faults{0};
  Count done;
  auto executor = std::make_shared<ThreadExecutor>(ThreadExecutor::Options{.threads = 4});
  Strand strand(executor);

  {
    std::vector<std::jthread> posters;
    for (int p = 0; p < kPosters; ++p) {
      posters.emplace_back([&, p] {
        for (int i = 0; i < kEach; ++i) {
          strand.post([&, p, i] {
            if (inside.fetch_add(1) != 0) ++faults;
            if (last[p] != i - 1) ++faults;
            last[p] = i;
            if (i == kEach - 1) done.add();
            inside.fetch_sub(1);
          });
        }
      });
    }
  }

  ASSERT_TRUE(done.reaches(kPosters));
  EXPECT_EQ(faults, 0);
}

TEST(StrandTest, ATaskThatThrowsIsReportedAndTheNextOneRuns) {
  Count reported;
  set_error_sink([&](const Error& error, std::string_view) {
    if (error.message().find("boom") != std::string::npos) reported.add();
  });
  auto executor = std::make_shared<ManualExecutor>();
  Strand strand(executor);
  int ran = 0;

  strand.post([] { throw std::runtime_error("boom"); });
  strand.post([&] { ++ran; });
  executor->run_until_idle();
  set_error_sink(nullptr);

  EXPECT_EQ(reported.value(), 1);
  EXPECT_EQ(ran, 1);
}

TEST(StrandTest, WhatATaskDefersRunsAfterItAndBeforeTheNextWithoutATurnOfItsOwn) {
  auto executor = std::make_shared<ManualExecutor>();
  Strand strand(executor);
  std::vector<int> order;

  strand.post([&] {
    strand.defer([&] {
      order.push_back(2);
      strand.defer([&] { order.push_back(3); });
    });
    order.push_back(1);
  });
  strand.post([&] { order.push_back(4); });
  ASSERT_TRUE(executor->run_one());
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  ASSERT_TRUE(executor->run_one());
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
}

TEST(StrandTest, WhatIsDeferredFromOutsideIsPosted) {
  auto executor = std::make_shared<ManualExecutor>();
  Strand strand(executor);
  Strand other(executor);
  bool ran = false;

  other.post([&] { strand.defer([&] { ran = strand.running_in_this_thread(); }); });
  executor->run_until_idle();

  EXPECT_TRUE(ran);
}

TEST(StrandTest, KnowsWhetherItRunsInThisThread) {
  auto executor = std::make_shared<ManualExecutor>();
  Strand strand(executor);
  Strand other(executor);
  bool inside = false;
  bool in_other = true;

  strand.post([&] {
    inside = strand.running_in_this_thread();
    in_other = other.running_in_this_thread();
  });
  executor->run_until_idle();

  EXPECT_TRUE(inside);
  EXPECT_FALSE(in_other);
  EXPECT_FALSE(strand.running_in_this_thread());
}

TEST(StrandTest, DepthCountsWhatIsNotFinished) {
  auto executor = std::make_shared<ManualExecutor>();
  Strand strand(executor);
  std::size_t inside = 0;

  strand.post([&] { inside = strand.depth(); });
  strand.post([] {});
  EXPECT_EQ(strand.depth(), 2U);
  executor->run_until_idle();

  EXPECT_EQ(inside, 2U);
  EXPECT_EQ(strand.depth(), 0U);
}

TEST(StrandTest, CancelingADelayedTaskAlsoFreesTheExecutorsTimer) {
  auto executor = std::make_shared<ManualExecutor>();
  Strand strand(executor);
  auto owned = std::make_shared<int>(1);
  bool ran = false;

  Timer timer = strand.post_after(1s, [&ran, owned] { ran = true; });
  EXPECT_TRUE(timer.pending());
  timer.cancel();

  EXPECT_FALSE(timer.pending());
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(executor->pending_timers(), 0U);
  executor->advance(2s);
  EXPECT_FALSE(ran);
}

TEST(StrandTest, ADelayedTaskCanBeCanceledWhileItWaitsInTheQueue) {
  auto executor = std::make_shared<ManualExecutor>();
  Strand strand(executor);
  bool ran = false;
  Timer timer;

  strand.post_after(1s, [&] { timer.cancel(); });
  timer = strand.post_after(1s, [&] { ran = true; });
  executor->advance(1s);

  EXPECT_FALSE(ran);
}

TEST(StrandTest, TasksRunAfterTheLastHandleWent) {
  auto executor = std::make_shared<ManualExecutor>();
  int ran = 0;

  {
    Strand strand(executor);
    for (int i = 0; i < 3; ++i) strand.post([&] { ++ran; });
    strand.post_after(1s, [&] { ++ran; });
  }
  executor->advance(1s);

  EXPECT_EQ(ran, 4);
}

TEST(StrandTest, TasksThatHoldTheStrandAreReleasedWithTheExecutor) {
  auto owned = std::make_shared<int>(1);

  {
    auto executor = std::make_shared<ManualExecutor>();
    auto strand = std::make_shared<Strand>(executor);
    std::weak_ptr<Strand> weak = strand;
    strand->post([weak, owned] {});
    strand->post_after(1s, [weak, owned] {});
  }

  EXPECT_EQ(owned.use_count(), 1);
}

TEST(StrandTest, DroppingTheExecutorWaitsForTheTurnThatRuns) {
  struct Shared {
    Count started;
    std::atomic<bool> dropped{false};
  };
  auto late = std::make_shared<std::atomic<int>>(0);

  for (int round = 0; round < 200; ++round) {
    auto shared = std::make_shared<Shared>();
    {
      auto executor = std::make_shared<ThreadExecutor>();
      Strand strand(executor);
      for (int i = 0; i < 200; ++i) {
        strand.post([shared, late] {
          shared->started.add();
          if (shared->dropped) ++*late;
        });
      }
      ASSERT_TRUE(shared->started.reaches(100));
    }
    shared->dropped = true;
    ASSERT_EQ(shared.use_count(), 1);
  }

  EXPECT_EQ(*late, 0);
}

TEST(StrandTest, ATaskMayDropTheLastReferencesToItsExecutor) {
  Count gone;
  Count go;
  auto executor = std::make_shared<ThreadExecutor>();
  auto strand = std::make_unique<Strand>(executor);

  auto& posting = *strand;
  posting.post([&gone, &go, executor, strand = std::move(strand)]() mutable {
    go.reaches(1);
    executor.reset();
    strand.reset();
    gone.add();
  });
  posting.post([] {});
  executor.reset();
  go.add();

  ASSERT_TRUE(gone.reaches(1));
}

TEST(StrandTest, ABusyStrandLetsAnotherRun) {
  std::atomic<bool> stop{false};
  Count ran;
  auto executor = std::make_shared<ThreadExecutor>(ThreadExecutor::Options{.threads = 1});
  Strand busy(executor);
  Strand other(executor);
  struct Repeat {
    Strand& strand;
    std::atomic<bool>& stop;
    void operator()() {
      if (!stop) strand.post(Repeat{strand, stop});
    }
  };

  busy.post(Repeat{busy, stop});
  other.post([&] { ran.add(); });

  EXPECT_TRUE(ran.reaches(1));
  stop = true;
  busy.post([&] { ran.add(); });
  EXPECT_TRUE(ran.reaches(2));
}

TEST(StrandTest, AnEmptyTaskOrExecutorIsMisuse) {
  EXPECT_THROW(Strand(nullptr), std::logic_error);
  EXPECT_THROW(Strand(std::make_shared<ManualExecutor>()).post(Task()), std::logic_error);
}

}  // namespace
}  // namespace kubexx
