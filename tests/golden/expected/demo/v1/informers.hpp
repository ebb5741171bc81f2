// Written by kubexx-gen. Do not edit.
#pragma once

#include "demo/v1/views.hpp"
#include "demo/group.hpp"

namespace demo {

class DemoV1Informers {
 public:
  explicit DemoV1Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  template <int = 0>
  ::kubexx::informer::Informer<::demo::v1::Gadget> gadgets() const { return factory_->informer_for<::demo::v1::Gadget>(); }

 private:
  [[maybe_unused]] ::kubexx::informer::SharedInformerFactory* factory_;
};

}  // namespace demo
