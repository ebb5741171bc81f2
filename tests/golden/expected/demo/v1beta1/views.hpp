// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/meta/v1/views.hpp"
#include "kubexx/api/support.hpp"
#include "kubexx/base/version.hpp"

static_assert(KUBEXX_VERSION_MAJOR == 0 && KUBEXX_VERSION_MINOR == 2,
              "written by kubexx-gen 0.2, and the library is another version: run its kubexx-gen");

namespace demo::v1beta1 {

class GadgetDraft;

class KUBEXX_OWNER Gadget : public ::kubexx::meta::Object {
 public:
  static constexpr std::string_view kApiVersion = "demo.example.com/v1beta1";
  static constexpr std::string_view kKind = "Gadget";
  static constexpr ::kubexx::meta::ResourceInfo kResource{"demo.example.com", "v1beta1", "Gadget", "gadgets", "gadget", false, false};
  using Draft = GadgetDraft;
  Gadget() = default;
  static Gadget unchecked(::kubexx::meta::Object object) { return Gadget(std::move(object)); }
  template <int = 0>
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

}  // namespace demo::v1beta1
