#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/lifetime.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::store {

namespace detail {
struct SnapshotData;
class StoreCore;
}  // namespace detail

/// A store as it was at one moment, indexes included; it never changes. A handle: copies are the same snapshot.
///
/// Taking one costs the same whatever the number of objects; while it lives, the store copies the pages that it changes
/// (a few kilobytes each) and keeps the objects that it drops. A snapshot may outlive its store.
///
/// Threads: safe from any thread, without ever waiting for a writer.
/// Errors: an unknown index is an Error; an empty snapshot knows none. What a visitor throws comes out.
/// Example:
///
///     const auto now = factory.core().v1().pods().lister().snapshot();
///     std::size_t labels = 0;
///     now.for_each([&](const meta::Object& each) { labels += each.labels().size(); });
///     auto same_node = now.by_index("node", "worker-1");
class KUBEXX_EXPORT Snapshot {
 public:
  Snapshot() = default;  ///< empty

  std::size_t size() const noexcept;
  bool empty() const noexcept { return size() == 0; }
  /// The resourceVersion of the store then (last_store_sync_resource_version()).
  const std::string& resource_version() const noexcept KUBEXX_LIFETIMEBOUND;
  /// Counts the writes of the store: equal versions of one store are equal states.
  std::uint64_t version() const noexcept;

  meta::Object find(std::string_view key) const;  ///< null: not there
  /// All objects, or their keys, in no order.
  std::vector<meta::Object> list() const;
  std::vector<std::string> list_keys() const;

  /// Calls visit(const meta::Object&) for each object, without taking handles: copy what must outlive the snapshot.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const std::size_t pages = page_count();
    for (std::size_t i = 0; i < pages; ++i) {
      for (const meta::Object& object : page(i)) visit(object);
    }
  }
  /// The objects in pages, for loops of one's own. No order.
  std::size_t page_count() const noexcept;
  std::span<const meta::Object> page(std::size_t number) const noexcept KUBEXX_LIFETIMEBOUND;

  /// Calls visit(std::string_view key, const meta::Object&) for each object.
  template <class Visit>
  void for_each_with_key(Visit&& visit) const {
    std::size_t id = 0;
    for_each([&](const meta::Object& object) { visit(std::string_view(key_of(id++)), object); });
  }

  /// An unknown index is an Error.
  Result<std::vector<meta::Object>> by_index(std::string_view index, std::string_view value) const;
  Result<std::vector<std::string>> index_keys(std::string_view index, std::string_view value) const;  ///< sorted
  std::vector<std::string> list_index_values(std::string_view index) const;  ///< empty for an unknown index
  /// Calls visit(const meta::Object&) for each object that has the value, without taking handles.
  template <class Visit>
  Result<void> for_each_by_index(std::string_view index, std::string_view value, Visit&& visit) const {
    const auto found = ids_by_index(index, value);
    if (!found) return found.error();
    for (const std::span<const std::uint32_t> ids : *found) {
      for (const std::uint32_t id : ids) visit(object_at(id));
    }
    return {};
  }
  bool has_index(std::string_view index) const noexcept;

 private:
  friend class detail::StoreCore;
  explicit Snapshot(std::shared_ptr<const detail::SnapshotData> data) noexcept : data_(std::move(data)) {}
  std::string key_of(std::size_t id) const;
  const meta::Object& object_at(std::uint32_t id) const noexcept;
  Result<std::vector<std::span<const std::uint32_t>>> ids_by_index(std::string_view index,
                                                                   std::string_view value) const;

  std::shared_ptr<const detail::SnapshotData> data_;
};

}  // namespace kubexx::store
