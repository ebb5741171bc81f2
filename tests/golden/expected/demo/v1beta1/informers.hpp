// Written by kubexx-gen. Do not edit.
#pragma once

#include "demo/v1beta1/views.hpp"
#include "demo/group.hpp"

namespace demo {

class DemoV1beta1Informers {
 public:
  explicit DemoV1beta1Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  ::kubexx::informer::ResourceInformer<::demo::v1beta1::Gadget> gadgets() const { return ::kubexx::informer::ResourceInformer<::demo::v1beta1::Gadget>(*factory_); }

 private:
  [[maybe_unused]] ::kubexx::informer::SharedInformerFactory* factory_;
};
inline DemoV1beta1Informers DemoInformers::v1beta1() const {
  return DemoV1beta1Informers(*factory_);
}

}  // namespace demo
