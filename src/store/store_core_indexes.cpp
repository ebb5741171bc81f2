#include <algorithm>
#include <utility>

#include "kubexx/base/error_sink.hpp"
#include "store/store_core.hpp"
#include "store/unknown_index.hpp"

namespace kubexx::store::detail {

Result<std::vector<meta::Object>> StoreCore::by_index(std::string_view name, std::string_view value) const {
  Snapshot many;
  {
    const FairLock::Reading reading(lock_);
    const Roots& roots = table_->roots();
    const IndexRoot* index = roots.index(name);
    if (index == nullptr) return unknown_index(name);
    std::vector<meta::Object> objects;
    const IndexValue* found = index->find(value);
    if (found == nullptr) return objects;
    if (found->ids.size() <= kShortRead) {
      roots.append_objects(found->ids, objects);
      return objects;
    }
    many = snapshot_locked();
  }
  return many.by_index(name, value);
}

Result<std::vector<meta::Object>> StoreCore::index(std::string_view name, const meta::Object& object) const {
  std::shared_ptr<const IndexDefinition> definition;
  {
    const FairLock::Reading reading(lock_);
    const IndexRoot* index = table_->roots().index(name);
    if (index == nullptr) return unknown_index(name);
    definition = index->definition;
  }
  Result<std::vector<std::string>> values = std::vector<std::string>();
  try {
    values = definition->function()(object);
  } catch (...) {
    values = current_exception_as_error();
  }
  if (!values) return values.error().with_context("index " + definition->name());
  if (values->size() == 1) return by_index(name, values->front());

  const Snapshot state = snapshot();
  std::vector<std::uint32_t> ids;
  for (const std::string& value : *values) {
    const auto found = state.ids_by_index(name, value);
    if (!found) return found.error();
    for (const auto span : *found) ids.insert(ids.end(), span.begin(), span.end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::vector<meta::Object> objects;
  objects.reserve(ids.size());
  for (const std::uint32_t id : ids) objects.push_back(state.object_at(id));
  return objects;
}

Indexers StoreCore::indexers() const {
  Indexers all;
  for (const auto& definition : *definitions()) all.emplace(definition->name(), definition->function());
  return all;
}

Result<void> StoreCore::add_indexers(const Indexers& indexers) {
  if (indexers.empty()) return {};
  IndexDefinitions added;
  for (const auto& [name, function] : indexers) added.push_back(std::make_shared<IndexDefinition>(name, function));

  // From here on writers keep the new indexes up to date; what exists is added below.
  Snapshot existing;
  {
    const std::lock_guard lock(lock_);
    for (const auto& definition : *definitions_) {
      if (indexers.contains(definition->name())) {
        return Error::config("an index named \"" + definition->name() + "\" exists already");
      }
    }
    auto all = std::make_shared<IndexDefinitions>(*definitions_);
    for (const auto& definition : added) {
      all->push_back(definition);
      table_->add_index(definition);
    }
    definitions_ = std::move(all);
    wrote_locked();
    existing = snapshot_locked();
  }
  for (const auto& definition : added) fill(*definition, existing);
  const std::lock_guard lock(lock_);
  for (const auto& definition : added) table_->set_ready(*definition);
  wrote_locked();
  return {};
}

void StoreCore::fill(const IndexDefinition& definition, const Snapshot& existing) {
  const Roots& roots = existing.data_->roots;
  std::vector<meta::Key> keys(kBatch);
  std::vector<IndexDefinition::Values> values(kBatch);
  for (std::uint32_t first = 0; first < roots.size(); first += kBatch) {
    const std::uint32_t count = static_cast<std::uint32_t>(std::min(kBatch, roots.size() - first));
    for (std::uint32_t i = 0; i < count; ++i) {
      keys[i] = roots.key_of(first + i);
      definition.evaluate(roots.object(first + i), values[i], index_errors_);
    }
    const std::lock_guard lock(lock_);
    for (std::uint32_t i = 0; i < count; ++i) {
      table_->fill_index(definition, keys[i], roots.object(first + i), values[i]);
    }
    wrote_locked();
  }
}

Result<void> StoreCore::remove_indexer(std::string_view name) {
  std::shared_ptr<const IndexDefinition> removed;  // the user's function goes without the lock
  Definitions before;
  const std::lock_guard lock(lock_);
  auto all = std::make_shared<IndexDefinitions>(*definitions_);
  const auto at = std::find_if(all->begin(), all->end(), [&](const auto& each) { return each->name() == name; });
  if (at == all->end()) return unknown_index(name);
  removed = *at;
  all->erase(at);
  before = std::exchange(definitions_, std::move(all));
  table_->remove_index(name);
  wrote_locked();
  return {};
}

}  // namespace kubexx::store::detail
