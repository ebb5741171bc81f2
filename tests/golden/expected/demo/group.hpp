// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/base/version.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/rest/client.hpp"

static_assert(KUBEXX_VERSION_MAJOR == 0 && KUBEXX_VERSION_MINOR == 2,
              "written by kubexx-gen 0.2, and the library is another version: run its kubexx-gen");

namespace demo {

class DemoV1Informers;
class DemoV1Client;
class DemoV1beta1Informers;
class DemoV1beta1Client;

/// The informers of the group; each version is defined by its own header.
class DemoInformers {
 public:
  explicit DemoInformers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  template <class Defined = DemoV1Informers>
  auto v1() const {
    static_assert(requires { sizeof(Defined); }, "demo().v1() needs #include <demo/v1.hpp>");
    return Defined(*factory_);
  }
  template <class Defined = DemoV1beta1Informers>
  auto v1beta1() const {
    static_assert(requires { sizeof(Defined); }, "demo().v1beta1() needs #include <demo/v1beta1.hpp>");
    return Defined(*factory_);
  }

 private:
  ::kubexx::informer::SharedInformerFactory* factory_;
};

/// The clients of the group.
class DemoClient {
 public:
  explicit DemoClient(::kubexx::rest::Client client) : client_(std::move(client)) {}
  template <class Defined = DemoV1Client>
  auto v1() const {
    static_assert(requires { sizeof(Defined); }, "demo().v1() needs #include <demo/v1.hpp>");
    return Defined(client_);
  }
  template <class Defined = DemoV1beta1Client>
  auto v1beta1() const {
    static_assert(requires { sizeof(Defined); }, "demo().v1beta1() needs #include <demo/v1beta1.hpp>");
    return Defined(client_);
  }

 private:
  ::kubexx::rest::Client client_;
};

}  // namespace demo
