#include "kubexx/base/large_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace kubexx {
namespace {

const bool kPlain = !fits_large_pages(8192);  // under AddressSanitizer, where everything comes from malloc

constexpr std::size_t kChunk = std::size_t{2} << 20;

struct Block {
  unsigned char* memory;
  std::size_t bytes;
  unsigned char mark;

  Block(std::size_t size, unsigned char with)
      : memory(static_cast<unsigned char*>(allocate_on_large_pages(size))), bytes(size), mark(with) {
    std::memset(memory, mark, bytes);
  }
  bool intact() const {
    for (std::size_t i = 0; i < bytes; ++i) {
      if (memory[i] != mark) return false;
    }
    return true;
  }
  void free() const { free_on_large_pages(memory, bytes); }
};

TEST(LargePagesTest, BlocksOfEverySizeAreAlignedAndDoNotOverlap) {
  std::vector<Block> blocks;
  for (std::size_t bytes = 1; bytes <= 20000; bytes += bytes < 600 ? 1 : 97) {
    for (int i = 0; i < 3; ++i) blocks.emplace_back(bytes, static_cast<unsigned char>(blocks.size()));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back().memory) % 16, 0U) << bytes;
  }
  for (const Block& block : blocks) {
    ASSERT_TRUE(block.intact()) << block.bytes;
    block.free();
  }
}

TEST(LargePagesTest, BlocksGivenBackInAnyOrderAreUsedAgain) {
  std::mt19937 random(3);
  std::vector<Block> blocks;
  const std::size_t before = large_page_memory().mapped;
  std::size_t peak = 0;
  for (int round = 0; round < 50'000; ++round) {
    if (blocks.size() < 400 || random() % 2 == 0) {
      blocks.emplace_back(1 + random() % 9000, static_cast<unsigned char>(random()));
    } else {
      const std::size_t at = random() % blocks.size();
      ASSERT_TRUE(blocks[at].intact());
      blocks[at].free();
      blocks[at] = blocks.back();
      blocks.pop_back();
    }
    if (blocks.size() > 1200) {
      while (blocks.size() > 500) {
        ASSERT_TRUE(blocks.back().intact());
        blocks.back().free();
        blocks.pop_back();
      }
    }
    peak = std::max(peak, large_page_memory().mapped);
  }
  for (const Block& block : blocks) {
    EXPECT_TRUE(block.intact());
    block.free();
  }
  EXPECT_LE(peak - before, 1200 * 9000 * 3);  // 50,000 blocks would have taken 20 times that
}

TEST(LargePagesTest, MemoryGoesBackToTheSystemWhenItsBlocksAreGone) {
  if (kPlain) GTEST_SKIP() << "malloc has all blocks under AddressSanitizer";
  const LargePageMemory before = large_page_memory();
  std::vector<Block> blocks;
  for (int i = 0; i < 10'000; ++i) blocks.emplace_back(3000, 7);
  const LargePageMemory full = large_page_memory();
  EXPECT_GE(full.used - before.used, 10'000U * 3000U);
  EXPECT_LE(full.used - before.used, 10'000U * 3000U * 9 / 8);
  EXPECT_LE(full.mapped - before.mapped, 10'000U * 3000U * 5 / 4 + kChunk);
  for (const Block& block : blocks) block.free();
  EXPECT_EQ(large_page_memory().used, before.used);
  EXPECT_LE(large_page_memory().mapped, before.mapped + kChunk);
}

TEST(LargePagesTest, BlocksOfManySizesLeaveNothingBehind) {
  if (kPlain) GTEST_SKIP() << "malloc has all blocks under AddressSanitizer";
  const LargePageMemory before = large_page_memory();
  std::mt19937 random(5);
  std::vector<Block> blocks;
  for (int i = 0; i < 20'000; ++i) blocks.emplace_back(1 + random() % 8192, 7);
  EXPECT_GT(large_page_memory().mapped, before.mapped + 20 * kChunk);
  std::shuffle(blocks.begin(), blocks.end(), random);
  for (const Block& block : blocks) block.free();
  EXPECT_EQ(large_page_memory().used, before.used);
  EXPECT_LE(large_page_memory().mapped, before.mapped + kChunk);
}

TEST(LargePagesTest, ThreadsMayGiveBackWhatOthersTook) {
  constexpr int kThreads = 4;
  constexpr std::size_t kBlocks = 4000;
  const std::size_t before = large_page_memory().used;
  std::vector<std::vector<Block>> taken(kThreads);
  const auto everywhere = [&](auto work) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { work(i); });
  };
  everywhere([&](int mine) {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      taken[static_cast<std::size_t>(mine)].emplace_back(100 + i % 50 * 100, static_cast<unsigned char>(mine));
    }
  });
  std::atomic<int> damaged{0};
  everywhere([&](int mine) {
    for (std::size_t i = static_cast<std::size_t>(mine); i < kBlocks; i += kThreads) {
      for (auto& blocks : taken) {
        if (!blocks[i].intact()) ++damaged;
        blocks[i].free();
      }
      const Block fresh(200, 9);
      if (!fresh.intact()) ++damaged;
      fresh.free();
    }
  });
  EXPECT_EQ(damaged, 0);
  EXPECT_EQ(large_page_memory().used, before);
}

TEST(LargePagesTest, SizesFitWhenRoundingLosesNextToNothing) {
  if (kPlain) GTEST_SKIP() << "malloc has all blocks under AddressSanitizer";
  EXPECT_TRUE(fits_large_pages(4608));
  EXPECT_TRUE(fits_large_pages(8192));
  EXPECT_FALSE(fits_large_pages(4112));
  EXPECT_FALSE(fits_large_pages(8193));
}

TEST(LargePagesTest, ATableOfTwoMegabytesBeginsAtALargePage) {
  std::vector<int, LargeAllocator<int>> table(3 * kChunk / sizeof(int) / 2, 7);

  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(table.data()) % kChunk, 0U);
  table.resize(10);
  table.shrink_to_fit();
  EXPECT_EQ(table, (std::vector<int, LargeAllocator<int>>(10, 7)));
}

}  // namespace
}  // namespace kubexx
