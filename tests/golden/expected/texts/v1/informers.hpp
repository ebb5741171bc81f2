// Written by kubexx-gen. Do not edit.
#pragma once

#include "texts/v1/views.hpp"
#include "texts/group.hpp"

namespace texts {

class TextsV1Informers {
 public:
  explicit TextsV1Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  template <int = 0>
  ::kubexx::informer::Informer<::texts::v1::Note> notes() const { return factory_->informer_for<::texts::v1::Note>(); }

 private:
  [[maybe_unused]] ::kubexx::informer::SharedInformerFactory* factory_;
};

}  // namespace texts
