// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/base/version.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/rest/client.hpp"

static_assert(KUBEXX_VERSION_MAJOR == 0 && KUBEXX_VERSION_MINOR == 1,
              "written by kubexx-gen 0.1, and the library is another version: run its kubexx-gen");

namespace platform {

class PlatformV1Informers;
class PlatformV1Client;

/// The informers of the group; each version is defined by its own header.
class PlatformInformers {
 public:
  explicit PlatformInformers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  PlatformV1Informers v1() const;

 private:
  ::kubexx::informer::SharedInformerFactory* factory_;
};

/// The clients of the group.
class PlatformClient {
 public:
  explicit PlatformClient(::kubexx::rest::Client client) : client_(std::move(client)) {}
  PlatformV1Client v1() const;

 private:
  ::kubexx::rest::Client client_;
};

}  // namespace platform
