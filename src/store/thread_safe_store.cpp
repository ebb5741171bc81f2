#include "kubexx/store/thread_safe_store.hpp"

#include <stdexcept>
#include <utility>

#include "store/store_core.hpp"

namespace kubexx::store {
namespace {

using Kind = detail::StoreCore::Write::Kind;

void require(std::string_view key, const meta::Object& object) {
  if (key.empty()) throw std::logic_error("an object is stored under a key that is not empty");
  if (!object) throw std::logic_error("a null object cannot be stored");
}

}  // namespace

ThreadSafeStore::ThreadSafeStore(const Indexers& indexers) : core_(std::make_shared<detail::StoreCore>(indexers)) {}
ThreadSafeStore::~ThreadSafeStore() = default;
ThreadSafeStore::ThreadSafeStore(ThreadSafeStore&&) noexcept = default;
ThreadSafeStore& ThreadSafeStore::operator=(ThreadSafeStore&&) noexcept = default;

void ThreadSafeStore::add(std::string_view key, meta::Object object) {
  require(key, object);
  const std::string_view version = object.resource_version();
  detail::StoreCore::Write write{Kind::Put, key, std::move(object), 0};
  core_->apply({&write, 1}, version);
}

void ThreadSafeStore::update(std::string_view key, meta::Object object) {
  add(key, std::move(object));
}

void ThreadSafeStore::remove(std::string_view key) {
  remove(key, {});
}

void ThreadSafeStore::remove(std::string_view key, const meta::Object& last_state) {
  detail::StoreCore::Write write{Kind::Remove, key, {}, 0};
  core_->apply({&write, 1}, last_state.resource_version());
}

TransactionResult ThreadSafeStore::transaction(std::vector<Transaction> transactions) {
  TransactionResult result;
  result.total = transactions.size();
  std::vector<detail::StoreCore::Write> writes;
  writes.reserve(transactions.size());
  std::string_view version;
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    Transaction& each = transactions[i];
    const bool is_put = each.type != Transaction::Type::Remove;
    if (each.key.empty() || (is_put && !each.object)) {
      result.errors.push_back(Error::config(each.key.empty() ? "a transaction without a key" : "a null object"));
      continue;
    }
    version = each.object.resource_version();  // the transaction, or the write, keeps the object
    writes.push_back(
        {is_put ? Kind::Put : Kind::Remove, each.key, is_put ? std::move(each.object) : meta::Object(), 0});
    result.successful.push_back(i);
  }
  core_->apply(writes, version);
  return result;
}

void ThreadSafeStore::replace(std::vector<Item> items, std::string resource_version) {
  std::vector<meta::Object> objects;
  objects.reserve(items.size());
  for (Item& item : items) {
    require(item.key, item.object);
    objects.push_back(std::move(item.object));
  }
  const auto with_key = [&](std::size_t i, const meta::Object&, auto use) { use(std::string_view(items[i].key)); };
  core_->replace<false>(std::move(objects), with_key, std::move(resource_version));
}

void ThreadSafeStore::bookmark(std::string_view resource_version) {
  core_->bookmark(resource_version);
}

meta::Object ThreadSafeStore::get(std::string_view key) const {
  return core_->get(key);
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
