// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/client/api.hpp"
#include "texts/v1/informers.hpp"
#include "texts/v1/types.hpp"

namespace texts {

class TextsV1Client {
 public:
  explicit TextsV1Client(::kubexx::rest::Client client) : client_(std::move(client)) {}
  template <int = 0>
  ::kubexx::client::Api<::texts::v1::Note> notes(std::string namespace_ = {}) const { return ::kubexx::client::Api<::texts::v1::Note>(client_, std::move(namespace_)); }

 private:
  ::kubexx::rest::Client client_;
};

}  // namespace texts
