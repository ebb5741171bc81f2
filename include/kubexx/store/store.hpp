#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/object_key.hpp"
#include "kubexx/meta/stream.hpp"
#include "kubexx/store/index.hpp"
#include "kubexx/store/snapshot.hpp"
#include "kubexx/store/thread_safe_store.hpp"
#include "kubexx/store/write.hpp"

namespace kubexx::store {

/// Objects under the key that a function gives them ("ns/name" unless told otherwise). What ThreadSafeStore guarantees
/// holds here too.
///
/// Threads: safe from any thread. Key functions run on the caller's, without a lock.
/// Errors: an object without a key is an Error and changes nothing; apply() and replace() fail as a whole.
/// Example:
///
///     store::Indexer all(store::namespace_indexers());
///     if (auto added = all.add(pod); !added) complain(added.error());
///     auto here = all.by_index(store::kNamespaceIndex, "default");
///     const meta::Object web = all.find("default/web");  // null: not there
class KUBEXX_EXPORT Store {
 public:
  explicit Store(meta::KeyFunc key_func = {});

  /// Puts the object in the place of what has its key. An Error where it has no key.
  Result<void> add(meta::Object object);
  Result<void> update(meta::Object object);
  /// By the object's key; takes over its resourceVersion.
  Result<void> remove(const meta::Object& object);
  /// By its key; the store's resourceVersion stays.
  Result<void> remove(const meta::DeletedFinalStateUnknown& gone);
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version);
  /// As ThreadSafeStore's.
  Result<void> apply(std::span<Write> writes);
  Result<std::vector<meta::KeyedObject>> replace(std::span<Write> writes, std::string resource_version);
  void bookmark(std::string_view resource_version) { items_.bookmark(resource_version); }

  /// Under which the store has it.
  Result<std::string> key_of(const meta::Object& object) const;
  /// What is stored under the key of that object; null: not there, or it has no key.
  meta::Object find(const meta::Object& like) const;
  meta::Object find(std::string_view key) const { return items_.find(key); }  ///< null: not there
  /// As ThreadSafeStore's.
  std::vector<meta::Object> find_many(std::span<const std::string_view> keys) const { return items_.find_many(keys); }
  std::vector<meta::Object> find_many(std::span<const std::string> keys) const { return items_.find_many(keys); }
  /// The stored handle if it is the same object (uid, resourceVersion and contents), else the given one.
  meta::Object prefer_known(meta::Object fresh) const;
  /// What is stored with this name, uid and version; null: not there, or objects are named by a function of the user.
  meta::Object find_known(const meta::ItemIdentity& identity) const;
  std::vector<meta::Object> list() const { return items_.list(); }
  std::vector<std::string> list_keys() const { return items_.list_keys(); }
  std::size_t size() const noexcept { return items_.size(); }
  std::size_t bytes() const noexcept { return items_.bytes(); }
  std::string last_store_sync_resource_version() const { return items_.last_store_sync_resource_version(); }
  Snapshot snapshot() const { return items_.snapshot(); }

 protected:
  Store(meta::KeyFunc key_func, const Indexers& indexers);
  ThreadSafeStore items_;

 private:
  Result<meta::Key> make_key(const meta::Object& object) const;
  /// Those without a key.
  Result<void> name(std::span<Write> writes) const;
  meta::KeyFunc key_func_;
};

/// A Store with indexes; asking for an unknown one is an Error.
class KUBEXX_EXPORT Indexer : public Store {
 public:
  explicit Indexer(const Indexers& indexers = {}, meta::KeyFunc key_func = {});

  /// Of an index: what has the values of this object, or this value, as objects or as keys; an Error where there is no
  /// such index.
  Result<std::vector<meta::Object>> index(std::string_view name, const meta::Object& object) const {
    return items_.index(name, object);
  }
  Result<std::vector<meta::Object>> by_index(std::string_view name, std::string_view value) const {
    return items_.by_index(name, value);
  }
  Result<std::vector<std::string>> index_keys(std::string_view name, std::string_view value) const {
    return items_.index_keys(name, value);
  }
  /// All values of an index, and all indexes; indexes can come and go while the store is used.
  std::vector<std::string> list_index_values(std::string_view name) const { return items_.list_index_values(name); }
  Indexers indexers() const { return items_.indexers(); }
  Result<void> add_indexers(const Indexers& indexers) { return items_.add_indexers(indexers); }
  Result<void> remove_indexer(std::string_view name) { return items_.remove_indexer(name); }
  /// How often an index function failed.
  std::uint64_t index_errors() const noexcept { return items_.index_errors(); }
};

}  // namespace kubexx::store
