// Written by kubexx-gen. Do not edit.
#pragma once

#include "texts/v1/informers.hpp"

namespace texts {

/// The informers of these groups, in any factory: `Informers(factory).texts().v1()`. A view of it; the factory must outlive it.
class Informers {
 public:
  /// From then on for_resource() and lease() of the factory know these resources.
  explicit Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {
    static constexpr const ::kubexx::meta::ResourceInfo* kResources[] = {&::texts::v1::Note::kResource};
    factory.know(kResources);
  }
  TextsInformers texts() const { return TextsInformers(*factory_); }

 private:
  ::kubexx::informer::SharedInformerFactory* factory_;
};

}  // namespace texts
