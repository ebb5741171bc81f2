#include <algorithm>
#include <utility>

#include "base/internal/insist.hpp"
#include "store/table.hpp"

namespace kubexx::store {

std::uint32_t IndexWriter::value_of(IndexRoot& root, std::string_view text, Epochs& epochs) {
  const std::uint32_t hash = short_hash(text);
  const std::uint32_t found =
      root.by_value.find(hash, [&](std::uint32_t each) { return text_of(root.values[each].text) == text; });
  if (found != kNoId) return found;
  Block* block = epochs.allocate(text.size());
  block->count = static_cast<std::uint32_t>(text.size());
  std::copy(text.begin(), text.end(), reinterpret_cast<char*>(block + 1));
  std::uint32_t place = static_cast<std::uint32_t>(root.values.size());
  if (free_values_.empty()) {
    root.values.push_back({block, {}}, epochs);
  } else {
    place = free_values_.back();
    free_values_.pop_back();
    root.values.edit(place, epochs) = {block, {}};
  }
  root.by_value.insert(hash, place, epochs);
  return place;
}

void IndexWriter::enter(IndexRoot& root, std::uint32_t value, std::uint32_t id, Epochs& epochs) {
  root.values.edit(value, epochs).ids.insert(id, epochs);
}

void IndexWriter::leave(IndexRoot& root, std::uint32_t value, std::uint32_t id, Epochs& epochs) {
  IndexValue& left = root.values.edit(value, epochs);
  left.ids.erase(id, epochs);
  if (!left.ids.empty()) return;
  root.by_value.erase(short_hash(text_of(left.text)), value, epochs);
  epochs.discard(left.text);
  left = {};
  insist([&] { free_values_.push_back(value); });
}

std::span<const std::uint32_t> IndexWriter::linked(const std::uint32_t& link) const {
  if (link == kNoValue || link == kPending) return {};
  if ((link & kSeveral) != 0) return several_[link & ~kSeveral];
  return {&link, 1};
}

void IndexWriter::set_link(std::uint32_t id, std::vector<std::uint32_t> values) {
  std::uint32_t& link = links_[id];
  const bool was_several = link != kNoValue && link != kPending && (link & kSeveral) != 0;
  if (values.size() > 1) {
    if (!was_several) {
      if (free_several_.empty()) {
        insist([&] { free_several_.reserve(1); });
        insist([&] { several_.emplace_back(); });
        free_several_.push_back(static_cast<std::uint32_t>(several_.size() - 1));
      }
      link = kSeveral | free_several_.back();
      free_several_.pop_back();
    }
    several_[link & ~kSeveral] = std::move(values);
    return;
  }
  if (was_several) {
    several_[link & ~kSeveral] = {};
    insist([&] { free_several_.push_back(link & ~kSeveral); });
  }
  link = values.empty() ? kNoValue : values.front();
}

void IndexWriter::append(IndexRoot& root, const IndexDefinition::Values& values, Epochs& epochs) {
  const auto id = static_cast<std::uint32_t>(links_.size());
  insist([&] { links_.push_back(kNoValue); });
  if (values.size() == 1) {
    links_.back() = value_of(root, values[0], epochs);
    enter(root, links_.back(), id, epochs);
  } else if (values.size() > 1) {
    update(root, id, values, epochs);
  }
}

void IndexWriter::update(IndexRoot& root, std::uint32_t id, const IndexDefinition::Values& values, Epochs& epochs) {
  const std::span<const std::uint32_t> before = linked(links_[id]);
  if (before.size() == 1 && values.size() == 1 && text_of(root.values[before[0]].text) == values[0]) return;

  std::vector<std::uint32_t> after;
  insist([&] { after.reserve(values.size()); });
  for (std::size_t i = 0; i < values.size(); ++i) after.push_back(value_of(root, values[i], epochs));
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  // Enter first: a value that stays must not become empty in between.
  for (const std::uint32_t value : after) {
    if (std::find(before.begin(), before.end(), value) == before.end()) enter(root, value, id, epochs);
  }
  for (const std::uint32_t value : before) {
    if (!std::binary_search(after.begin(), after.end(), value)) leave(root, value, id, epochs);
  }
  set_link(id, std::move(after));
}

void IndexWriter::remove(IndexRoot& root, std::uint32_t id, Epochs& epochs) {
  for (const std::uint32_t value : linked(links_[id])) leave(root, value, id, epochs);
  set_link(id, {});
  const auto last = static_cast<std::uint32_t>(links_.size() - 1);
  if (id != last) {
    for (const std::uint32_t value : linked(links_[last])) {
      IdSet& ids = root.values.edit(value, epochs).ids;
      ids.insert(id, epochs);
      ids.erase(last, epochs);
    }
    links_[id] = links_[last];
  }
  links_.pop_back();
}

void IndexWriter::discard(IndexRoot& root, Epochs& epochs) {
  for (std::size_t i = 0; i < root.values.size(); ++i) {
    IndexValue value = root.values[i];
    if (value.text == nullptr) continue;
    value.ids.discard(epochs);
    epochs.discard(value.text);
  }
  root.values.discard(epochs);
  root.by_value.discard(epochs);
}

}  // namespace kubexx::store
