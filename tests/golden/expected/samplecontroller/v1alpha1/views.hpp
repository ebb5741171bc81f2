// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/meta/v1/views.hpp"
#include "kubexx/api/support.hpp"
#include "kubexx/base/version.hpp"

static_assert(KUBEXX_VERSION_MAJOR == 0 && KUBEXX_VERSION_MINOR == 2,
              "written by kubexx-gen 0.2, and the library is another version: run its kubexx-gen");

namespace samplecontroller::v1alpha1 {

class KUBEXX_POINTER FooSpec : public ::kubexx::api::View {
 public:
  using View::View;
  std::string_view deployment_name() const noexcept { return view_["deploymentName"].string(); }
  bool has_deployment_name() const noexcept { return view_["deploymentName"].exists(); }
  std::int64_t replicas() const noexcept { return view_[::kubexx::meta::NameId{704}].int_or(0); }
  bool has_replicas() const noexcept { return view_[::kubexx::meta::NameId{704}].exists(); }
};

class KUBEXX_POINTER FooStatus : public ::kubexx::api::View {
 public:
  using View::View;
  std::int64_t available_replicas() const noexcept { return view_[::kubexx::meta::NameId{148}].int_or(0); }
  bool has_available_replicas() const noexcept { return view_[::kubexx::meta::NameId{148}].exists(); }
};

class FooDraft;

class KUBEXX_OWNER Foo : public ::kubexx::meta::Object {
 public:
  static constexpr std::string_view kApiVersion = "samplecontroller.k8s.io/v1alpha1";
  static constexpr std::string_view kKind = "Foo";
  static constexpr ::kubexx::meta::ResourceInfo kResource{"samplecontroller.k8s.io", "v1alpha1", "Foo", "foos", "foo", true, false};
  /// The name of in_namespace() in listers: lister.foos("default").
  template <class Lister>
  struct ListerNames {
    auto foos(std::string space) const { return static_cast<const Lister&>(*this).in_namespace(std::move(space)); }
  };
  using Draft = FooDraft;
  Foo() = default;
  static Foo unchecked(::kubexx::meta::Object object) { return Foo(std::move(object)); }
  template <int = 0>
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

}  // namespace samplecontroller::v1alpha1
