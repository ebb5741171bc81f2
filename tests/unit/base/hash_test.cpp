#include "kubexx/base/detail/hash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace kubexx::detail {
namespace {

TEST(HashTest, EveryLengthAndEveryByteCounts) {
  std::set<std::uint64_t> hashes;
  std::string text;
  std::size_t made = 0;
  for (int length = 0; length < 70; ++length) {
    hashes.insert(hash_bytes(text, 1));
    ++made;
    for (char& byte : text) {
      byte = 'b';
      hashes.insert(hash_bytes(text, 1));
      ++made;
      byte = 'a';
    }
    text += 'a';
  }
  EXPECT_EQ(hashes.size(), made);
}

TEST(HashTest, AnotherSeedIsAnotherHash) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) hashes.insert(hash_bytes("default/web", seed));

  EXPECT_EQ(hashes.size(), 1000U);
}

}  // namespace
}  // namespace kubexx::detail
