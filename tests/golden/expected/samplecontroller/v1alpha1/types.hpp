// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/meta/v1.hpp"
#include "samplecontroller/v1alpha1/views.hpp"

namespace samplecontroller::v1alpha1 {

class FooSpecDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::string_view deployment_name() const { return place_["deploymentName"].string(); }
  bool has_deployment_name() const { return place_["deploymentName"].exists(); }
  void clear_deployment_name() { place_["deploymentName"].erase(); }
  void set_deployment_name(std::string_view value) { place_["deploymentName"].set(value); }
  std::int64_t replicas() const { return place_[::kubexx::meta::NameId{704}].int_or(0); }
  bool has_replicas() const { return place_[::kubexx::meta::NameId{704}].exists(); }
  void clear_replicas() { place_[::kubexx::meta::NameId{704}].erase(); }
  void set_replicas(std::int64_t value) { place_[::kubexx::meta::NameId{704}].set(value); }
};

class FooStatusDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::int64_t available_replicas() const { return place_[::kubexx::meta::NameId{148}].int_or(0); }
  bool has_available_replicas() const { return place_[::kubexx::meta::NameId{148}].exists(); }
  void clear_available_replicas() { place_[::kubexx::meta::NameId{148}].erase(); }
  void set_available_replicas(std::int64_t value) { place_[::kubexx::meta::NameId{148}].set(value); }
};

class FooDraftFields : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  ::kubexx::api::meta::v1::ObjectMetaDraft metadata() { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  const ::kubexx::api::meta::v1::ObjectMetaDraft metadata() const { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  bool has_metadata() const { return place_[::kubexx::meta::NameId{2}].exists(); }
  void clear_metadata() { place_[::kubexx::meta::NameId{2}].erase(); }
  void set_metadata(const ::kubexx::api::meta::v1::ObjectMeta& value) { place_[::kubexx::meta::NameId{2}].set(value.as_value()); }
  FooSpecDraft spec() { return FooSpecDraft(place_[::kubexx::meta::NameId{3}]); }
  const FooSpecDraft spec() const { return FooSpecDraft(place_[::kubexx::meta::NameId{3}]); }
  bool has_spec() const { return place_[::kubexx::meta::NameId{3}].exists(); }
  void clear_spec() { place_[::kubexx::meta::NameId{3}].erase(); }
  void set_spec(const FooSpec& value) { place_[::kubexx::meta::NameId{3}].set(value.as_value()); }
  FooStatusDraft status() { return FooStatusDraft(place_[::kubexx::meta::NameId{4}]); }
  const FooStatusDraft status() const { return FooStatusDraft(place_[::kubexx::meta::NameId{4}]); }
  bool has_status() const { return place_[::kubexx::meta::NameId{4}].exists(); }
  void clear_status() { place_[::kubexx::meta::NameId{4}].erase(); }
  void set_status(const FooStatus& value) { place_[::kubexx::meta::NameId{4}].set(value.as_value()); }
};

class FooDraft : public ::kubexx::api::DraftHolder, public FooDraftFields {
 public:
  FooDraft() : FooDraft(begin(Foo::kApiVersion, Foo::kKind)) {}
  explicit FooDraft(::kubexx::meta::Draft draft) : DraftHolder(std::move(draft)), FooDraftFields(draft_.root()) {}
  Foo to_object() const { return Foo::unchecked(draft_.to_object()); }
  FooDraft clone() const { return FooDraft(draft_.clone()); }
};
inline FooDraft Foo::edit() const { return FooDraft(Object::edit()); }

}  // namespace samplecontroller::v1alpha1
