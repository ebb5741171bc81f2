// Written by kubexx-gen. Do not edit.
#pragma once

#include "demo/group.hpp"
#include "demo/v1/types.hpp"
#include "kubexx/client/api.hpp"

namespace demo {

class DemoV1Informers {
 public:
  explicit DemoV1Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  ::kubexx::informer::ResourceInformer<::demo::v1::Gadget> gadgets() const { return ::kubexx::informer::ResourceInformer<::demo::v1::Gadget>(*factory_); }

 private:
  [[maybe_unused]] ::kubexx::informer::SharedInformerFactory* factory_;
};
inline DemoV1Informers DemoInformers::v1() const {
  return DemoV1Informers(*factory_);
}

class DemoV1Client {
 public:
  explicit DemoV1Client(::kubexx::rest::Client client) : client_(std::move(client)) {}
  ::kubexx::client::Api<::demo::v1::Gadget> gadgets() const { return ::kubexx::client::Api<::demo::v1::Gadget>(client_); }

 private:
  ::kubexx::rest::Client client_;
};
inline DemoV1Client DemoClient::v1() const {
  return DemoV1Client(client_);
}

}  // namespace demo
