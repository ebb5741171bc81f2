#include "kubexx/store/store.hpp"

#include <utility>

#include "kubexx/base/error_sink.hpp"
#include "meta/internal/key_text.hpp"
#include "store/same_object.hpp"
#include "store/store_core.hpp"

namespace kubexx::store {
namespace {

Error no_key(const meta::Object& object) {
  return Error::config(object ? "key of an object: it has no metadata.name" : "key of an object: it is null");
}

Result<std::string> run_key_func(const meta::KeyFunc& key_func, const meta::Object& object) {
  if (!object) return no_key(object);
  try {
    auto key = key_func(object);
    if (!key) return key.error().with_context("key of an object");
    if (key->empty()) return Error::config("key of an object: it is empty");
    return key;
  } catch (...) {
    return current_exception_as_error().with_context("key of an object");
  }
}

}  // namespace

Store::Store(meta::KeyFunc key_func) : Store(std::move(key_func), {}) {}
Store::Store(meta::KeyFunc key_func, const Indexers& indexers) : items_(indexers), key_func_(std::move(key_func)) {}

template <class Use>
Result<void> Store::with_key(const meta::Object& object, Use use) const {
  if (!key_func_) {
    const meta::KeyText key(object);
    if (key.empty()) return no_key(object);
    use(key.view());
    return {};
  }
  const auto key = run_key_func(key_func_, object);
  if (!key) return key.error();
  use(std::string_view(*key));
  return {};
}

Result<std::string> Store::key_of(const meta::Object& object) const {
  std::string text;
  if (auto named = with_key(object, [&](std::string_view key) { text = key; }); !named) return named.error();
  return text;
}

Result<void> Store::add(meta::Object object) {
  return with_key(object, [&](std::string_view key) {
    if (key_func_) {
      items_.add(key, std::move(object));
      return;
    }
    const std::string_view version = object.resource_version();
    using Write = detail::StoreCore::Write;
    Write write{Write::Kind::PutDefaultKey, key, std::move(object), 0};
    items_.core_->apply({&write, 1}, version);
  });
}

Result<void> Store::update(meta::Object object) {
  return add(std::move(object));
}

Result<void> Store::remove(const meta::Object& object) {
  return with_key(object, [&](std::string_view key) { items_.remove(key, object); });
}

Result<void> Store::remove(const meta::DeletedFinalStateUnknown& gone) {
  if (gone.key.empty()) return Error::config("a deletion without a key");
  items_.remove(gone.key);  // the last known state is older than what the store has seen
  return {};
}

Result<void> Store::replace(std::vector<meta::Object> objects, std::string resource_version) {
  if (!key_func_) {
    for (const meta::Object& object : objects) {
      if (object.name().empty()) return no_key(object).with_context("replace");
    }
    const auto with_default = [](std::size_t, const meta::Object& each, auto use) { use(meta::KeyText(each).view()); };
    items_.core_->replace<true>(std::move(objects), with_default, std::move(resource_version));
    return {};
  }
  std::vector<ThreadSafeStore::Item> items;
  items.reserve(objects.size());
  for (meta::Object& object : objects) {
    auto key = run_key_func(key_func_, object);
    if (!key) return key.error().with_context("replace");
    items.push_back({std::move(*key), std::move(object)});
  }
  items_.replace(std::move(items), std::move(resource_version));
  return {};
}

TransactionResult Store::transaction(std::vector<Transaction> transactions) {
  std::vector<Error> errors;
  for (Transaction& each : transactions) {
    if (!each.key.empty()) continue;
    auto key = key_of(each.object);
    if (key) {
      each.key = std::move(*key);
    } else {
      errors.push_back(key.error());
    }
  }
  TransactionResult result = items_.transaction(std::move(transactions));
  if (errors.size() == result.errors.size()) result.errors = std::move(errors);
  return result;
}

Result<meta::Object> Store::get(const meta::Object& object) const {
  meta::Object found;
  if (auto named = with_key(object, [&](std::string_view key) { found = items_.get(key); }); !named) {
    return named.error();
  }
  return found;
}

meta::Object Store::prefer_known(meta::Object fresh) const {
  meta::Object known;
  if (auto named = with_key(fresh, [&](std::string_view key) { known = items_.get(key); }); !named) return fresh;
  return same_object(known, fresh) ? known : fresh;
}

Indexer::Indexer(const Indexers& indexers, meta::KeyFunc key_func) : Store(std::move(key_func), indexers) {}

}  // namespace kubexx::store
