#include "kubexx/informer/controller.hpp"

namespace kubexx::informer {
namespace {

class StoreSink final : public reflector::DeltaSink {
 public:
  explicit StoreSink(std::shared_ptr<store::Store> store) : store_(std::move(store)) {}
  Result<void> add(meta::Object object) override { return store_->add(std::move(object)); }
  Result<void> update(meta::Object object) override { return store_->update(std::move(object)); }
  Result<void> remove(meta::Object object) override { return store_->remove(object); }
  Result<void> replace(std::vector<meta::Object> objects, std::string version) override {
    return store_->replace(std::move(objects), std::move(version));
  }
  Result<void> resync() override { return {}; }
  void bookmark(std::string_view version) override { store_->bookmark(version); }

 private:
  std::shared_ptr<store::Store> store_;
};

class StoreOwner final : public reflector::Owner {
 public:
  explicit StoreOwner(std::shared_ptr<store::Store> store) : store_(std::move(store)) {}
  meta::Object prefer_known(meta::Object fresh) override { return store_->prefer_known(std::move(fresh)); }
  meta::Object find_known(const meta::ItemIdentity& identity) const override { return store_->find_known(identity); }

 private:
  std::shared_ptr<store::Store> store_;
};

}  // namespace

std::shared_ptr<reflector::DeltaSink> make_store_sink(std::shared_ptr<store::Store> store) {
  return std::make_shared<StoreSink>(std::move(store));
}

std::shared_ptr<reflector::Owner> make_store_owner(std::shared_ptr<store::Store> store) {
  return std::make_shared<StoreOwner>(std::move(store));
}

}  // namespace kubexx::informer
