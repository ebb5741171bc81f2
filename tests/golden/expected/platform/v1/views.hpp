// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/meta/v1/views.hpp"
#include "kubexx/api/support.hpp"
#include "kubexx/base/version.hpp"

static_assert(KUBEXX_VERSION_MAJOR == 0 && KUBEXX_VERSION_MINOR == 2,
              "written by kubexx-gen 0.2, and the library is another version: run its kubexx-gen");

namespace platform::v1 {

class KUBEXX_POINTER PipelineSpecStagesWhenAll : public ::kubexx::api::View {
 public:
  using View::View;
  std::string_view key() const noexcept { return view_[::kubexx::meta::NameId{442}].string(); }
  bool has_key() const noexcept { return view_[::kubexx::meta::NameId{442}].exists(); }
  ::kubexx::api::List<std::string_view> values() const noexcept { return ::kubexx::api::List<std::string_view>(view_[::kubexx::meta::NameId{940}]); }
  bool has_values() const noexcept { return view_[::kubexx::meta::NameId{940}].exists(); }
};

class KUBEXX_POINTER PipelineSpecStagesWhen : public ::kubexx::api::View {
 public:
  using View::View;
  ::kubexx::api::List<PipelineSpecStagesWhenAll> all() const noexcept { return ::kubexx::api::List<PipelineSpecStagesWhenAll>(view_["all"]); }
  bool has_all() const noexcept { return view_["all"].exists(); }
};

class KUBEXX_POINTER PipelineSpecStages : public ::kubexx::api::View {
 public:
  using View::View;
  std::string_view name() const noexcept { return view_[::kubexx::meta::NameId{6}].string(); }
  bool has_name() const noexcept { return view_[::kubexx::meta::NameId{6}].exists(); }
  PipelineSpecStagesWhen when() const noexcept { return PipelineSpecStagesWhen(view_["when"]); }
  bool has_when() const noexcept { return view_["when"].exists(); }
  ::kubexx::api::IntOrString timeout() const noexcept { return ::kubexx::api::IntOrString(view_["timeout"]); }
  bool has_timeout() const noexcept { return view_["timeout"].exists(); }
  ::kubexx::api::Map<::kubexx::api::List<std::string_view>> matrix() const noexcept { return ::kubexx::api::Map<::kubexx::api::List<std::string_view>>(view_["matrix"]); }
  bool has_matrix() const noexcept { return view_["matrix"].exists(); }
};

class KUBEXX_POINTER PipelineSpec : public ::kubexx::api::View {
 public:
  using View::View;
  std::int64_t replicas() const noexcept { return view_[::kubexx::meta::NameId{704}].int_or(0); }
  bool has_replicas() const noexcept { return view_[::kubexx::meta::NameId{704}].exists(); }
  std::string_view namespace_() const noexcept { return view_[::kubexx::meta::NameId{7}].string(); }
  bool has_namespace_() const noexcept { return view_[::kubexx::meta::NameId{7}].exists(); }
  std::string_view operator_() const noexcept { return view_[::kubexx::meta::NameId{587}].string(); }
  bool has_operator_() const noexcept { return view_[::kubexx::meta::NameId{587}].exists(); }
  std::string_view foo_bar() const noexcept { return view_["foo-bar"].string(); }
  bool has_foo_bar() const noexcept { return view_["foo-bar"].exists(); }
  std::string_view foo_bar_() const noexcept { return view_["fooBar"].string(); }
  bool has_foo_bar_() const noexcept { return view_["fooBar"].exists(); }
  ::kubexx::api::List<PipelineSpecStages> stages() const noexcept { return ::kubexx::api::List<PipelineSpecStages>(view_["stages"]); }
  bool has_stages() const noexcept { return view_["stages"].exists(); }
};

class KUBEXX_POINTER PipelineStatus : public ::kubexx::api::View {
 public:
  static constexpr std::string_view kPhasePending = "Pending";
  static constexpr std::string_view kPhaseRunning = "Running";
  static constexpr std::string_view kPhaseFailed = "Failed";
  using View::View;
  std::int64_t replicas() const noexcept { return view_[::kubexx::meta::NameId{704}].int_or(0); }
  bool has_replicas() const noexcept { return view_[::kubexx::meta::NameId{704}].exists(); }
  std::string_view phase() const noexcept { return view_[::kubexx::meta::NameId{618}].string(); }
  bool has_phase() const noexcept { return view_[::kubexx::meta::NameId{618}].exists(); }
};

class PipelineDraft;

class KUBEXX_OWNER Pipeline : public ::kubexx::meta::Object {
 public:
  static constexpr std::string_view kApiVersion = "platform.example.com/v1";
  static constexpr std::string_view kKind = "Pipeline";
  static constexpr ::kubexx::meta::ResourceInfo kResource{"platform.example.com", "v1", "Pipeline", "pipelines", "pipeline", true, false};
  /// The name of in_namespace() in listers: lister.pipelines("default").
  template <class Lister>
  struct ListerNames {
    auto pipelines(std::string space) const { return static_cast<const Lister&>(*this).in_namespace(std::move(space)); }
  };
  using Draft = PipelineDraft;
  Pipeline() = default;
  static Pipeline unchecked(::kubexx::meta::Object object) { return Pipeline(std::move(object)); }
  template <int = 0>
  static ::kubexx::Result<Pipeline> from(::kubexx::meta::Object object) {
    auto checked = ::kubexx::api::checked(std::move(object), kApiVersion, kKind);
    if (!checked) return checked.error();
    return Pipeline(std::move(*checked));
  }
  ::kubexx::api::meta::v1::ObjectMeta metadata() const noexcept KUBEXX_LIFETIMEBOUND { return ::kubexx::api::meta::v1::ObjectMeta((*this)[::kubexx::meta::NameId{2}]); }
  PipelineSpec spec() const noexcept KUBEXX_LIFETIMEBOUND { return PipelineSpec((*this)[::kubexx::meta::NameId{3}]); }
  bool has_spec() const noexcept { return (*this)[::kubexx::meta::NameId{3}].exists(); }
  PipelineStatus status() const noexcept KUBEXX_LIFETIMEBOUND { return PipelineStatus((*this)[::kubexx::meta::NameId{4}]); }
  bool has_status() const noexcept { return (*this)[::kubexx::meta::NameId{4}].exists(); }
  PipelineDraft edit() const;

 private:
  explicit Pipeline(::kubexx::meta::Object object) noexcept : Object(std::move(object)) {}
};

class KUBEXX_POINTER PolicySpec : public ::kubexx::api::View {
 public:
  using View::View;
  bool default_() const noexcept { return view_[::kubexx::meta::NameId{248}].bool_or(false); }
  bool has_default_() const noexcept { return view_[::kubexx::meta::NameId{248}].exists(); }
};

class PolicyDraft;

class KUBEXX_OWNER Policy : public ::kubexx::meta::Object {
 public:
  static constexpr std::string_view kApiVersion = "platform.example.com/v1";
  static constexpr std::string_view kKind = "Policy";
  static constexpr ::kubexx::meta::ResourceInfo kResource{"platform.example.com", "v1", "Policy", "policies", "policy", false, false};
  using Draft = PolicyDraft;
  Policy() = default;
  static Policy unchecked(::kubexx::meta::Object object) { return Policy(std::move(object)); }
  template <int = 0>
  static ::kubexx::Result<Policy> from(::kubexx::meta::Object object) {
    auto checked = ::kubexx::api::checked(std::move(object), kApiVersion, kKind);
    if (!checked) return checked.error();
    return Policy(std::move(*checked));
  }
  ::kubexx::api::meta::v1::ObjectMeta metadata() const noexcept KUBEXX_LIFETIMEBOUND { return ::kubexx::api::meta::v1::ObjectMeta((*this)[::kubexx::meta::NameId{2}]); }
  PolicySpec spec() const noexcept KUBEXX_LIFETIMEBOUND { return PolicySpec((*this)[::kubexx::meta::NameId{3}]); }
  bool has_spec() const noexcept { return (*this)[::kubexx::meta::NameId{3}].exists(); }
  PolicyDraft edit() const;

 private:
  explicit Policy(::kubexx::meta::Object object) noexcept : Object(std::move(object)) {}
};

}  // namespace platform::v1
