// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/support.hpp"
#include "kubexx/api/meta/v1.hpp"

namespace demo::v1beta1 {

class GadgetDraftFields : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  ::kubexx::api::meta::v1::ObjectMetaDraft metadata() const { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  bool has_metadata() const { return place_[::kubexx::meta::NameId{2}].exists(); }
  void clear_metadata() const { place_[::kubexx::meta::NameId{2}].erase(); }
  void set_metadata(const ::kubexx::api::meta::v1::ObjectMeta& value) const { place_[::kubexx::meta::NameId{2}].set(value.as_value()); }
  ::kubexx::meta::DraftRef spec() const { return place_[::kubexx::meta::NameId{3}]; }
  bool has_spec() const { return place_[::kubexx::meta::NameId{3}].exists(); }
  void clear_spec() const { place_[::kubexx::meta::NameId{3}].erase(); }
  void set_spec(::kubexx::meta::Value value) const { place_[::kubexx::meta::NameId{3}].set(value); }
};

class GadgetDraft;

class KUBEXX_OWNER Gadget : public ::kubexx::meta::Object {
 public:
  static constexpr std::string_view kApiVersion = "demo.example.com/v1beta1";
  static constexpr std::string_view kKind = "Gadget";
  static constexpr ::kubexx::meta::ResourceInfo kResource{"demo.example.com", "v1beta1", "Gadget", "gadgets", "gadget", false, false};
  using Draft = GadgetDraft;
  Gadget() = default;
  static Gadget unchecked(::kubexx::meta::Object object) { return Gadget(std::move(object)); }
  static ::kubexx::Result<Gadget> from(::kubexx::meta::Object object) {
    auto checked = ::kubexx::api::checked(std::move(object), kApiVersion, kKind);
    if (!checked) return checked.error();
    return Gadget(std::move(*checked));
  }
  ::kubexx::api::meta::v1::ObjectMeta metadata() const noexcept KUBEXX_LIFETIMEBOUND { return ::kubexx::api::meta::v1::ObjectMeta((*this)[::kubexx::meta::NameId{2}]); }
  ::kubexx::meta::Value spec() const noexcept KUBEXX_LIFETIMEBOUND { return (*this)[::kubexx::meta::NameId{3}]; }
  bool has_spec() const noexcept { return (*this)[::kubexx::meta::NameId{3}].exists(); }
  GadgetDraft edit() const;

 private:
  explicit Gadget(::kubexx::meta::Object object) noexcept : Object(std::move(object)) {}
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
