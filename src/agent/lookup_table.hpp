#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "agent/pod_record.hpp"

namespace kubexx::agent::detail {

/// Attributions by uid, container id and address. Looking something up takes no lock: a reader marks itself, follows
/// pointers, and takes a handle; what a writer has replaced is freed when the reads that were under way have ended
/// (docs/adr/0007). The store has the same for its own keys alone: a pod has half a dozen others, and its indexes take
/// a lock and copy.
///
/// Threads: find() and has() from any; the rest from one at a time.
class LookupTable {
 public:
  struct Entry {
    KeyKind kind{};
    Rank rank{};
    bool ended = false;
    std::int32_t container = -1;
    std::uint64_t hash = 0;
    std::string_view key = {};  // of the record, or of `address`
    AddressKey address{};
    std::shared_ptr<const PodRecord> record = {};  // null for a node's address
  };

  LookupTable();
  ~LookupTable();
  LookupTable(const LookupTable&) = delete;
  LookupTable& operator=(const LookupTable&) = delete;

  Attribution find(KeyKind kind, std::string_view key) const noexcept;
  bool has(KeyKind kind, std::string_view key) const noexcept;

  /// What stands there now; null: nothing. For the writer.
  const Entry* peek(KeyKind kind, std::string_view key) const noexcept;
  /// Puts it in the place of what has the same key.
  void put(Entry entry);
  void erase(KeyKind kind, std::string_view key);
  /// Frees what was replaced. Waits for the reads that are under way, which is for nanoseconds, or for the turn of a
  /// thread that was interrupted in one.
  void settle();
  std::size_t size() const noexcept { return live_; }

 private:
  struct Slots;
  struct Found {
    std::atomic<Entry*>* word;
    Entry* entry;  // null: nothing has the key, and this is where it would stand
  };
  std::uint64_t hash_of(KeyKind kind, std::string_view key) const noexcept;
  Found seek(KeyKind kind, std::string_view key, std::uint64_t hash) const noexcept;
  template <class Use>
  auto read(Use&& use) const noexcept;
  void grow();

  static Entry gone_;  // stands where one was erased
  const std::uint64_t seed_;
  std::atomic<Slots*> slots_;
  std::size_t live_ = 0;
  std::size_t used_ = 0;  // and those that are gone
  std::vector<std::unique_ptr<Entry>> replaced_;
  std::vector<std::unique_ptr<Slots>> outgrown_;
  mutable std::mutex mutex_;  // of changes, and of readers that found no place to mark themselves
};

}  // namespace kubexx::agent::detail
