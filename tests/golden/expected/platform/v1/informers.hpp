// Written by kubexx-gen. Do not edit.
#pragma once

#include "platform/v1/views.hpp"
#include "platform/group.hpp"

namespace platform {

class PlatformV1Informers {
 public:
  explicit PlatformV1Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  template <int = 0>
  ::kubexx::informer::Informer<::platform::v1::Pipeline> pipelines() const { return factory_->informer_for<::platform::v1::Pipeline>(); }
  template <int = 0>
  ::kubexx::informer::Informer<::platform::v1::Policy> policies() const { return factory_->informer_for<::platform::v1::Policy>(); }

 private:
  [[maybe_unused]] ::kubexx::informer::SharedInformerFactory* factory_;
};

}  // namespace platform
