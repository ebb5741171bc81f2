#include "store/roots.hpp"

#include <algorithm>

#include "kubexx/base/detail/prefetch.hpp"

namespace kubexx::store {
namespace {

// Taking a handle counts a reference, which waits for the object's cache line: so lines are asked for ahead of time.
constexpr std::size_t kAhead = 12;

// The key and what leads to it mostly stand in the first lines, which arrive together this way.
void prefetch_key(Handle handle) {
  const auto* address = static_cast<const char*>(handle.address());
  prefetch_to_write(address);
  prefetch(address + 64);
  prefetch(address + 128);
}

}  // namespace

const IndexValue* IndexRoot::find(std::string_view value) const {
  const std::uint32_t id =
      by_value.find(short_hash(value), [&](std::uint32_t each) { return text_of(values[each].text) == value; });
  return id == kNoId ? nullptr : &values[id];
}

Roots::Found Roots::find(const meta::KeyParts& key, std::uint32_t hash) const {
  Found found{kNoId, {}};
  found.id = by_key.find(hash, [&](std::uint32_t id, Handle handle) {
    prefetch_key(handle);
    const Block* own = keys.empty_shared() ? nullptr : keys.read_shared(id);
    const bool is_it = same_text(own != nullptr ? meta::KeyParts{{}, text_of(own)} : key_parts(handle.object()), key);
    if (is_it) found.handle = handle;
    return is_it;
  });
  return found;
}

void Roots::find(std::span<const std::string_view> sought, std::span<const std::uint32_t> hashes,
                 std::span<Handle> found) const {
  for (const std::uint32_t hash : hashes) by_key.prefetch_to_find(hash);
  for (const std::uint32_t hash : hashes) {
    static_cast<void>(by_key.find(hash, [](std::uint32_t, Handle handle) {
      prefetch_key(handle);
      return true;  // most likely
    }));
  }
  for (std::size_t i = 0; i < sought.size(); ++i) found[i] = find({{}, sought[i]}, hashes[i]).handle;
}

meta::KeyParts Roots::parts_of(std::uint32_t id) const {
  if (!keys.empty() && keys[id] != nullptr) return {{}, text_of(keys[id])};
  return key_parts(object(id));
}

meta::Key Roots::key_of(std::uint32_t id) const {
  if (!keys.empty() && keys[id] != nullptr) return meta::Key(text_of(keys[id]));
  return meta::Key::of(object(id));
}

const IndexRoot* Roots::index(std::string_view name) const {
  const auto at = std::find_if(indexes.begin(), indexes.end(),
                               [&](const IndexRoot& index) { return index.definition->name() == name; });
  return at == indexes.end() || !at->ready ? nullptr : &*at;
}

std::vector<meta::Object> Roots::list() const {
  std::vector<meta::Object> all;
  all.reserve(size());
  for (std::size_t page = 0; page < handles.page_count(); ++page) {
    const Handle* items = handles.page_items(page);
    const std::size_t count = handles.page_size(page);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) prefetch_to_write(items[i + kAhead].address());
      all.push_back(items[i].object());
    }
  }
  return all;
}

std::vector<std::string> Roots::list_keys() const {
  std::vector<std::string> all;
  all.reserve(size());
  for (std::uint32_t id = 0; id < size(); ++id) all.push_back(parts_of(id).text());
  return all;
}

void Roots::append_objects(const IdSet& ids, std::vector<meta::Object>& to) const {
  to.reserve(to.size() + ids.size());
  ids.for_each_span([&](std::span<const std::uint32_t> span) {
    for (std::size_t i = 0; i < span.size(); ++i) {
      if (i + kAhead < span.size()) prefetch_to_write(handles[span[i + kAhead]].address());
      to.push_back(object(span[i]));
    }
  });
}

}  // namespace kubexx::store
