#include "kubexx/store/thread_safe_store.hpp"

#include <stdexcept>
#include <utility>

#include "store/store_core.hpp"

namespace kubexx::store {
namespace {

void require(const Write& write) {
  if (write.key.empty()) throw std::logic_error("an object is stored and removed by a key that is not empty");
  if (write.type == Write::Type::Put && !write.object) throw std::logic_error("a null object cannot be stored");
}

}  // namespace

ThreadSafeStore::ThreadSafeStore(const Indexers& indexers) : core_(std::make_shared<detail::StoreCore>(indexers)) {}
ThreadSafeStore::~ThreadSafeStore() = default;
ThreadSafeStore::ThreadSafeStore(ThreadSafeStore&&) noexcept = default;
ThreadSafeStore& ThreadSafeStore::operator=(ThreadSafeStore&&) noexcept = default;

void ThreadSafeStore::add(std::string_view key, meta::Object object) {
  Write write{Write::Type::Put, meta::Key::of(object, key), std::move(object)};
  require(write);
  core_->apply({&write, 1});
}

void ThreadSafeStore::update(std::string_view key, meta::Object object) {
  add(key, std::move(object));
}

void ThreadSafeStore::remove(std::string_view key) {
  remove(key, {});
}

void ThreadSafeStore::remove(std::string_view key, const meta::Object& last_state) {
  Write write{Write::Type::Remove, meta::Key::of(last_state, key), last_state};
  core_->apply({&write, 1});
}

void ThreadSafeStore::apply(std::span<Write> writes) {
  for (const Write& write : writes) require(write);
  core_->apply(writes);
}

std::vector<meta::KeyedObject> ThreadSafeStore::replace(std::span<Write> writes, std::string resource_version) {
  for (const Write& write : writes) {
    if (write.type != Write::Type::Put) throw std::logic_error("a replace puts objects and removes none");
    require(write);
  }
  return core_->replace(writes, resource_version);
}

void ThreadSafeStore::bookmark(std::string_view resource_version) {
  core_->bookmark(resource_version);
}

meta::Object ThreadSafeStore::find(std::string_view key) const {
  return core_->find(key);
}

std::vector<meta::Object> ThreadSafeStore::find_many(std::span<const std::string_view> keys) const {
  return core_->find_many(keys);
}

std::vector<meta::Object> ThreadSafeStore::find_many(std::span<const std::string> keys) const {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  return core_->find_many(views);
}

std::vector<meta::Object> ThreadSafeStore::list() const {
  return core_->list();
}

std::vector<std::string> ThreadSafeStore::list_keys() const {
  return core_->list_keys();
}

std::size_t ThreadSafeStore::size() const noexcept {
  return core_->size();
}

std::size_t ThreadSafeStore::bytes() const noexcept {
  return core_->bytes();
}

std::size_t ThreadSafeStore::overhead_bytes() const noexcept {
  return core_->overhead_bytes();
}

std::string ThreadSafeStore::last_store_sync_resource_version() const {
  return core_->resource_version();
}

Snapshot ThreadSafeStore::snapshot() const {
  return core_->snapshot();
}

Result<std::vector<meta::Object>> ThreadSafeStore::index(std::string_view name, const meta::Object& object) const {
  return core_->index(name, object);
}

Result<std::vector<meta::Object>> ThreadSafeStore::by_index(std::string_view name, std::string_view value) const {
  return core_->by_index(name, value);
}

Result<std::vector<std::string>> ThreadSafeStore::index_keys(std::string_view name, std::string_view value) const {
  return snapshot().index_keys(name, value);
}

std::vector<std::string> ThreadSafeStore::list_index_values(std::string_view name) const {
  return snapshot().list_index_values(name);
}

Indexers ThreadSafeStore::indexers() const {
  return core_->indexers();
}

Result<void> ThreadSafeStore::add_indexers(const Indexers& indexers) {
  return core_->add_indexers(indexers);
}

Result<void> ThreadSafeStore::remove_indexer(std::string_view name) {
  return core_->remove_indexer(name);
}

std::uint64_t ThreadSafeStore::index_errors() const noexcept {
  return core_->index_errors();
}

}  // namespace kubexx::store
