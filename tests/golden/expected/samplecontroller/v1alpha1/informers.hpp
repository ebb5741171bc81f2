// Written by kubexx-gen. Do not edit.
#pragma once

#include "samplecontroller/v1alpha1/views.hpp"
#include "samplecontroller/group.hpp"

namespace samplecontroller {

class SamplecontrollerV1alpha1Informers {
 public:
  explicit SamplecontrollerV1alpha1Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  ::kubexx::informer::ResourceInformer<::samplecontroller::v1alpha1::Foo> foos() const { return ::kubexx::informer::ResourceInformer<::samplecontroller::v1alpha1::Foo>(*factory_); }

 private:
  [[maybe_unused]] ::kubexx::informer::SharedInformerFactory* factory_;
};
inline SamplecontrollerV1alpha1Informers SamplecontrollerInformers::v1alpha1() const {
  return SamplecontrollerV1alpha1Informers(*factory_);
}

}  // namespace samplecontroller
