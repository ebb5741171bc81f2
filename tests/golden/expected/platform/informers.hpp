// Written by kubexx-gen. Do not edit.
#pragma once

#include "platform/v1/informers.hpp"

namespace platform {

/// The informers of these groups, in any factory: `Informers(factory).platform().v1()`. A view of it; the factory must outlive it.
class Informers {
 public:
  /// From then on for_resource() and lease() of the factory know these resources.
  explicit Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {
    static constexpr const ::kubexx::meta::ResourceInfo* kResources[] = {&::platform::v1::Pipeline::kResource, &::platform::v1::Policy::kResource};
    factory.know(kResources);
  }
  PlatformInformers platform() const { return PlatformInformers(*factory_); }

 private:
  ::kubexx::informer::SharedInformerFactory* factory_;
};

}  // namespace platform
