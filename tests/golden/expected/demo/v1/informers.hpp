// Written by kubexx-gen. Do not edit.
#pragma once

#include "demo/v1/views.hpp"
#include "demo/group.hpp"

namespace demo {

class DemoV1Informers {
 public:
  explicit DemoV1Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  ::kubexx::informer::ResourceInformer<::demo::v1::Gadget> gadgets() const { return ::kubexx::informer::ResourceInformer<::demo::v1::Gadget>(*factory_); }

 private:
  [[maybe_unused]] ::kubexx::informer::SharedInformerFactory* factory_;
};
inline DemoV1Informers DemoInformers::v1() const {
  return DemoV1Informers(*factory_);
}

}  // namespace demo
