// Written by kubexx-gen. Do not edit.
#pragma once

#include "demo/v1/informers.hpp"
#include "demo/v1/types.hpp"
#include "kubexx/client/api.hpp"

namespace demo {

class DemoV1Client {
 public:
  explicit DemoV1Client(::kubexx::rest::Client client) : client_(std::move(client)) {}
  template <int = 0>
  ::kubexx::client::Api<::demo::v1::Gadget> gadgets() const { return ::kubexx::client::Api<::demo::v1::Gadget>(client_); }

 private:
  ::kubexx::rest::Client client_;
};

}  // namespace demo
