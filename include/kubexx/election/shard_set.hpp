#pragma once

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"

namespace kubexx::election {

/// Keys fall into this many slots, which are what replicas own. Part of what replicas agree on, so it never changes.
inline constexpr std::size_t kShardSlots = 1024;

/// A set of slots, and so of keys.
class KUBEXX_EXPORT ShardSet {
 public:
  /// The same in every process, version and machine.
  static std::size_t slot_of(std::string_view key) noexcept;
  /// What `member` gets when `members` divide all keys among them: each slot goes to the member with the highest hash
  /// of slot and name. A member that comes or goes moves its own share and nothing else. Empty when it is not one of
  /// them.
  static ShardSet share_of(std::string_view member, const std::vector<std::string>& members);
  static ShardSet all();

  /// Whether the key's slot, or this slot, is among them.
  bool contains(std::string_view key) const noexcept { return has(slot_of(key)); }
  bool has(std::size_t slot) const noexcept { return slots_[slot]; }
  std::size_t size() const noexcept { return slots_.count(); }
  bool empty() const noexcept { return slots_.none(); }

  friend ShardSet operator&(const ShardSet& a, const ShardSet& b) { return ShardSet(a.slots_ & b.slots_); }
  friend ShardSet operator|(const ShardSet& a, const ShardSet& b) { return ShardSet(a.slots_ | b.slots_); }
  friend ShardSet operator-(const ShardSet& a, const ShardSet& b) { return ShardSet(a.slots_ & ~b.slots_); }
  friend bool operator==(const ShardSet& a, const ShardSet& b) = default;
  ShardSet() = default;

 private:
  using Slots = std::bitset<kShardSlots>;
  explicit ShardSet(Slots slots) : slots_(slots) {}
  Slots slots_;
};

}  // namespace kubexx::election
