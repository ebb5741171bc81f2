// Written by kubexx-gen. Do not edit.
#pragma once

#include "demo/v1beta1/views.hpp"
#include "kubexx/api/meta/v1.hpp"

namespace demo::v1beta1 {

class GadgetDraftFields : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  ::kubexx::api::meta::v1::ObjectMetaDraft metadata() { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  const ::kubexx::api::meta::v1::ObjectMetaDraft metadata() const { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  bool has_metadata() const { return place_[::kubexx::meta::NameId{2}].exists(); }
  void clear_metadata() { place_[::kubexx::meta::NameId{2}].erase(); }
  void set_metadata(const ::kubexx::api::meta::v1::ObjectMeta& value) { place_[::kubexx::meta::NameId{2}].set(value.as_value()); }
  ::kubexx::meta::DraftRef spec() { return place_[::kubexx::meta::NameId{3}]; }
  const ::kubexx::meta::DraftRef spec() const { return place_[::kubexx::meta::NameId{3}]; }
  bool has_spec() const { return place_[::kubexx::meta::NameId{3}].exists(); }
  void clear_spec() { place_[::kubexx::meta::NameId{3}].erase(); }
  void set_spec(::kubexx::meta::Value value) { place_[::kubexx::meta::NameId{3}].set(value); }
};

class GadgetDraft : public ::kubexx::api::DraftHolder, public GadgetDraftFields {
 public:
  GadgetDraft() : GadgetDraft(begin(Gadget::kApiVersion, Gadget::kKind)) {}
  explicit GadgetDraft(::kubexx::meta::Draft draft) : DraftHolder(std::move(draft)), GadgetDraftFields(draft_.root()) {}
  Gadget to_object() const { return Gadget::unchecked(draft_.to_object()); }
  GadgetDraft clone() const { return GadgetDraft(draft_.clone()); }
};
inline GadgetDraft Gadget::edit() const { return GadgetDraft(Object::edit()); }

}  // namespace demo::v1beta1
