#include "meta/document_heap.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_memory.hpp"

namespace kubexx::meta::detail {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kPlain = true;  // everything comes from malloc there
#else
constexpr bool kPlain = false;
#endif

constexpr std::size_t kChunk = std::size_t{2} << 20;

struct Block {
  unsigned char* memory;
  std::size_t bytes;
  unsigned char mark;

  Block(std::size_t size, unsigned char with)
      : memory(static_cast<unsigned char*>(allocate_document(size))), bytes(size), mark(with) {
    std::memset(memory, mark, bytes);
  }
  bool intact() const {
    for (std::size_t i = 0; i < bytes; ++i) {
      if (memory[i] != mark) return false;
    }
    return true;
  }
  void free() const { free_document(memory, bytes); }
};

TEST(DocumentHeapTest, BlocksOfEverySizeAreAlignedAndDoNotOverlap) {
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

TEST(DocumentHeapTest, BlocksGivenBackInAnyOrderAreUsedAgain) {
  std::mt19937 random(3);
  std::vector<Block> blocks;
  const std::size_t before = object_memory().mapped;
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
    peak = std::max(peak, object_memory().mapped);
  }
  for (const Block& block : blocks) {
    EXPECT_TRUE(block.intact());
    block.free();
  }
  EXPECT_LE(peak - before, 1200 * 9000 * 3);  // 50,000 blocks would have taken 20 times that
}

TEST(DocumentHeapTest, MemoryGoesBackToTheSystemWhenItsObjectsAreGone) {
  if (kPlain) GTEST_SKIP() << "malloc has all objects under AddressSanitizer";
  const ObjectMemory before = object_memory();
  std::vector<Block> blocks;
  for (int i = 0; i < 10'000; ++i) blocks.emplace_back(3000, 7);
  const ObjectMemory full = object_memory();
  EXPECT_GE(full.used - before.used, 10'000U * 3000U);
  EXPECT_LE(full.used - before.used, 10'000U * 3000U * 9 / 8);
  EXPECT_LE(full.mapped - before.mapped, 10'000U * 3000U * 5 / 4 + kChunk);
  for (const Block& block : blocks) block.free();
  EXPECT_EQ(object_memory().used, before.used);
  EXPECT_LE(object_memory().mapped, before.mapped + 2 * kChunk);
}

TEST(DocumentHeapTest, ThreadsMayGiveBackWhatOthersTook) {
  constexpr int kThreads = 4;
  constexpr std::size_t kBlocks = 4000;
  const std::size_t before = object_memory().used;
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
  EXPECT_EQ(object_memory().used, before);
}

TEST(DocumentHeapTest, ObjectsOfTheSizeLiveThere) {
  if (kPlain) GTEST_SKIP() << "malloc has all objects under AddressSanitizer";
  const std::size_t before = object_memory().used;
  {
    const Object object = object_from_json(R"({"kind":"ConfigMap","metadata":{"name":"a"}})");
    EXPECT_GE(object_memory().used - before, object.byte_size());
    const Object large = object_from_json(R"({"data":")" + std::string(20'000, 'x') + R"("})");
    EXPECT_LT(object_memory().used - before, 1000U);
    EXPECT_EQ(large["data"].string().size(), 20'000U);
  }
  EXPECT_EQ(object_memory().used, before);
}

}  // namespace
}  // namespace kubexx::meta::detail
