#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/store/index.hpp"
#include "kubexx/store/snapshot.hpp"
#include "kubexx/store/write.hpp"

namespace kubexx::store {

/// Objects by key, with indexes; the caller says the keys. Store and Indexer put a key function in front of it.
///
/// Every call sees one consistent state. It keeps the resourceVersion it is up to: that of the object last written (the
/// last one of an apply()), or what replace() and bookmark() said; versions are not compared.
///
/// Threads: safe from any thread. A reader waits for one write (or one apply()) at most, and readers never keep a
/// writer waiting for long: what reads many objects reads a snapshot. Index functions run on the writer's thread before
/// the lock is taken.
/// Errors: asking for an unknown index is an Error. Writing a null object or under an empty key throws
/// std::logic_error. An index function that fails is reported (error_sink.hpp) and counted.
/// Example:
///
///     store::ThreadSafeStore all({{"app", store::label_index("app")}});
///     all.add("default/web", pod);
///     auto web = all.by_index("app", "web");
///     all.remove("default/web");
class KUBEXX_EXPORT ThreadSafeStore {
 public:
  explicit ThreadSafeStore(const Indexers& indexers = {});
  ~ThreadSafeStore();
  ThreadSafeStore(ThreadSafeStore&&) noexcept;
  ThreadSafeStore& operator=(ThreadSafeStore&&) noexcept;

  void add(std::string_view key, meta::Object object);     ///< replaces what is there
  void update(std::string_view key, meta::Object object);  ///< the same
  void remove(std::string_view key);                       ///< the resourceVersion stays
  /// Takes the resourceVersion of `last_state`, the object as it was deleted (null or without metadata: it stays).
  void remove(std::string_view key, const meta::Object& last_state);
  /// All of them become visible together, in their order; each tells what it found. Objects that are put are moved
  /// away.
  void apply(std::span<Write> writes);
  /// From now on exactly what these put; of equal keys the last. An object that is unchanged (same uid, resourceVersion
  /// and contents) keeps the handle the store has, and the write has it too then. Readers see the old state until the
  /// new one is complete. Each write tells what was there; returned is what is gone.
  std::vector<meta::KeyedObject> replace(std::span<Write> writes, std::string resource_version);
  void bookmark(std::string_view resource_version);

  meta::Object find(std::string_view key) const;  ///< null: not there
  /// Of many keys, in their order, null where not there: faster than one by one. Each is as of a moment of its own.
  std::vector<meta::Object> find_many(std::span<const std::string_view> keys) const;
  std::vector<meta::Object> find_many(std::span<const std::string> keys) const;
  std::vector<meta::Object> list() const;  ///< no order
  /// All keys, in no order.
  std::vector<std::string> list_keys() const;
  std::size_t size() const noexcept;
  /// Bytes of the objects and of the store itself.
  std::size_t bytes() const noexcept;
  std::size_t overhead_bytes() const noexcept;  ///< of the store itself, without the objects
  std::string last_store_sync_resource_version() const;
  Snapshot snapshot() const;

  /// Objects that share a value of the index with the given one.
  Result<std::vector<meta::Object>> index(std::string_view name, const meta::Object& object) const;
  Result<std::vector<meta::Object>> by_index(std::string_view name, std::string_view value) const;
  Result<std::vector<std::string>> index_keys(std::string_view name, std::string_view value) const;  ///< sorted
  std::vector<std::string> list_index_values(std::string_view name) const;  ///< empty for an unknown index

  /// All indexes.
  Indexers indexers() const;
  /// Existing objects are indexed before it returns, in batches: readers and writers go on meanwhile. A name that is
  /// taken is an Error, and nothing is added.
  Result<void> add_indexers(const Indexers& indexers);
  Result<void> remove_indexer(std::string_view name);  ///< an unknown name is an Error
  /// How often an index function failed.
  std::uint64_t index_errors() const noexcept;

 private:
  friend class Store;
  std::shared_ptr<detail::StoreCore> core_;
};

}  // namespace kubexx::store
