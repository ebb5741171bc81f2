// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/meta/v1/views.hpp"
#include "kubexx/api/support.hpp"
#include "kubexx/base/version.hpp"

static_assert(KUBEXX_VERSION_MAJOR == 0 && KUBEXX_VERSION_MINOR == 2,
              "written by kubexx-gen 0.2, and the library is another version: run its kubexx-gen");

namespace demo::v1 {

class KUBEXX_POINTER GadgetSpecTemplateContainersEnv : public ::kubexx::api::View {
 public:
  using View::View;
  std::string_view name() const noexcept { return view_[::kubexx::meta::NameId{6}].string(); }
  bool has_name() const noexcept { return view_[::kubexx::meta::NameId{6}].exists(); }
  std::string_view value() const noexcept { return view_[::kubexx::meta::NameId{937}].string(); }
  bool has_value() const noexcept { return view_[::kubexx::meta::NameId{937}].exists(); }
};

class KUBEXX_POINTER GadgetSpecTemplateContainers : public ::kubexx::api::View {
 public:
  using View::View;
  std::string_view name() const noexcept { return view_[::kubexx::meta::NameId{6}].string(); }
  bool has_name() const noexcept { return view_[::kubexx::meta::NameId{6}].exists(); }
  ::kubexx::api::List<GadgetSpecTemplateContainersEnv> env() const noexcept { return ::kubexx::api::List<GadgetSpecTemplateContainersEnv>(view_[::kubexx::meta::NameId{303}]); }
  bool has_env() const noexcept { return view_[::kubexx::meta::NameId{303}].exists(); }
};

class KUBEXX_POINTER GadgetSpecTemplate : public ::kubexx::api::View {
 public:
  using View::View;
  ::kubexx::api::List<GadgetSpecTemplateContainers> containers() const noexcept { return ::kubexx::api::List<GadgetSpecTemplateContainers>(view_[::kubexx::meta::NameId{222}]); }
  bool has_containers() const noexcept { return view_[::kubexx::meta::NameId{222}].exists(); }
};

class KUBEXX_POINTER GadgetSpecZones : public ::kubexx::api::View {
 public:
  using View::View;
  std::int64_t weight() const noexcept { return view_[::kubexx::meta::NameId{971}].int_or(0); }
  bool has_weight() const noexcept { return view_[::kubexx::meta::NameId{971}].exists(); }
};

class KUBEXX_POINTER GadgetSpec : public ::kubexx::api::View {
 public:
  static constexpr std::string_view kClassSmall = "Small";
  static constexpr std::string_view kClassLarge = "Large";
  static constexpr std::string_view kClassExtraLarge = "extra-large";
  static constexpr std::string_view kDefaultClass = "Small";
  static constexpr std::int64_t kDefaultReplicas = 3;
  static constexpr bool kDefaultEnabled = true;
  using View::View;
  std::string_view class_() const noexcept { return view_["class"].string(); }
  bool has_class_() const noexcept { return view_["class"].exists(); }
  std::int32_t replicas() const noexcept { return static_cast<std::int32_t>(view_[::kubexx::meta::NameId{704}].int_or(0)); }
  bool has_replicas() const noexcept { return view_[::kubexx::meta::NameId{704}].exists(); }
  double ratio() const noexcept { return view_["ratio"].double_or(0); }
  bool has_ratio() const noexcept { return view_["ratio"].exists(); }
  bool enabled() const noexcept { return view_["enabled"].bool_or(false); }
  bool has_enabled() const noexcept { return view_["enabled"].exists(); }
  ::kubexx::api::IntOrString port() const noexcept { return ::kubexx::api::IntOrString(view_[::kubexx::meta::NameId{651}]); }
  bool has_port() const noexcept { return view_[::kubexx::meta::NameId{651}].exists(); }
  ::kubexx::meta::Value anything() const noexcept { return view_["anything"]; }
  bool has_anything() const noexcept { return view_["anything"].exists(); }
  ::kubexx::api::Map<std::string_view> labels() const noexcept { return ::kubexx::api::Map<std::string_view>(view_[::kubexx::meta::NameId{12}]); }
  bool has_labels() const noexcept { return view_[::kubexx::meta::NameId{12}].exists(); }
  ::kubexx::api::List<::kubexx::api::List<std::int64_t>> matrix() const noexcept { return ::kubexx::api::List<::kubexx::api::List<std::int64_t>>(view_["matrix"]); }
  bool has_matrix() const noexcept { return view_["matrix"].exists(); }
  ::kubexx::api::List<std::string_view> pod_ips() const noexcept { return ::kubexx::api::List<std::string_view>(view_[::kubexx::meta::NameId{637}]); }
  bool has_pod_ips() const noexcept { return view_[::kubexx::meta::NameId{637}].exists(); }
  std::string_view note() const noexcept { return view_[::kubexx::meta::NameId{571}].string(); }
  bool has_note() const noexcept { return view_[::kubexx::meta::NameId{571}].exists(); }
  GadgetSpecTemplate template_() const noexcept { return GadgetSpecTemplate(view_[::kubexx::meta::NameId{883}]); }
  bool has_template_() const noexcept { return view_[::kubexx::meta::NameId{883}].exists(); }
  ::kubexx::api::Map<GadgetSpecZones> zones() const noexcept { return ::kubexx::api::Map<GadgetSpecZones>(view_["zones"]); }
  bool has_zones() const noexcept { return view_["zones"].exists(); }
};

class GadgetDraft;

class KUBEXX_OWNER Gadget : public ::kubexx::meta::Object {
 public:
  static constexpr std::string_view kApiVersion = "demo.example.com/v1";
  static constexpr std::string_view kKind = "Gadget";
  static constexpr ::kubexx::meta::ResourceInfo kResource{"demo.example.com", "v1", "Gadget", "gadgets", "gadget", false, false};
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
  GadgetSpec spec() const noexcept KUBEXX_LIFETIMEBOUND { return GadgetSpec((*this)[::kubexx::meta::NameId{3}]); }
  bool has_spec() const noexcept { return (*this)[::kubexx::meta::NameId{3}].exists(); }
  GadgetDraft edit() const;

 private:
  explicit Gadget(::kubexx::meta::Object object) noexcept : Object(std::move(object)) {}
};

}  // namespace demo::v1
