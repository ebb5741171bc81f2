/// Copies of parts of documents, where they would become too large.
#include "meta/document/node_copy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace kubexx::meta::detail {
namespace {

constexpr std::uint32_t kTextPlace = 8;   // where the text stands
constexpr std::uint32_t kListPlace = 16;  // and the list
constexpr std::size_t kItems = 200;       // of the list, each the same text
constexpr std::size_t kListBytes = 2 + 4 * kItems;
constexpr std::size_t kRoom = 16;

/// A text of one letter, and a list that names it everywhere.
std::vector<std::byte> document() {
  std::vector<std::byte> bytes(kListPlace + kListBytes);
  bytes[kTextPlace] = std::byte{1};
  bytes[kTextPlace + 1] = std::byte{'a'};
  bytes[kListPlace] = static_cast<std::byte>((kItems & 127) | 128);
  bytes[kListPlace + 1] = static_cast<std::byte>(kItems >> 7);
  const Word text = word_of(Tag::String, kTextPlace);
  for (std::size_t i = 0; i < kItems; ++i) std::memcpy(&bytes[kListPlace + 2 + 4 * i], &text, sizeof text);
  return bytes;
}

TEST(NodeCopyTest, ANodeForWhichThereIsNoRoomStartsOver) {
  const auto from = document();
  NodeCopy copy;
  copy.begin(from.data(), kRoom, 4096 - kRoom);  // as much as the first buffer has
  const Word list = word_of(Tag::List, kListPlace);
  for (int i = 0; i < 5; ++i) EXPECT_GE(payload_of(copy.copy(list)), kRoom + i * kListBytes);
  EXPECT_FALSE(copy.overflowed());
  const Word over = copy.copy(list);
  EXPECT_TRUE(copy.overflowed());
  EXPECT_EQ(payload_of(over), kRoom) << "what is written into it is written behind the buffer";
  EXPECT_LE(copy.size(), kRoom + kListBytes + 2);
}

}  // namespace
}  // namespace kubexx::meta::detail
