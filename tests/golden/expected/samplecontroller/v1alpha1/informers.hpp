// Written by kubexx-gen. Do not edit.
#pragma once

#include "samplecontroller/v1alpha1/views.hpp"
#include "samplecontroller/group.hpp"

namespace samplecontroller {

class SamplecontrollerV1alpha1Informers {
 public:
  explicit SamplecontrollerV1alpha1Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  template <int = 0>
  ::kubexx::informer::Informer<::samplecontroller::v1alpha1::Foo> foos() const { return factory_->informer_for<::samplecontroller::v1alpha1::Foo>(); }

 private:
  [[maybe_unused]] ::kubexx::informer::SharedInformerFactory* factory_;
};

}  // namespace samplecontroller
