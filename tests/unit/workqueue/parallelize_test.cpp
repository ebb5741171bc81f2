#include "kubexx/workqueue/parallelize.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kubexx/base/error_sink.hpp"

namespace kubexx::workqueue {
namespace {

// TestParallelizeUntil
TEST(ParallelizeTest, CallsEachPieceOnceForAnyWorkersAndChunks) {
  for (const std::size_t pieces : {0U, 1U, 999U, 1000U}) {
    for (const std::size_t workers : {0U, 1U, 10U, 5000U}) {
      for (const std::size_t chunk : {0U, 1U, 10U, 50U, 5000U}) {
        if (workers > 100 && chunk < 50) continue;  // a thread for every piece proves nothing more
        std::vector<std::atomic<int>> calls(pieces);
        parallelize_until({}, workers, pieces, [&](std::size_t piece) { ++calls[piece]; }, chunk);
        for (std::size_t piece = 0; piece < pieces; ++piece) ASSERT_EQ(calls[piece], 1) << piece;
      }
    }
  }
}

TEST(ParallelizeTest, UsesNoMoreThreadsThanThereAreChunks) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallelize_until(
      {}, 8, 100,
      [&](std::size_t) {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
      },
      50);
  EXPECT_LE(threads.size(), 2U);
}

TEST(ParallelizeTest, BeginsNoPieceAfterAStop) {
  std::stop_source stop;
  std::atomic<int> calls{0};
  parallelize_until(
      stop.get_token(), 1, 1000,
      [&](std::size_t piece) {
        ++calls;
        if (piece == 9) stop.request_stop();
      },
      100);
  EXPECT_EQ(calls, 10);
}

TEST(ParallelizeTest, APieceThatThrowsIsReportedAndTheOthersGoOn) {
  std::atomic<int> reported{0};
  set_error_sink([&](const Error&, std::string_view) { ++reported; });
  std::atomic<int> calls{0};

  parallelize_until({}, 3, 10, [&](std::size_t piece) {
    ++calls;
    if (piece == 4) throw std::runtime_error("piece 4");
  });
  set_error_sink({});

  EXPECT_EQ(calls, 10);
  EXPECT_EQ(reported, 1);
}

}  // namespace
}  // namespace kubexx::workqueue
