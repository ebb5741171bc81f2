#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/informer/controller.hpp"

namespace kubexx::informer {

/// What a store holds, for the queue that must know.
class StoredObjects final : public delta::KnownObjects {
 public:
  explicit StoredObjects(std::shared_ptr<const store::Indexer> store) : store_(std::move(store)) {}
  std::vector<std::string> list_keys() const override { return store_->list_keys(); }
  meta::Object find(std::string_view key) const override { return store_->find(key); }

 private:
  std::shared_ptr<const store::Indexer> store_;
};

/// The queue of an informer that fills the store.
inline delta::PlainQueue make_queue(QueueKind kind, std::shared_ptr<const store::Indexer> store) {
  if (kind == QueueKind::Ordered) return delta::OrderedQueue({.emit_bookmarks = true});
  return delta::DeltaFifo(
      {.known_objects = std::make_shared<StoredObjects>(std::move(store)), .emit_delta_type_replaced = true});
}

}  // namespace kubexx::informer
