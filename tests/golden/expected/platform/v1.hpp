// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/autoscaling/v1.hpp"
#include "kubexx/client/api.hpp"
#include "platform/v1/informers.hpp"
#include "platform/v1/types.hpp"

namespace platform {

template <class T>
class PlatformV1PipelineClientOf : public ::kubexx::client::Api<T> {
 public:
  using ::kubexx::client::Api<T>::Api;
  ::kubexx::Async<::kubexx::Result<::kubexx::api::autoscaling::v1::Scale>> get_scale_async(std::string_view name, const ::kubexx::client::GetOptions& options = ::kubexx::client::GetOptions()) const {
    return this->template get_subresource_async<::kubexx::api::autoscaling::v1::Scale>(name, "scale", options);
  }
  ::kubexx::Result<::kubexx::api::autoscaling::v1::Scale> get_scale(std::string_view name, const ::kubexx::client::GetOptions& options = ::kubexx::client::GetOptions()) const {
    return get_scale_async(name, options).wait();
  }
  ::kubexx::Async<::kubexx::Result<::kubexx::api::autoscaling::v1::Scale>> update_scale_async(std::string_view name, const ::kubexx::api::autoscaling::v1::Scale& scale, const ::kubexx::client::WriteOptions& options = ::kubexx::client::WriteOptions()) const {
    return this->template update_subresource_async<::kubexx::api::autoscaling::v1::Scale>(name, "scale", scale, options);
  }
  ::kubexx::Result<::kubexx::api::autoscaling::v1::Scale> update_scale(std::string_view name, const ::kubexx::api::autoscaling::v1::Scale& scale, const ::kubexx::client::WriteOptions& options = ::kubexx::client::WriteOptions()) const {
    return update_scale_async(name, scale, options).wait();
  }
};
using PlatformV1PipelineClient = PlatformV1PipelineClientOf<::platform::v1::Pipeline>;

class PlatformV1Client {
 public:
  explicit PlatformV1Client(::kubexx::rest::Client client) : client_(std::move(client)) {}
  template <int = 0>
  PlatformV1PipelineClient pipelines(std::string namespace_ = {}) const { return PlatformV1PipelineClient(client_, std::move(namespace_)); }
  template <int = 0>
  ::kubexx::client::Api<::platform::v1::Policy> policies() const { return ::kubexx::client::Api<::platform::v1::Policy>(client_); }

 private:
  ::kubexx::rest::Client client_;
};

}  // namespace platform
