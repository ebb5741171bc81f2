// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/base/version.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/rest/client.hpp"

static_assert(KUBEXX_VERSION_MAJOR == 0 && KUBEXX_VERSION_MINOR == 2,
              "written by kubexx-gen 0.2, and the library is another version: run its kubexx-gen");

namespace samplecontroller {

class SamplecontrollerV1alpha1Informers;
class SamplecontrollerV1alpha1Client;

/// The informers of the group; each version is defined by its own header.
class SamplecontrollerInformers {
 public:
  explicit SamplecontrollerInformers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  template <class Defined = SamplecontrollerV1alpha1Informers>
  auto v1alpha1() const {
    static_assert(requires { sizeof(Defined); }, "samplecontroller().v1alpha1() needs #include <samplecontroller/v1alpha1.hpp>");
    return Defined(*factory_);
  }

 private:
  ::kubexx::informer::SharedInformerFactory* factory_;
};

/// The clients of the group.
class SamplecontrollerClient {
 public:
  explicit SamplecontrollerClient(::kubexx::rest::Client client) : client_(std::move(client)) {}
  template <class Defined = SamplecontrollerV1alpha1Client>
  auto v1alpha1() const {
    static_assert(requires { sizeof(Defined); }, "samplecontroller().v1alpha1() needs #include <samplecontroller/v1alpha1.hpp>");
    return Defined(client_);
  }

 private:
  ::kubexx::rest::Client client_;
};

}  // namespace samplecontroller
