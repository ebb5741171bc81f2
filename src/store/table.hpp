#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "store/births.hpp"
#include "store/roots.hpp"

namespace kubexx::store {

/// The writer's side of one index: where each object stands. It remembers what it stored, so the index function is
/// never asked about an old object, and a function that changes its mind cannot damage the index.
class IndexWriter {
 public:
  static constexpr std::uint32_t kNoValue = 0xffffffffU;
  static constexpr std::uint32_t kPending = 0xfffffffeU;  // not evaluated yet

  /// The object with the next id.
  void append(IndexRoot& root, const IndexDefinition::Values& values, Epochs& epochs);
  void append_pending() { links_.push_back(kPending); }
  bool is_pending(std::uint32_t id) const { return links_[id] == kPending; }
  void update(IndexRoot& root, std::uint32_t id, const IndexDefinition::Values& values, Epochs& epochs);
  /// The object leaves, and the last one gets its id.
  void remove(IndexRoot& root, std::uint32_t id, Epochs& epochs);
  static void discard(IndexRoot& root, Epochs& epochs);

 private:
  static constexpr std::uint32_t kSeveral = 0x80000000U;  // the rest of the link is a place in several_

  std::uint32_t value_of(IndexRoot& root, std::string_view text, Epochs& epochs);
  void enter(IndexRoot& root, std::uint32_t value, std::uint32_t id, Epochs& epochs);
  void leave(IndexRoot& root, std::uint32_t value, std::uint32_t id, Epochs& epochs);
  std::span<const std::uint32_t> linked(const std::uint32_t& link) const;
  void set_link(std::uint32_t id, std::vector<std::uint32_t> values);

  std::deque<std::uint32_t> links_;  // by id: a value's place in the root, or one of the constants
  std::vector<std::vector<std::uint32_t>> several_;
  std::vector<std::uint32_t> free_several_;
  std::vector<std::uint32_t> free_values_;
};

/// Keys, objects and indexes as the writer changes them. Not thread-safe; readers use `roots` under the store's lock or
/// a copy of it (a snapshot).
class Table {
 public:
  Table(Epochs& epochs, const IndexDefinitions& definitions);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const Roots& roots() const noexcept { return roots_; }
  std::uint64_t object_bytes() const noexcept { return object_bytes_; }
  std::size_t side_bytes() const noexcept;

  /// Under its default key, or one of its own. `values` has one element for each index. Both return what was there, to
  /// be released outside of any lock.
  enum class KeyKind : std::uint8_t { Default, Own };
  meta::Object put(const meta::Key& key, KeyKind kind, meta::Object object,
                   std::span<const IndexDefinition::Values> values);
  meta::Object remove(const meta::Key& key);

  void add_index(std::shared_ptr<const IndexDefinition> definition);  ///< pending: see fill_index
  /// Adds an object to a pending index, if it is still what the table has.
  void fill_index(const IndexDefinition& definition, const meta::Key& key, const meta::Object& object,
                  const IndexDefinition::Values& values);
  void set_ready(const IndexDefinition& definition);
  void remove_index(std::string_view name);

 private:
  Block* own_key(const meta::Key& key);
  void set_key(std::uint32_t id, Block* key);
  std::size_t place_of(const IndexDefinition& definition) const;

  Epochs& epochs_;
  Roots roots_;
  Births births_;
  std::vector<IndexWriter> writers_;  // beside roots_.indexes
  std::uint64_t object_bytes_ = 0;
};

}  // namespace kubexx::store
