#include "kubexx/election/shard_set.hpp"

#include <cstdint>

namespace kubexx::election {
namespace {

// FNV-1a: simple, and the same everywhere, which is what counts here.
constexpr std::uint64_t fnv(std::string_view text) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

// The finalizer of splitmix64 spreads what FNV leaves in the low bits.
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

}  // namespace

std::size_t ShardSet::slot_of(std::string_view key) noexcept {
  return static_cast<std::size_t>(mix(fnv(key)) % kShardSlots);
}

ShardSet ShardSet::all() {
  return ShardSet(Slots().set());
}

ShardSet ShardSet::share_of(std::string_view member, const std::vector<std::string>& members) {
  ShardSet share;
  const auto mine = fnv(member);
  bool among = false;
  std::vector<std::pair<std::uint64_t, std::string_view>> others;
  for (const auto& name : members) {
    if (name == member) {
      among = true;
    } else {
      others.emplace_back(fnv(name), name);
    }
  }
  if (!among) return share;
  for (std::size_t slot = 0; slot < kShardSlots; ++slot) {
    const auto score = mix(mine ^ mix(slot + 1));
    bool best = true;
    for (const auto& [hash, name] : others) {
      const auto theirs = mix(hash ^ mix(slot + 1));
      if (theirs > score || (theirs == score && name > member)) best = false;
    }
    share.slots_[slot] = best;
  }
  return share;
}

}  // namespace kubexx::election
