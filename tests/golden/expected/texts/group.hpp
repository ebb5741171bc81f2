// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/base/version.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/rest/client.hpp"

static_assert(KUBEXX_VERSION_MAJOR == 0 && KUBEXX_VERSION_MINOR == 2,
              "written by kubexx-gen 0.2, and the library is another version: run its kubexx-gen");

namespace texts {

class TextsV1Informers;
class TextsV1Client;

/// The informers of the group; each version is defined by its own header.
class TextsInformers {
 public:
  explicit TextsInformers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  template <class Defined = TextsV1Informers>
  auto v1() const {
    static_assert(requires { sizeof(Defined); }, "texts().v1() needs #include <texts/v1.hpp>");
    return Defined(*factory_);
  }

 private:
  ::kubexx::informer::SharedInformerFactory* factory_;
};

/// The clients of the group.
class TextsClient {
 public:
  explicit TextsClient(::kubexx::rest::Client client) : client_(std::move(client)) {}
  template <class Defined = TextsV1Client>
  auto v1() const {
    static_assert(requires { sizeof(Defined); }, "texts().v1() needs #include <texts/v1.hpp>");
    return Defined(client_);
  }

 private:
  ::kubexx::rest::Client client_;
};

}  // namespace texts
