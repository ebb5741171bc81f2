#include "kubexx/workqueue/detail/item_table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kubexx/base/random.hpp"

namespace kubexx::workqueue::detail {
namespace {

TEST(ItemTableTest, AgreesWithAMapUnderRandomInsertsAndErases) {
  Random random(7);
  ItemTable<std::string> table(11);
  std::unordered_map<std::string, std::uint32_t> model;

  for (int step = 0; step < 200'000; ++step) {
    // Waves of growth and shrinking, down to empty, so that memory is given back on the way.
    const bool growing = (step / 20'000) % 2 == 0;
    const std::string item = "key-" + std::to_string(random.below(10'000));
    const std::uint32_t found = table.find(table.hash(item), item);
    const auto known = model.find(item);
    ASSERT_EQ(found, known == model.end() ? kNoTicket : known->second);
    if (found != kNoTicket && !growing) {
      table.erase(found);
      model.erase(known);
    } else if (found == kNoTicket && growing) {
      model[item] = table.insert(table.hash(item), item);
    }
    ASSERT_EQ(table.size(), model.size());
  }
  for (const auto& [item, id] : model) {
    EXPECT_EQ(table[id].item, item);
    table.erase(id);
  }
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.find(table.hash("key-1"), "key-1"), kNoTicket);
}

TEST(ItemTableTest, EntriesDoNotMoveWhenTheTableGrows) {
  ItemTable<int> table(3);
  const std::uint32_t first = table.insert(table.hash(-1), -1);
  const int* where = &table[first].item;

  for (int i = 0; i < 10'000; ++i) table.insert(table.hash(i), i);

  EXPECT_EQ(&table[first].item, where);
  EXPECT_EQ(table.find(table.hash(-1), -1), first);
}

TEST(ItemTableTest, WhatStaysIsFoundWhereItWasAndOthersFitInWhenABurstWasGivenBack) {
  Random random(3);
  ItemTable<int> table(5);
  std::unordered_map<int, std::uint32_t> model;
  const auto insert = [&](int from, int to) {
    for (int i = from; i < to; ++i) model[i] = table.insert(table.hash(i), i);
  };
  for (int round = 0; round < 3; ++round) {
    const int first = round * 1'000'000;
    insert(first, first + 100'000);
    std::vector<int> leaving;
    for (const auto& each : model) {
      if (each.first % 9'973 != 0) leaving.push_back(each.first);
    }
    for (std::size_t i = leaving.size(); i > 1; --i) std::swap(leaving[i - 1], leaving[random.below(i)]);
    for (const int item : leaving) {
      table.erase(model.at(item));
      model.erase(item);
    }
    insert(first + 200'000, first + 230'000);

    ASSERT_EQ(table.size(), model.size());
    std::unordered_set<std::uint32_t> ids;
    for (const auto& [item, id] : model) {
      ASSERT_EQ(table.find(table.hash(item), item), id);
      ASSERT_EQ(table[id].item, item);
      ASSERT_TRUE(ids.insert(id).second);
    }
    for (const int item : leaving) ASSERT_EQ(table.find(table.hash(item), item), kNoTicket);
  }
}

TEST(ItemTableTest, HashesOfSimilarNamesRarelyCollide) {
  std::unordered_set<std::uint32_t> hashes;
  constexpr std::size_t kNames = 100'000;
  for (std::size_t i = 0; i < kNames; ++i) hashes.insert(item_hash("namespace-12/pod-" + std::to_string(i), 5));
  EXPECT_GT(hashes.size(), kNames - 20);  // chance alone gives 1 or 2

  std::set<std::uint32_t> low_bits;
  for (std::uint64_t i = 0; i < 1024; ++i) low_bits.insert(item_hash(i << 20, 5) % 1024);
  EXPECT_GT(low_bits.size(), 550U);  // chance alone gives 647
}

}  // namespace
}  // namespace kubexx::workqueue::detail
