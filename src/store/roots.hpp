#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/meta/key.hpp"
#include "meta/internal/key_parts.hpp"
#include "store/cow_array.hpp"
#include "store/epochs.hpp"
#include "store/hash_directory.hpp"
#include "store/id_set.hpp"
#include "store/index_values.hpp"

namespace kubexx::store {

using meta::short_hash;

/// A text in a block: an explicit key, or the value of an index.
inline std::string_view text_of(const Block* block) noexcept {
  return {reinterpret_cast<const char*>(block + 1), block->count};
}

/// One value of an index and the ids of the objects that have it.
struct IndexValue {
  Block* text = nullptr;  // null: the place is free
  IdSet ids;
};

/// What a reader needs of one index.
struct IndexRoot {
  std::shared_ptr<const IndexDefinition> definition;
  CowArray<IndexValue, 128> values;
  HashDirectory by_value;
  bool ready = true;  // false while existing objects are still being added to it

  const IndexValue* find(std::string_view value) const;
};

/// What a reader needs of a whole store: a consistent state, as long as its blocks live. Objects have ids without gaps.
struct Roots {
  CowArray<Handle> handles;
  CowArray<Block*, 512, true>
      keys;  // empty, or for each id its key where that is not the object's default key, else null
  KeyDirectory by_key;
  std::vector<IndexRoot> indexes;

  std::size_t size() const noexcept { return handles.size(); }
  const meta::Object& object(std::uint32_t id) const noexcept { return handles[id].object(); }
  struct Found {
    std::uint32_t id;  // kNoId: nothing
    Handle handle;     // null: nothing
  };
  /// May run while the store is written, under the conditions of BasicHashDirectory::find().
  Found find(const meta::KeyParts& key, std::uint32_t hash) const;
  Found find(const meta::Key& key) const { return find(key_parts(key), key.hash()); }
  meta::Object find_object(std::string_view key) const { return find({{}, key}, short_hash(key)).handle.object(); }
  /// Many of them: all that the next step needs is asked for before the step is taken. As find().
  void find(std::span<const std::string_view> sought, std::span<const std::uint32_t> hashes,
            std::span<Handle> found) const;
  meta::KeyParts parts_of(std::uint32_t id) const;
  meta::Key key_of(std::uint32_t id) const;
  const IndexRoot* index(std::string_view name) const;

  std::vector<meta::Object> list() const;
  std::vector<std::string> list_keys() const;
  void append_objects(const IdSet& ids, std::vector<meta::Object>& to) const;
};

}  // namespace kubexx::store
