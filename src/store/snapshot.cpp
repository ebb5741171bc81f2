#include "kubexx/store/snapshot.hpp"

#include <algorithm>

#include "store/store_core.hpp"
#include "store/unknown_index.hpp"

namespace kubexx::store {
namespace {

const std::string kNoVersion;

}  // namespace

std::size_t Snapshot::size() const noexcept {
  return data_ ? data_->roots.size() : 0;
}

const std::string& Snapshot::resource_version() const noexcept {
  return data_ ? data_->resource_version : kNoVersion;
}

std::uint64_t Snapshot::version() const noexcept {
  return data_ ? data_->version : 0;
}

meta::Object Snapshot::find(std::string_view key) const {
  return data_ ? data_->roots.find_object(key) : meta::Object();
}

std::vector<meta::Object> Snapshot::list() const {
  return data_ ? data_->roots.list() : std::vector<meta::Object>();
}

std::vector<std::string> Snapshot::list_keys() const {
  return data_ ? data_->roots.list_keys() : std::vector<std::string>();
}

std::size_t Snapshot::page_count() const noexcept {
  return data_ ? data_->roots.handles.page_count() : 0;
}

std::span<const meta::Object> Snapshot::page(std::size_t number) const noexcept {
  const auto& handles = data_->roots.handles;
  return {&handles.page_items(number)->object(), handles.page_size(number)};
}

std::string Snapshot::key_of(std::size_t id) const {
  return data_->roots.parts_of(static_cast<std::uint32_t>(id)).text();
}

const meta::Object& Snapshot::object_at(std::uint32_t id) const noexcept {
  return data_->roots.object(id);
}

Result<std::vector<std::span<const std::uint32_t>>> Snapshot::ids_by_index(std::string_view index,
                                                                           std::string_view value) const {
  const IndexRoot* root = data_ ? data_->roots.index(index) : nullptr;
  if (root == nullptr) return detail::unknown_index(index);
  std::vector<std::span<const std::uint32_t>> spans;
  if (const IndexValue* found = root->find(value)) {
    found->ids.for_each_span([&](std::span<const std::uint32_t> ids) { spans.push_back(ids); });
  }
  return spans;
}

Result<std::vector<meta::Object>> Snapshot::by_index(std::string_view index, std::string_view value) const {
  const IndexRoot* root = data_ ? data_->roots.index(index) : nullptr;
  if (root == nullptr) return detail::unknown_index(index);
  std::vector<meta::Object> objects;
  if (const IndexValue* found = root->find(value)) data_->roots.append_objects(found->ids, objects);
  return objects;
}

Result<std::vector<std::string>> Snapshot::index_keys(std::string_view index, std::string_view value) const {
  const auto found = ids_by_index(index, value);
  if (!found) return found.error();
  std::vector<std::string> keys;
  for (const auto ids : *found) {
    for (const std::uint32_t id : ids) keys.push_back(data_->roots.parts_of(id).text());
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> Snapshot::list_index_values(std::string_view index) const {
  std::vector<std::string> texts;
  const IndexRoot* root = data_ ? data_->roots.index(index) : nullptr;
  if (root == nullptr) return texts;
  for (std::size_t i = 0; i < root->values.size(); ++i) {
    if (root->values[i].text != nullptr) texts.emplace_back(text_of(root->values[i].text));
  }
  return texts;
}

bool Snapshot::has_index(std::string_view index) const noexcept {
  return data_ && data_->roots.index(index) != nullptr;
}

}  // namespace kubexx::store
