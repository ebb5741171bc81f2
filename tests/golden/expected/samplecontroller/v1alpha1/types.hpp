// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/support.hpp"
#include "kubexx/api/meta/v1.hpp"

namespace samplecontroller::v1alpha1 {

class KUBEXX_POINTER FooSpec : public ::kubexx::api::View {
 public:
  using View::View;
  std::string_view deployment_name() const noexcept { return view_["deploymentName"].string(); }
  bool has_deployment_name() const noexcept { return view_["deploymentName"].exists(); }
  std::int64_t replicas() const noexcept { return view_[::kubexx::meta::NameId{704}].int_or(0); }
  bool has_replicas() const noexcept { return view_[::kubexx::meta::NameId{704}].exists(); }
};

class FooSpecDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::string_view deployment_name() const { return place_["deploymentName"].string(); }
  bool has_deployment_name() const { return place_["deploymentName"].exists(); }
  void clear_deployment_name() const { place_["deploymentName"].erase(); }
  void set_deployment_name(std::string_view value) const { place_["deploymentName"].set(value); }
  std::int64_t replicas() const { return place_[::kubexx::meta::NameId{704}].int_or(0); }
  bool has_replicas() const { return place_[::kubexx::meta::NameId{704}].exists(); }
  void clear_replicas() const { place_[::kubexx::meta::NameId{704}].erase(); }
  void set_replicas(std::int64_t value) const { place_[::kubexx::meta::NameId{704}].set(value); }
};

class KUBEXX_POINTER FooStatus : public ::kubexx::api::View {
 public:
  using View::View;
  std::int64_t available_replicas() const noexcept { return view_[::kubexx::meta::NameId{148}].int_or(0); }
  bool has_available_replicas() const noexcept { return view_[::kubexx::meta::NameId{148}].exists(); }
};

class FooStatusDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::int64_t available_replicas() const { return place_[::kubexx::meta::NameId{148}].int_or(0); }
  bool has_available_replicas() const { return place_[::kubexx::meta::NameId{148}].exists(); }
  void clear_available_replicas() const { place_[::kubexx::meta::NameId{148}].erase(); }
  void set_available_replicas(std::int64_t value) const { place_[::kubexx::meta::NameId{148}].set(value); }
};

class FooDraftFields : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  ::kubexx::api::meta::v1::ObjectMetaDraft metadata() const { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  bool has_metadata() const { return place_[::kubexx::meta::NameId{2}].exists(); }
  void clear_metadata() const { place_[::kubexx::meta::NameId{2}].erase(); }
  void set_metadata(const ::kubexx::api::meta::v1::ObjectMeta& value) const { place_[::kubexx::meta::NameId{2}].set(value.as_value()); }
  FooSpecDraft spec() const { return FooSpecDraft(place_[::kubexx::meta::NameId{3}]); }
  bool has_spec() const { return place_[::kubexx::meta::NameId{3}].exists(); }
  void clear_spec() const { place_[::kubexx::meta::NameId{3}].erase(); }
  void set_spec(const FooSpec& value) const { place_[::kubexx::meta::NameId{3}].set(value.as_value()); }
  FooStatusDraft status() const { return FooStatusDraft(place_[::kubexx::meta::NameId{4}]); }
  bool has_status() const { return place_[::kubexx::meta::NameId{4}].exists(); }
  void clear_status() const { place_[::kubexx::meta::NameId{4}].erase(); }
  void set_status(const FooStatus& value) const { place_[::kubexx::meta::NameId{4}].set(value.as_value()); }
};

class FooDraft;

class KUBEXX_OWNER Foo : public ::kubexx::meta::Object {
 public:
  static constexpr std::string_view kApiVersion = "samplecontroller.k8s.io/v1alpha1";
  static constexpr std::string_view kKind = "Foo";
  static constexpr ::kubexx::meta::ResourceInfo kResource{"samplecontroller.k8s.io", "v1alpha1", "Foo", "foos", "foo", true, false};
  using Draft = FooDraft;
  Foo() = default;
  static Foo unchecked(::kubexx::meta::Object object) { return Foo(std::move(object)); }
  static ::kubexx::Result<Foo> from(::kubexx::meta::Object object) {
    auto checked = ::kubexx::api::checked(std::move(object), kApiVersion, kKind);
    if (!checked) return checked.error();
    return Foo(std::move(*checked));
  }
  ::kubexx::api::meta::v1::ObjectMeta metadata() const noexcept KUBEXX_LIFETIMEBOUND { return ::kubexx::api::meta::v1::ObjectMeta((*this)[::kubexx::meta::NameId{2}]); }
  FooSpec spec() const noexcept KUBEXX_LIFETIMEBOUND { return FooSpec((*this)[::kubexx::meta::NameId{3}]); }
  bool has_spec() const noexcept { return (*this)[::kubexx::meta::NameId{3}].exists(); }
  FooStatus status() const noexcept KUBEXX_LIFETIMEBOUND { return FooStatus((*this)[::kubexx::meta::NameId{4}]); }
  bool has_status() const noexcept { return (*this)[::kubexx::meta::NameId{4}].exists(); }
  FooDraft edit() const;

 private:
  explicit Foo(::kubexx::meta::Object object) noexcept : Object(std::move(object)) {}
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
