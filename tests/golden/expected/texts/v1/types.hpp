// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/meta/v1.hpp"
#include "texts/v1/views.hpp"

namespace texts::v1 {

class NoteSpecDraft : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::string_view newline() const { return place_["newline"].string(); }
  bool has_newline() const { return place_["newline"].exists(); }
  void clear_newline() { place_["newline"].erase(); }
  void set_newline(std::string_view value) { place_["newline"].set(value); }
  std::string_view backslash() const { return place_["backslash"].string(); }
  bool has_backslash() const { return place_["backslash"].exists(); }
  void clear_backslash() { place_["backslash"].erase(); }
  void set_backslash(std::string_view value) { place_["backslash"].set(value); }
  std::string_view trigraph() const { return place_["trigraph"].string(); }
  bool has_trigraph() const { return place_["trigraph"].exists(); }
  void clear_trigraph() { place_["trigraph"].erase(); }
  void set_trigraph(std::string_view value) { place_["trigraph"].set(value); }
  std::string_view block() const { return place_["block"].string(); }
  bool has_block() const { return place_["block"].exists(); }
  void clear_block() { place_["block"].erase(); }
  void set_block(std::string_view value) { place_["block"].set(value); }
  std::string_view direction() const { return place_["direction"].string(); }
  bool has_direction() const { return place_["direction"].exists(); }
  void clear_direction() { place_["direction"].erase(); }
  void set_direction(std::string_view value) { place_["direction"].set(value); }
  std::string_view word() const { return place_["word"].string(); }
  bool has_word() const { return place_["word"].exists(); }
  void clear_word() { place_["word"].erase(); }
  void set_word(std::string_view value) { place_["word"].set(value); }
  std::string_view text() const { return place_["text"].string(); }
  bool has_text() const { return place_["text"].exists(); }
  void clear_text() { place_["text"].erase(); }
  void set_text(std::string_view value) { place_["text"].set(value); }
  std::string_view umlaut() const { return place_["umlaut"].string(); }
  bool has_umlaut() const { return place_["umlaut"].exists(); }
  void clear_umlaut() { place_["umlaut"].erase(); }
  void set_umlaut(std::string_view value) { place_["umlaut"].set(value); }
  std::string_view empty() const { return place_["empty"].string(); }
  bool has_empty() const { return place_["empty"].exists(); }
  void clear_empty() { place_["empty"].erase(); }
  void set_empty(std::string_view value) { place_["empty"].set(value); }
};

class NoteDraftFields : public ::kubexx::api::DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  ::kubexx::api::meta::v1::ObjectMetaDraft metadata() { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  const ::kubexx::api::meta::v1::ObjectMetaDraft metadata() const { return ::kubexx::api::meta::v1::ObjectMetaDraft(place_[::kubexx::meta::NameId{2}]); }
  bool has_metadata() const { return place_[::kubexx::meta::NameId{2}].exists(); }
  void clear_metadata() { place_[::kubexx::meta::NameId{2}].erase(); }
  void set_metadata(const ::kubexx::api::meta::v1::ObjectMeta& value) { place_[::kubexx::meta::NameId{2}].set(value.as_value()); }
  std::string_view name_() const { return place_[::kubexx::meta::NameId{6}].string(); }
  bool has_name_() const { return place_[::kubexx::meta::NameId{6}].exists(); }
  void clear_name_() { place_[::kubexx::meta::NameId{6}].erase(); }
  void set_name_(std::string_view value) { place_[::kubexx::meta::NameId{6}].set(value); }
  std::string_view namespace_2() const { return place_[::kubexx::meta::NameId{7}].string(); }
  bool has_namespace_2() const { return place_[::kubexx::meta::NameId{7}].exists(); }
  void clear_namespace_2() { place_[::kubexx::meta::NameId{7}].erase(); }
  void set_namespace_2(std::string_view value) { place_[::kubexx::meta::NameId{7}].set(value); }
  ::kubexx::api::ListDraft<std::string_view> labels_() { return ::kubexx::api::ListDraft<std::string_view>(place_[::kubexx::meta::NameId{12}]); }
  const ::kubexx::api::ListDraft<std::string_view> labels_() const { return ::kubexx::api::ListDraft<std::string_view>(place_[::kubexx::meta::NameId{12}]); }
  bool has_labels_() const { return place_[::kubexx::meta::NameId{12}].exists(); }
  void clear_labels_() { place_[::kubexx::meta::NameId{12}].erase(); }
  void set_labels_(::kubexx::meta::Value value) { place_[::kubexx::meta::NameId{12}].set(value); }
  std::string_view generation_() const { return place_[::kubexx::meta::NameId{10}].string(); }
  bool has_generation_() const { return place_[::kubexx::meta::NameId{10}].exists(); }
  void clear_generation_() { place_[::kubexx::meta::NameId{10}].erase(); }
  void set_generation_(std::string_view value) { place_[::kubexx::meta::NameId{10}].set(value); }
  std::string_view begin_() const { return place_["begin"].string(); }
  bool has_begin_() const { return place_["begin"].exists(); }
  void clear_begin_() { place_["begin"].erase(); }
  void set_begin_(std::string_view value) { place_["begin"].set(value); }
  std::string_view edit_() const { return place_["edit"].string(); }
  bool has_edit_() const { return place_["edit"].exists(); }
  void clear_edit_() { place_["edit"].erase(); }
  void set_edit_(std::string_view value) { place_["edit"].set(value); }
  NoteSpecDraft spec() { return NoteSpecDraft(place_[::kubexx::meta::NameId{3}]); }
  const NoteSpecDraft spec() const { return NoteSpecDraft(place_[::kubexx::meta::NameId{3}]); }
  bool has_spec() const { return place_[::kubexx::meta::NameId{3}].exists(); }
  void clear_spec() { place_[::kubexx::meta::NameId{3}].erase(); }
  void set_spec(const NoteSpec& value) { place_[::kubexx::meta::NameId{3}].set(value.as_value()); }
};

class NoteDraft : public ::kubexx::api::DraftHolder, public NoteDraftFields {
 public:
  NoteDraft() : NoteDraft(begin(Note::kApiVersion, Note::kKind)) {}
  explicit NoteDraft(::kubexx::meta::Draft draft) : DraftHolder(std::move(draft)), NoteDraftFields(draft_.root()) {}
  Note to_object() const { return Note::unchecked(draft_.to_object()); }
  NoteDraft clone() const { return NoteDraft(draft_.clone()); }
};
inline NoteDraft Note::edit() const { return NoteDraft(Object::edit()); }

}  // namespace texts::v1
