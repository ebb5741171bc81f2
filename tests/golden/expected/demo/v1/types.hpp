// Written by kubexx-gen. Do not edit.
#pragma once

#include "demo/v1/views.hpp"
#include "kubexx/api/meta/v1.hpp"

namespace demo::v1 {

class GadgetSpecTemplateContainersEnvDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::string_view name() const { return place_[::kubexx::meta::NameId{6}].string(); }
  bool has_name() const { return place_[::kubexx::meta::NameId{6}].exists(); }
  void clear_name() { place_[::kubexx::meta::NameId{6}].erase(); }
  void set_name(std::string_view value) { place_[::kubexx::meta::NameId{6}].set(value); }
  std::string_view value() const { return place_[::kubexx::meta::NameId{937}].string(); }
  bool has_value() const { return place_[::kubexx::meta::NameId{937}].exists(); }
  void clear_value() { place_[::kubexx::meta::NameId{937}].erase(); }
  void set_value(std::string_view value) { place_[::kubexx::meta::NameId{937}].set(value); }
};

class GadgetSpecTemplateContainersDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::string_view name() const { return place_[::kubexx::meta::NameId{6}].string(); }
  bool has_name() const { return place_[::kubexx::meta::NameId{6}].exists(); }
  void clear_name() { place_[::kubexx::meta::NameId{6}].erase(); }
  void set_name(std::string_view value) { place_[::kubexx::meta::NameId{6}].set(value); }
  ::kubexx::api::ListDraft<GadgetSpecTemplateContainersEnvDraft> env() { return ::kubexx::api::ListDraft<GadgetSpecTemplateContainersEnvDraft>(place_[::kubexx::meta::NameId{303}]); }
  const ::kubexx::api::ListDraft<GadgetSpecTemplateContainersEnvDraft> env() const { return ::kubexx::api::ListDraft<GadgetSpecTemplateContainersEnvDraft>(place_[::kubexx::meta::NameId{303}]); }
  bool has_env() const { return place_[::kubexx::meta::NameId{303}].exists(); }
  void clear_env() { place_[::kubexx::meta::NameId{303}].erase(); }
  void set_env(::kubexx::meta::Value value) { place_[::kubexx::meta::NameId{303}].set(value); }
};

class GadgetSpecTemplateDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  ::kubexx::api::ListDraft<GadgetSpecTemplateContainersDraft> containers() { return ::kubexx::api::ListDraft<GadgetSpecTemplateContainersDraft>(place_[::kubexx::meta::NameId{222}]); }
  const ::kubexx::api::ListDraft<GadgetSpecTemplateContainersDraft> containers() const { return ::kubexx::api::ListDraft<GadgetSpecTemplateContainersDraft>(place_[::kubexx::meta::NameId{222}]); }
  bool has_containers() const { return place_[::kubexx::meta::NameId{222}].exists(); }
  void clear_containers() { place_[::kubexx::meta::NameId{222}].erase(); }
  void set_containers(::kubexx::meta::Value value) { place_[::kubexx::meta::NameId{222}].set(value); }
};

class GadgetSpecZonesDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::int64_t weight() const { return place_[::kubexx::meta::NameId{971}].int_or(0); }
  bool has_weight() const { return place_[::kubexx::meta::NameId{971}].exists(); }
  void clear_weight() { place_[::kubexx::meta::NameId{971}].erase(); }
  void set_weight(std::int64_t value) { place_[::kubexx::meta::NameId{971}].set(value); }
};

class GadgetSpecDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::string_view class_() const { return place_["class"].string(); }
  bool has_class_() const { return place_["class"].exists(); }
  void clear_class_() { place_["class"].erase(); }
  void set_class_(std::string_view value) { place_["class"].set(value); }
  std::int32_t replicas() const { return static_cast<std::int32_t>(place_[::kubexx::meta::NameId{704}].int_or(0)); }
  bool has_replicas() const { return place_[::kubexx::meta::NameId{704}].exists(); }
  void clear_replicas() { place_[::kubexx::meta::NameId{704}].erase(); }
  void set_replicas(std::int32_t value) { place_[::kubexx::meta::NameId{704}].set(static_cast<std::int64_t>(value)); }
  double ratio() const { return place_["ratio"].get_double().value_or(0); }
  bool has_ratio() const { return place_["ratio"].exists(); }
  void clear_ratio() { place_["ratio"].erase(); }
  void set_ratio(double value) { place_["ratio"].set(value); }
  bool enabled() const { return place_["enabled"].bool_or(false); }
  bool has_enabled() const { return place_["enabled"].exists(); }
  void clear_enabled() { place_["enabled"].erase(); }
  void set_enabled(bool value) { place_["enabled"].set(value); }
  ::kubexx::api::IntOrStringDraft port() { return ::kubexx::api::IntOrStringDraft(place_[::kubexx::meta::NameId{651}]); }
  const ::kubexx::api::IntOrStringDraft port() const { return ::kubexx::api::IntOrStringDraft(place_[::kubexx::meta::NameId{651}]); }
  bool has_port() const { return place_[::kubexx::meta::NameId{651}].exists(); }
  void clear_port() { place_[::kubexx::meta::NameId{651}].erase(); }
  void set_port(std::int32_t value) { place_[::kubexx::meta::NameId{651}].set(static_cast<std::int64_t>(value)); }
  void set_port(std::string_view value) { place_[::kubexx::meta::NameId{651}].set(value); }
  ::kubexx::meta::DraftRef anything() { return place_["anything"]; }
  const ::kubexx::meta::DraftRef anything() const { return place_["anything"]; }
  bool has_anything() const { return place_["anything"].exists(); }
  void clear_anything() { place_["anything"].erase(); }
  void set_anything(::kubexx::meta::Value value) { place_["anything"].set(value); }
  ::kubexx::api::MapDraft<std::string_view> labels() { return ::kubexx::api::MapDraft<std::string_view>(place_[::kubexx::meta::NameId{12}]); }
  const ::kubexx::api::MapDraft<std::string_view> labels() const { return ::kubexx::api::MapDraft<std::string_view>(place_[::kubexx::meta::NameId{12}]); }
  bool has_labels() const { return place_[::kubexx::meta::NameId{12}].exists(); }
  void clear_labels() { place_[::kubexx::meta::NameId{12}].erase(); }
  void set_labels(::kubexx::meta::Value value) { place_[::kubexx::meta::NameId{12}].set(value); }
  ::kubexx::api::ListDraft<::kubexx::api::ListDraft<std::int64_t>> matrix() { return ::kubexx::api::ListDraft<::kubexx::api::ListDraft<std::int64_t>>(place_["matrix"]); }
  const ::kubexx::api::ListDraft<::kubexx::api::ListDraft<std::int64_t>> matrix() const { return ::kubexx::api::ListDraft<::kubexx::api::ListDraft<std::int64_t>>(place_["matrix"]); }
  bool has_matrix() const { return place_["matrix"].exists(); }
  void clear_matrix() { place_["matrix"].erase(); }
  void set_matrix(::kubexx::meta::Value value) { place_["matrix"].set(value); }
  ::kubexx::api::ListDraft<std::string_view> pod_ips() { return ::kubexx::api::ListDraft<std::string_view>(place_[::kubexx::meta::NameId{637}]); }
  const ::kubexx::api::ListDraft<std::string_view> pod_ips() const { return ::kubexx::api::ListDraft<std::string_view>(place_[::kubexx::meta::NameId{637}]); }
  bool has_pod_ips() const { return place_[::kubexx::meta::NameId{637}].exists(); }
  void clear_pod_ips() { place_[::kubexx::meta::NameId{637}].erase(); }
  void set_pod_ips(::kubexx::meta::Value value) { place_[::kubexx::meta::NameId{637}].set(value); }
  std::string_view note() const { return place_[::kubexx::meta::NameId{571}].string(); }
  bool has_note() const { return place_[::kubexx::meta::NameId{571}].exists(); }
  void clear_note() { place_[::kubexx::meta::NameId{571}].erase(); }
  void set_note(std::string_view value) { place_[::kubexx::meta::NameId{571}].set(value); }
  GadgetSpecTemplateDraft template_() { return GadgetSpecTemplateDraft(place_[::kubexx::meta::NameId{883}]); }
  const GadgetSpecTemplateDraft template_() const { return GadgetSpecTemplateDraft(place_[::kubexx::meta::NameId{883}]); }
  bool has_template_() const { return place_[::kubexx::meta::NameId{883}].exists(); }
  void clear_template_() { place_[::kubexx::meta::NameId{883}].erase(); }
  void set_template_(const GadgetSpecTemplate& value) { place_[::kubexx::meta::NameId{883}].set(value.as_value()); }
  ::kubexx::api::MapDraft<GadgetSpecZonesDraft> zones() { return ::kubexx::api::MapDraft<GadgetSpecZonesDraft>(place_["zones"]); }
  const ::kubexx::api::MapDraft<GadgetSpecZonesDraft> zones() const { return ::kubexx::api::MapDraft<GadgetSpecZonesDraft>(place_["zones"]); }
  bool has_zones() const { return place_["zones"].exists(); }
  void clear_zones() { place_["zones"].erase(); }
  void set_zones(::kubexx::meta::Value value) { place_["zones"].set(value); }
};

class GadgetDraftFields : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  ::kubexx::api::meta::v1::ObjectMetaDraft metadata() { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  const ::kubexx::api::meta::v1::ObjectMetaDraft metadata() const { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  bool has_metadata() const { return place_[::kubexx::meta::NameId{2}].exists(); }
  void clear_metadata() { place_[::kubexx::meta::NameId{2}].erase(); }
  void set_metadata(const ::kubexx::api::meta::v1::ObjectMeta& value) { place_[::kubexx::meta::NameId{2}].set(value.as_value()); }
  GadgetSpecDraft spec() { return GadgetSpecDraft(place_[::kubexx::meta::NameId{3}]); }
  const GadgetSpecDraft spec() const { return GadgetSpecDraft(place_[::kubexx::meta::NameId{3}]); }
  bool has_spec() const { return place_[::kubexx::meta::NameId{3}].exists(); }
  void clear_spec() { place_[::kubexx::meta::NameId{3}].erase(); }
  void set_spec(const GadgetSpec& value) { place_[::kubexx::meta::NameId{3}].set(value.as_value()); }
};

class GadgetDraft : public ::kubexx::api::DraftHolder, public GadgetDraftFields {
 public:
  GadgetDraft() : GadgetDraft(begin(Gadget::kApiVersion, Gadget::kKind)) {}
  explicit GadgetDraft(::kubexx::meta::Draft draft) : DraftHolder(std::move(draft)), GadgetDraftFields(draft_.root()) {}
  Gadget to_object() const { return Gadget::unchecked(draft_.to_object()); }
  GadgetDraft clone() const { return GadgetDraft(draft_.clone()); }
};
inline GadgetDraft Gadget::edit() const { return GadgetDraft(Object::edit()); }

}  // namespace demo::v1
