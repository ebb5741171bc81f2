// Written by kubexx-gen. Do not edit.
#pragma once

#include "texts/v1/views.hpp"
#include "texts/group.hpp"

namespace texts {

class TextsV1Informers {
 public:
  explicit TextsV1Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}
  ::kubexx::informer::ResourceInformer<::texts::v1::Note> notes() const { return ::kubexx::informer::ResourceInformer<::texts::v1::Note>(*factory_); }

 private:
  [[maybe_unused]] ::kubexx::informer::SharedInformerFactory* factory_;
};
inline TextsV1Informers TextsInformers::v1() const {
  return TextsV1Informers(*factory_);
}

}  // namespace texts
