// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/client/api.hpp"
#include "samplecontroller/v1alpha1/informers.hpp"
#include "samplecontroller/v1alpha1/types.hpp"

namespace samplecontroller {

class SamplecontrollerV1alpha1Client {
 public:
  explicit SamplecontrollerV1alpha1Client(::kubexx::rest::Client client) : client_(std::move(client)) {}
  template <int = 0>
  ::kubexx::client::Api<::samplecontroller::v1alpha1::Foo> foos(std::string namespace_ = {}) const { return ::kubexx::client::Api<::samplecontroller::v1alpha1::Foo>(client_, std::move(namespace_)); }

 private:
  ::kubexx::rest::Client client_;
};

}  // namespace samplecontroller
