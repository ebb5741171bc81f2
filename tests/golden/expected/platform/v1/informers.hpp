// Written by kubexx-gen. Do not edit.
#pragma once

#include "platform/v1/views.hpp"
#include "platform/group.hpp"

namespace platform {

class PlatformV1Informers {
 public:
  explicit PlatformV1Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  ::kubexx::informer::ResourceInformer<::platform::v1::Pipeline> pipelines() const { return ::kubexx::informer::ResourceInformer<::platform::v1::Pipeline>(*factory_); }
  ::kubexx::informer::ResourceInformer<::platform::v1::Policy> policies() const { return ::kubexx::informer::ResourceInformer<::platform::v1::Policy>(*factory_); }

 private:
  [[maybe_unused]] ::kubexx::informer::SharedInformerFactory* factory_;
};
inline PlatformV1Informers PlatformInformers::v1() const {
  return PlatformV1Informers(*factory_);
}

}  // namespace platform
