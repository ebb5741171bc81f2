// Written by kubexx-gen. Do not edit.
#pragma once

#include "samplecontroller/v1alpha1/informers.hpp"

namespace samplecontroller {

/// The informers of these groups, in any factory: `Informers(factory).samplecontroller().v1alpha1()`. A view of it; the factory must outlive it.
class Informers {
 public:
  /// From then on for_resource() and lease() of the factory know these resources.
  explicit Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {
    static constexpr const ::kubexx::meta::ResourceInfo* kResources[] = {&::samplecontroller::v1alpha1::Foo::kResource};
    factory.know(kResources);
  }
  SamplecontrollerInformers samplecontroller() const { return SamplecontrollerInformers(*factory_); }

 private:
  ::kubexx::informer::SharedInformerFactory* factory_;
};

}  // namespace samplecontroller
