// Written by kubexx-gen. Do not edit.
#pragma once

#include "demo/v1/informers.hpp"
#include "demo/v1beta1/informers.hpp"

namespace demo {

/// The informers of these groups, in any factory: `Informers(factory).demo().v1()`. A view of it; the factory must outlive it.
class Informers {
 public:
  /// From then on for_resource() and lease() of the factory know these resources.
  explicit Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {
    static constexpr const ::kubexx::meta::ResourceInfo* kResources[] = {&::demo::v1::Gadget::kResource, &::demo::v1beta1::Gadget::kResource};
    factory.know(kResources);
  }
  DemoInformers demo() const { return DemoInformers(*factory_); }

 private:
  ::kubexx::informer::SharedInformerFactory* factory_;
};

}  // namespace demo
