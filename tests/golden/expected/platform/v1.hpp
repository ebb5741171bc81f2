// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/autoscaling/v1.hpp"
#include "kubexx/client/api.hpp"
#include "platform/group.hpp"
#include "platform/v1/types.hpp"

namespace platform {

class PlatformV1PipelineClient : public ::kubexx::client::Api<::platform::v1::Pipeline> {
 public:
  using Object = ::platform::v1::Pipeline;
  using Api::Api;
  ::kubexx::Result<::kubexx::api::autoscaling::v1::Scale> get_scale(std::string_view name, const ::kubexx::client::GetOptions& options = {}) const {
    return get_subresource<::kubexx::api::autoscaling::v1::Scale>(name, "scale", options);
  }
  ::kubexx::Result<::kubexx::api::autoscaling::v1::Scale> update_scale(std::string_view name, const ::kubexx::api::autoscaling::v1::Scale& scale, const ::kubexx::client::WriteOptions& options = {}) const {
    return update_subresource<::kubexx::api::autoscaling::v1::Scale>(name, "scale", scale, options);
  }
};

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

class PlatformV1Client {
 public:
  explicit PlatformV1Client(::kubexx::rest::Client client) : client_(std::move(client)) {}
  PlatformV1PipelineClient pipelines(std::string namespace_ = {}) const { return PlatformV1PipelineClient(client_, std::move(namespace_)); }
  ::kubexx::client::Api<::platform::v1::Policy> policies() const { return ::kubexx::client::Api<::platform::v1::Policy>(client_); }

 private:
  ::kubexx::rest::Client client_;
};
inline PlatformV1Client PlatformClient::v1() const {
  return PlatformV1Client(client_);
}

}  // namespace platform
