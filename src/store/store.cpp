#include "kubexx/store/store.hpp"

#include <utility>

#include "meta/internal/make_key.hpp"
#include "store/same_object.hpp"
#include "store/store_core.hpp"

namespace kubexx::store {
Store::Store(meta::KeyFunc key_func) : Store(std::move(key_func), {}) {}
Store::Store(meta::KeyFunc key_func, const Indexers& indexers) : items_(indexers), key_func_(std::move(key_func)) {}

Result<meta::Key> Store::make_key(const meta::Object& object) const {
  return meta::make_key(object, key_func_);
}

Result<void> Store::name(std::span<Write> writes) const {
  for (Write& write : writes) {
    if (!write.key.empty() && (write.object || write.type == Write::Type::Remove)) continue;
    auto key = make_key(write.object);
    if (!key) return key.error();
    write.key = std::move(*key);
  }
  return {};
}

Result<std::string> Store::key_of(const meta::Object& object) const {
  const auto key = make_key(object);
  if (!key) return key.error();
  return key->text();
}

Result<void> Store::add(meta::Object object) {
  Write write{Write::Type::Put, {}, std::move(object)};
  return apply({&write, 1});
}

Result<void> Store::update(meta::Object object) {
  return add(std::move(object));
}

Result<void> Store::remove(const meta::Object& object) {
  Write write{Write::Type::Remove, {}, object};
  return apply({&write, 1});
}

Result<void> Store::remove(const meta::DeletedFinalStateUnknown& gone) {
  if (gone.key.empty()) return Error::config("a deletion without a key");
  items_.remove(gone.key);  // the last known state is older than what the store has seen
  return {};
}

Result<void> Store::apply(std::span<Write> writes) {
  if (auto named = name(writes); !named) return named;
  items_.core_->apply(writes);
  return {};
}

Result<void> Store::replace(std::vector<meta::Object> objects, std::string resource_version) {
  if (!key_func_) {
    for (const meta::Object& object : objects) {
      if (object.name().empty()) return make_key(object).error().with_context("replace");
    }
    items_.core_->replace(objects, resource_version);
    return {};
  }
  std::vector<Write> writes(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) writes[i].object = std::move(objects[i]);
  auto gone = replace(writes, std::move(resource_version));
  if (!gone) return gone.error();
  return {};
}

Result<std::vector<meta::KeyedObject>> Store::replace(std::span<Write> writes, std::string resource_version) {
  for (const Write& write : writes) {
    if (write.type != Write::Type::Put) return Error::config("a replace puts objects and removes none");
  }
  if (const auto named = name(writes); !named) return named.error().with_context("replace");
  return items_.core_->replace(writes, resource_version);
}

meta::Object Store::find(const meta::Object& like) const {
  const auto key = make_key(like);
  return key ? items_.core_->find(*key) : meta::Object();
}

meta::Object Store::prefer_known(meta::Object fresh) const {
  const auto key = make_key(fresh);
  if (!key) return fresh;
  auto known = items_.core_->find(*key);
  return same_object(known, fresh) ? known : fresh;
}

meta::Object Store::find_known(const meta::ItemIdentity& identity) const {
  if (key_func_) return {};  // who names objects otherwise has to see them first
  auto known = find(identity.namespace_.empty() ? std::string(identity.name)
                                                : std::string(identity.namespace_) + '/' + std::string(identity.name));
  const bool same = known && known.uid() == identity.uid && known.resource_version() == identity.resource_version;
  return same ? known : meta::Object();
}

Indexer::Indexer(const Indexers& indexers, meta::KeyFunc key_func) : Store(std::move(key_func), indexers) {}

}  // namespace kubexx::store
