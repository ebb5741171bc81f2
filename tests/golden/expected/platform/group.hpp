// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/base/version.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/rest/client.hpp"

static_assert(KUBEXX_VERSION_MAJOR == 0 && KUBEXX_VERSION_MINOR == 2,
              "written by kubexx-gen 0.2, and the library is another version: run its kubexx-gen");

namespace platform {

class PlatformV1Informers;
class PlatformV1Client;

/// The informers of the group; each version is defined by its own header.
class PlatformInformers {
 public:
  explicit PlatformInformers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  template <class Defined = PlatformV1Informers>
  auto v1() const {
    static_assert(requires { sizeof(Defined); }, "platform().v1() needs #include <platform/v1.hpp>");
    return Defined(*factory_);
  }

 private:
  ::kubexx::informer::SharedInformerFactory* factory_;
};

/// The clients of the group.
class PlatformClient {
 public:
  explicit PlatformClient(::kubexx::rest::Client client) : client_(std::move(client)) {}
  template <class Defined = PlatformV1Client>
  auto v1() const {
    static_assert(requires { sizeof(Defined); }, "platform().v1() needs #include <platform/v1.hpp>");
    return Defined(client_);
  }

 private:
  ::kubexx::rest::Client client_;
};

}  // namespace platform
