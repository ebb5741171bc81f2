// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/meta/v1.hpp"
#include "platform/v1/views.hpp"

namespace platform::v1 {

class PipelineSpecStagesWhenAllDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::string_view key() const { return place_[::kubexx::meta::NameId{442}].string(); }
  bool has_key() const { return place_[::kubexx::meta::NameId{442}].exists(); }
  void clear_key() { place_[::kubexx::meta::NameId{442}].erase(); }
  void set_key(std::string_view value) { place_[::kubexx::meta::NameId{442}].set(value); }
  ::kubexx::api::ListDraft<std::string_view> values() { return ::kubexx::api::ListDraft<std::string_view>(place_[::kubexx::meta::NameId{940}]); }
  const ::kubexx::api::ListDraft<std::string_view> values() const { return ::kubexx::api::ListDraft<std::string_view>(place_[::kubexx::meta::NameId{940}]); }
  bool has_values() const { return place_[::kubexx::meta::NameId{940}].exists(); }
  void clear_values() { place_[::kubexx::meta::NameId{940}].erase(); }
  void set_values(::kubexx::meta::Value value) { place_[::kubexx::meta::NameId{940}].set(value); }
};

class PipelineSpecStagesWhenDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  ::kubexx::api::ListDraft<PipelineSpecStagesWhenAllDraft> all() { return ::kubexx::api::ListDraft<PipelineSpecStagesWhenAllDraft>(place_["all"]); }
  const ::kubexx::api::ListDraft<PipelineSpecStagesWhenAllDraft> all() const { return ::kubexx::api::ListDraft<PipelineSpecStagesWhenAllDraft>(place_["all"]); }
  bool has_all() const { return place_["all"].exists(); }
  void clear_all() { place_["all"].erase(); }
  void set_all(::kubexx::meta::Value value) { place_["all"].set(value); }
};

class PipelineSpecStagesDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::string_view name() const { return place_[::kubexx::meta::NameId{6}].string(); }
  bool has_name() const { return place_[::kubexx::meta::NameId{6}].exists(); }
  void clear_name() { place_[::kubexx::meta::NameId{6}].erase(); }
  void set_name(std::string_view value) { place_[::kubexx::meta::NameId{6}].set(value); }
  PipelineSpecStagesWhenDraft when() { return PipelineSpecStagesWhenDraft(place_["when"]); }
  const PipelineSpecStagesWhenDraft when() const { return PipelineSpecStagesWhenDraft(place_["when"]); }
  bool has_when() const { return place_["when"].exists(); }
  void clear_when() { place_["when"].erase(); }
  void set_when(const PipelineSpecStagesWhen& value) { place_["when"].set(value.as_value()); }
  ::kubexx::api::IntOrStringDraft timeout() { return ::kubexx::api::IntOrStringDraft(place_["timeout"]); }
  const ::kubexx::api::IntOrStringDraft timeout() const { return ::kubexx::api::IntOrStringDraft(place_["timeout"]); }
  bool has_timeout() const { return place_["timeout"].exists(); }
  void clear_timeout() { place_["timeout"].erase(); }
  void set_timeout(std::int32_t value) { place_["timeout"].set(static_cast<std::int64_t>(value)); }
  void set_timeout(std::string_view value) { place_["timeout"].set(value); }
  ::kubexx::api::MapDraft<::kubexx::api::ListDraft<std::string_view>> matrix() { return ::kubexx::api::MapDraft<::kubexx::api::ListDraft<std::string_view>>(place_["matrix"]); }
  const ::kubexx::api::MapDraft<::kubexx::api::ListDraft<std::string_view>> matrix() const { return ::kubexx::api::MapDraft<::kubexx::api::ListDraft<std::string_view>>(place_["matrix"]); }
  bool has_matrix() const { return place_["matrix"].exists(); }
  void clear_matrix() { place_["matrix"].erase(); }
  void set_matrix(::kubexx::meta::Value value) { place_["matrix"].set(value); }
};

class PipelineSpecDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::int64_t replicas() const { return place_[::kubexx::meta::NameId{704}].int_or(0); }
  bool has_replicas() const { return place_[::kubexx::meta::NameId{704}].exists(); }
  void clear_replicas() { place_[::kubexx::meta::NameId{704}].erase(); }
  void set_replicas(std::int64_t value) { place_[::kubexx::meta::NameId{704}].set(value); }
  std::string_view namespace_() const { return place_[::kubexx::meta::NameId{7}].string(); }
  bool has_namespace_() const { return place_[::kubexx::meta::NameId{7}].exists(); }
  void clear_namespace_() { place_[::kubexx::meta::NameId{7}].erase(); }
  void set_namespace_(std::string_view value) { place_[::kubexx::meta::NameId{7}].set(value); }
  std::string_view operator_() const { return place_[::kubexx::meta::NameId{587}].string(); }
  bool has_operator_() const { return place_[::kubexx::meta::NameId{587}].exists(); }
  void clear_operator_() { place_[::kubexx::meta::NameId{587}].erase(); }
  void set_operator_(std::string_view value) { place_[::kubexx::meta::NameId{587}].set(value); }
  std::string_view foo_bar() const { return place_["foo-bar"].string(); }
  bool has_foo_bar() const { return place_["foo-bar"].exists(); }
  void clear_foo_bar() { place_["foo-bar"].erase(); }
  void set_foo_bar(std::string_view value) { place_["foo-bar"].set(value); }
  std::string_view foo_bar_() const { return place_["fooBar"].string(); }
  bool has_foo_bar_() const { return place_["fooBar"].exists(); }
  void clear_foo_bar_() { place_["fooBar"].erase(); }
  void set_foo_bar_(std::string_view value) { place_["fooBar"].set(value); }
  ::kubexx::api::ListDraft<PipelineSpecStagesDraft> stages() { return ::kubexx::api::ListDraft<PipelineSpecStagesDraft>(place_["stages"]); }
  const ::kubexx::api::ListDraft<PipelineSpecStagesDraft> stages() const { return ::kubexx::api::ListDraft<PipelineSpecStagesDraft>(place_["stages"]); }
  bool has_stages() const { return place_["stages"].exists(); }
  void clear_stages() { place_["stages"].erase(); }
  void set_stages(::kubexx::meta::Value value) { place_["stages"].set(value); }
};

class PipelineStatusDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::int64_t replicas() const { return place_[::kubexx::meta::NameId{704}].int_or(0); }
  bool has_replicas() const { return place_[::kubexx::meta::NameId{704}].exists(); }
  void clear_replicas() { place_[::kubexx::meta::NameId{704}].erase(); }
  void set_replicas(std::int64_t value) { place_[::kubexx::meta::NameId{704}].set(value); }
  std::string_view phase() const { return place_[::kubexx::meta::NameId{618}].string(); }
  bool has_phase() const { return place_[::kubexx::meta::NameId{618}].exists(); }
  void clear_phase() { place_[::kubexx::meta::NameId{618}].erase(); }
  void set_phase(std::string_view value) { place_[::kubexx::meta::NameId{618}].set(value); }
};

class PipelineDraftFields : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  ::kubexx::api::meta::v1::ObjectMetaDraft metadata() { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  const ::kubexx::api::meta::v1::ObjectMetaDraft metadata() const { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  bool has_metadata() const { return place_[::kubexx::meta::NameId{2}].exists(); }
  void clear_metadata() { place_[::kubexx::meta::NameId{2}].erase(); }
  void set_metadata(const ::kubexx::api::meta::v1::ObjectMeta& value) { place_[::kubexx::meta::NameId{2}].set(value.as_value()); }
  PipelineSpecDraft spec() { return PipelineSpecDraft(place_[::kubexx::meta::NameId{3}]); }
  const PipelineSpecDraft spec() const { return PipelineSpecDraft(place_[::kubexx::meta::NameId{3}]); }
  bool has_spec() const { return place_[::kubexx::meta::NameId{3}].exists(); }
  void clear_spec() { place_[::kubexx::meta::NameId{3}].erase(); }
  void set_spec(const PipelineSpec& value) { place_[::kubexx::meta::NameId{3}].set(value.as_value()); }
  PipelineStatusDraft status() { return PipelineStatusDraft(place_[::kubexx::meta::NameId{4}]); }
  const PipelineStatusDraft status() const { return PipelineStatusDraft(place_[::kubexx::meta::NameId{4}]); }
  bool has_status() const { return place_[::kubexx::meta::NameId{4}].exists(); }
  void clear_status() { place_[::kubexx::meta::NameId{4}].erase(); }
  void set_status(const PipelineStatus& value) { place_[::kubexx::meta::NameId{4}].set(value.as_value()); }
};

class PipelineDraft : public ::kubexx::api::DraftHolder, public PipelineDraftFields {
 public:
  PipelineDraft() : PipelineDraft(begin(Pipeline::kApiVersion, Pipeline::kKind)) {}
  explicit PipelineDraft(::kubexx::meta::Draft draft) : DraftHolder(std::move(draft)), PipelineDraftFields(draft_.root()) {}
  Pipeline to_object() const { return Pipeline::unchecked(draft_.to_object()); }
  PipelineDraft clone() const { return PipelineDraft(draft_.clone()); }
};
inline PipelineDraft Pipeline::edit() const { return PipelineDraft(Object::edit()); }

class PolicySpecDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  bool default_() const { return place_[::kubexx::meta::NameId{248}].bool_or(false); }
  bool has_default_() const { return place_[::kubexx::meta::NameId{248}].exists(); }
  void clear_default_() { place_[::kubexx::meta::NameId{248}].erase(); }
  void set_default_(bool value) { place_[::kubexx::meta::NameId{248}].set(value); }
};

class PolicyDraftFields : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  ::kubexx::api::meta::v1::ObjectMetaDraft metadata() { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  const ::kubexx::api::meta::v1::ObjectMetaDraft metadata() const { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  bool has_metadata() const { return place_[::kubexx::meta::NameId{2}].exists(); }
  void clear_metadata() { place_[::kubexx::meta::NameId{2}].erase(); }
  void set_metadata(const ::kubexx::api::meta::v1::ObjectMeta& value) { place_[::kubexx::meta::NameId{2}].set(value.as_value()); }
  PolicySpecDraft spec() { return PolicySpecDraft(place_[::kubexx::meta::NameId{3}]); }
  const PolicySpecDraft spec() const { return PolicySpecDraft(place_[::kubexx::meta::NameId{3}]); }
  bool has_spec() const { return place_[::kubexx::meta::NameId{3}].exists(); }
  void clear_spec() { place_[::kubexx::meta::NameId{3}].erase(); }
  void set_spec(const PolicySpec& value) { place_[::kubexx::meta::NameId{3}].set(value.as_value()); }
};

class PolicyDraft : public ::kubexx::api::DraftHolder, public PolicyDraftFields {
 public:
  PolicyDraft() : PolicyDraft(begin(Policy::kApiVersion, Policy::kKind)) {}
  explicit PolicyDraft(::kubexx::meta::Draft draft) : DraftHolder(std::move(draft)), PolicyDraftFields(draft_.root()) {}
  Policy to_object() const { return Policy::unchecked(draft_.to_object()); }
  PolicyDraft clone() const { return PolicyDraft(draft_.clone()); }
};
inline PolicyDraft Policy::edit() const { return PolicyDraft(Object::edit()); }

}  // namespace platform::v1
