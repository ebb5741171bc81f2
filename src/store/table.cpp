#include "store/table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/internal/assert.hpp"

namespace kubexx::store {
namespace {

constexpr std::size_t kMaxObjects = 0x7fffffffU;

}  // namespace

Table::Table(Epochs& epochs, const IndexDefinitions& definitions) : epochs_(epochs) {
  for (const auto& definition : definitions) roots_.indexes.push_back({definition, {}, {}, true});
  writers_.resize(definitions.size());
}

Table::~Table() {
  for (IndexRoot& index : roots_.indexes) IndexWriter::discard(index, epochs_);
  for (std::uint32_t id = 0; id < roots_.size(); ++id) {
    static_cast<void>(epochs_.discard(roots_.handles[id], births_[id]));
    if (!roots_.keys.empty() && roots_.keys[id] != nullptr) epochs_.discard(roots_.keys[id]);
  }
  roots_.handles.discard(epochs_);
  roots_.keys.discard(epochs_);
  roots_.by_key.discard(epochs_);
}

std::size_t Table::side_bytes() const noexcept {
  return births_.bytes() + roots_.size() * sizeof(std::uint32_t) * writers_.size();
}

Block* Table::own_key(const meta::Key& key) {
  const auto parts = key_parts(key);
  Block* block = epochs_.allocate(parts.size());
  block->count = static_cast<std::uint32_t>(parts.size());
  parts.write(reinterpret_cast<char*>(block + 1));
  return block;
}

void Table::set_key(std::uint32_t id, Block* key) {
  if (roots_.keys.empty()) {
    if (key == nullptr) return;
    while (roots_.keys.size() < id) roots_.keys.push_back(nullptr, epochs_);
  }
  if (roots_.keys.size() == id) {
    roots_.keys.push_back(key, epochs_);
    return;
  }
  Block* old = roots_.keys[id];
  if (old == key) return;
  roots_.keys.set(id, key, epochs_);
  if (old != nullptr) epochs_.discard(old);
}

meta::Object Table::put(const meta::Key& key, KeyKind kind, meta::Object object,
                        std::span<const IndexDefinition::Values> values) {
  KUBEXX_ASSERT(values.size() == writers_.size());
  const std::uint32_t hash = key.hash();
  Block* stored_key = kind == KeyKind::Default ? nullptr : own_key(key);
  object_bytes_ += object.byte_size();
  const auto [found, old] = roots_.find(key);
  if (found != kNoId) {
    const Handle fresh = Handle::adopt(std::move(object));
    roots_.handles.set(found, fresh, epochs_);
    roots_.by_key.set_handle(hash, found, fresh, epochs_);
    object_bytes_ -= old.object().byte_size();
    if (roots_.keys.empty() && stored_key != nullptr) {
      while (roots_.keys.size() < roots_.size()) roots_.keys.push_back(nullptr, epochs_);
    }
    if (!roots_.keys.empty()) set_key(found, stored_key);
    for (std::size_t i = 0; i < writers_.size(); ++i) {
      writers_[i].update(roots_.indexes[i], found, values[i], epochs_);
    }
    meta::Object previous = old.object();
    const Epoch born = births_[found];
    births_.set(found, epochs_.now(), epochs_.any_snapshot());
    static_cast<void>(epochs_.discard(old, born));
    return previous;
  }

  if (roots_.size() == kMaxObjects) throw std::length_error("a store holds at most 2^31 - 1 objects");
  const auto id = static_cast<std::uint32_t>(roots_.size());
  const Handle fresh = Handle::adopt(std::move(object));
  roots_.handles.push_back(fresh, epochs_);
  births_.push_back(epochs_.now(), epochs_.any_snapshot());
  set_key(id, stored_key);
  roots_.by_key.insert(hash, id, fresh, epochs_);
  for (std::size_t i = 0; i < writers_.size(); ++i) writers_[i].append(roots_.indexes[i], values[i], epochs_);
  return {};
}

meta::Object Table::remove(const meta::Key& key) {
  const auto [id, gone] = roots_.find(key);
  if (id == kNoId) return {};
  meta::Object previous = gone.object();
  roots_.by_key.erase(key.hash(), id, epochs_);
  for (std::size_t i = 0; i < writers_.size(); ++i) writers_[i].remove(roots_.indexes[i], id, epochs_);
  const Epoch born = births_[id];
  if (!roots_.keys.empty()) set_key(id, nullptr);

  const auto last = static_cast<std::uint32_t>(roots_.size() - 1);
  if (id != last) {
    roots_.by_key.change_id(roots_.key_of(last).hash(), last, id, epochs_);
    const Handle moved = roots_.handles[last];
    roots_.handles.set(id, moved, epochs_);
    births_.set(id, births_[last], epochs_.any_snapshot());
    if (!roots_.keys.empty()) {
      Block* key_of_moved = roots_.keys[last];
      roots_.keys.set(id, key_of_moved, epochs_);
    }
  }
  if (!roots_.keys.empty()) roots_.keys.pop_back(epochs_);
  roots_.handles.pop_back(epochs_);
  births_.pop_back();
  object_bytes_ -= previous.byte_size();
  static_cast<void>(epochs_.discard(gone, born));
  return previous;
}

std::size_t Table::place_of(const IndexDefinition& definition) const {
  const auto at = std::find_if(roots_.indexes.begin(), roots_.indexes.end(),
                               [&](const IndexRoot& index) { return index.definition.get() == &definition; });
  return static_cast<std::size_t>(at - roots_.indexes.begin());
}

void Table::add_index(std::shared_ptr<const IndexDefinition> definition) {
  roots_.indexes.push_back({std::move(definition), {}, {}, false});
  IndexWriter& writer = writers_.emplace_back();
  for (std::size_t i = 0; i < roots_.size(); ++i) writer.append_pending();
}

void Table::fill_index(const IndexDefinition& definition, const meta::Key& key, const meta::Object& object,
                       const IndexDefinition::Values& values) {
  const std::size_t place = place_of(definition);
  const std::uint32_t id = roots_.find(key).id;
  if (place == writers_.size() || id == kNoId) return;
  if (!writers_[place].is_pending(id) || !roots_.object(id).same_document(object)) return;
  writers_[place].update(roots_.indexes[place], id, values, epochs_);
}

void Table::set_ready(const IndexDefinition& definition) {
  const std::size_t place = place_of(definition);
  if (place < writers_.size()) roots_.indexes[place].ready = true;
}

void Table::remove_index(std::string_view name) {
  for (std::size_t i = 0; i < roots_.indexes.size(); ++i) {
    if (roots_.indexes[i].definition->name() != name) continue;
    IndexWriter::discard(roots_.indexes[i], epochs_);
    roots_.indexes.erase(roots_.indexes.begin() + static_cast<std::ptrdiff_t>(i));
    writers_.erase(writers_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

}  // namespace kubexx::store
