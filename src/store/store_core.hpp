#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/store/index.hpp"
#include "kubexx/store/snapshot.hpp"
#include "kubexx/store/thread_safe_store.hpp"
#include "store/fair_lock.hpp"
#include "store/same_object.hpp"
#include "store/table.hpp"

namespace kubexx::store::detail {

class StoreCore;

struct SnapshotData {
  SnapshotData(std::shared_ptr<StoreCore> store, Epoch pinned, const Roots& seen, std::string rv, std::uint64_t number);
  ~SnapshotData();
  SnapshotData(const SnapshotData&) = delete;
  SnapshotData& operator=(const SnapshotData&) = delete;

  std::shared_ptr<StoreCore> core;
  Epoch epoch;
  Roots roots;
  std::string resource_version;
  std::uint64_t version;
};

/// The engine of ThreadSafeStore: a Table behind a FairLock. User code never runs under the lock: index functions are
/// evaluated before, and again in the rare case that the set of indexes changed in between.
///
/// find() takes no lock. What it looks at is changed word by word, and freed when no such read is under way (Readers).
/// One put under a default key is visible at once and as a whole, as long as all keys are default ones. Any other write
/// is not, so it makes `unsettled_` odd while it works: a find() that meets it takes the lock.
class StoreCore : public std::enable_shared_from_this<StoreCore> {
 public:
  explicit StoreCore(const Indexers& indexers);

  /// All of them become visible together. What they push out is released by the caller, without a lock.
  void apply(std::span<Write> writes);
  std::vector<meta::KeyedObject> replace(std::span<Write> writes, const std::string& resource_version);
  void replace(std::span<meta::Object> objects, const std::string& resource_version);  ///< under their default keys
  void bookmark(std::string_view resource_version);

  meta::Object find(std::string_view key) const { return find({{}, key}, short_hash(key)); }
  meta::Object find(const meta::Key& key) const { return find(key_parts(key), key.hash()); }
  std::vector<meta::Object> find_many(std::span<const std::string_view> keys) const;
  std::vector<meta::Object> list() const;
  std::vector<std::string> list_keys() const;
  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  std::size_t overhead_bytes() const;
  std::size_t bytes() const;
  std::string resource_version() const;
  Snapshot snapshot() const;

  Result<std::vector<meta::Object>> index(std::string_view name, const meta::Object& object) const;
  Result<std::vector<meta::Object>> by_index(std::string_view name, std::string_view value) const;
  Indexers indexers() const;
  Result<void> add_indexers(const Indexers& indexers);
  Result<void> remove_indexer(std::string_view name);
  std::uint64_t index_errors() const noexcept { return index_errors_.load(std::memory_order_relaxed); }

  void unpin(Epoch epoch) { epochs_.unpin(epoch); }

 private:
  using Definitions = std::shared_ptr<const IndexDefinitions>;
  static constexpr std::size_t kShortRead = 4096;  // objects that may be read under the lock
  static constexpr std::size_t kPortion = 32;      // objects that are sought at once
  static constexpr std::size_t kBatch = 512;       // objects that are indexed under the lock at a time

  meta::Object find(const meta::KeyParts& key, std::uint32_t hash) const;
  void find_portion(std::span<const std::string_view> keys, std::vector<meta::Object>& to) const;
  Definitions definitions() const;
  /// The definitions; meanwhile the memory for the writes is asked for.
  Definitions prepare(std::span<const Write> writes) const;
  void write_locked(Write& write, Table::KeyKind kind, std::span<const IndexDefinition::Values> values);
  void evaluate(const IndexDefinitions& definitions, const meta::Object& object,
                std::span<IndexDefinition::Values> into) const;
  Snapshot snapshot_locked() const;
  void wrote_locked();
  /// each(put) calls put(key, kind, object) for every object; it returns what was there.
  template <class Each>
  void replace_by(Each each, const std::string& resource_version, std::vector<meta::KeyedObject>* gone);
  /// Swaps the tables, unless the indexes are not those the new one was built for.
  bool exchange(std::unique_ptr<Table>& fresh, const Definitions& built_for, const std::string& version);
  void fill(const IndexDefinition& definition, const Snapshot& existing);

  mutable FairLock lock_;
  mutable Epochs epochs_;
  std::unique_ptr<Table> table_;              // guarded by lock_
  std::atomic<const Roots*> roots_{nullptr};  // those of table_
  std::atomic<std::uint64_t> unsettled_{0};   // changed by writers
  Definitions definitions_;                   // guarded by lock_
  std::string resource_version_;              // guarded by lock_
  std::uint64_t version_ = 0;                 // guarded by lock_
  std::atomic<std::size_t> size_{0};
  mutable std::atomic<std::uint64_t> index_errors_{0};
};

}  // namespace kubexx::store::detail
