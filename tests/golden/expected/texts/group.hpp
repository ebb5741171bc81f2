// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/base/version.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/rest/client.hpp"

static_assert(KUBEXX_VERSION_MAJOR == 0 && KUBEXX_VERSION_MINOR == 1,
              "written by kubexx-gen 0.1, and the library is another version: run its kubexx-gen");

namespace texts {

class TextsV1Informers;
class TextsV1Client;

/// The informers of the group; each version is defined by its own header.
class TextsInformers {
 public:
  explicit TextsInformers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  TextsV1Informers v1() const;

 private:
  ::kubexx::informer::SharedInformerFactory* factory_;
};

/// The clients of the group.
class TextsClient {
 public:
  explicit TextsClient(::kubexx::rest::Client client) : client_(std::move(client)) {}
  TextsV1Client v1() const;

 private:
  ::kubexx::rest::Client client_;
};

}  // namespace texts
