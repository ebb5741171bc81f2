// Written by kubexx-gen. Do not edit.
#pragma once

#include "kubexx/api/meta/v1/views.hpp"
#include "kubexx/api/support.hpp"
#include "kubexx/base/version.hpp"

static_assert(KUBEXX_VERSION_MAJOR == 0 && KUBEXX_VERSION_MINOR == 2,
              "written by kubexx-gen 0.2, and the library is another version: run its kubexx-gen");

namespace texts::v1 {

/// ends in a backslash \ .
class KUBEXX_POINTER NoteSpec : public ::kubexx::api::View {
 public:
  using View::View;
  /// one }; #error two #error three #error four
  std::string_view newline() const noexcept { return view_["newline"].string(); }
  bool has_newline() const noexcept { return view_["newline"].exists(); }
  /// C:\dir\ .
  std::string_view backslash() const noexcept { return view_["backslash"].string(); }
  bool has_backslash() const noexcept { return view_["backslash"].exists(); }
  /// really??/ .
  std::string_view trigraph() const noexcept { return view_["trigraph"].string(); }
  bool has_trigraph() const noexcept { return view_["trigraph"].exists(); }
  /// */ #error out /* in
  std::string_view block() const noexcept { return view_["block"].string(); }
  bool has_block() const noexcept { return view_["block"].exists(); }
  /// a } ;b c
  std::string_view direction() const noexcept { return view_["direction"].string(); }
  bool has_direction() const noexcept { return view_["direction"].exists(); }
  /// \\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\ .
  /// \\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\ .
  /// \\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\ .
  /// \\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\ .
  std::string_view word() const noexcept { return view_["word"].string(); }
  bool has_word() const noexcept { return view_["word"].exists(); }
  /// word0\\ word1\\ word2\\ word3\\ word4\\ word5\\ word6\\ word7\\ word8\\ word9\\ word10\\ word11\\ word12\\ .
  /// word13\\ word14\\ word15\\ word16\\ word17\\ word18\\ word19\\ word20\\ word21\\ word22\\ word23\\ word24\\ .
  /// word25\\ word26\\ word27\\ word28\\ word29\\ word30\\ word31\\ word32\\ word33\\ word34\\ word35\\ word36\\ .
  /// word37\\ word38\\ word39\\ word40\\ word41\\ word42\\ word43\\ word44\\ word45\\ word46\\ word47\\ word48\\ .
  /// word49\\ word50\\ word51\\ word52\\ word53\\ word54\\ word55\\ word56\\ word57\\ word58\\ word59\\ word60\\ .
  /// word61\\ word62\\ word63\\ word64\\ word65\\ word66\\ word67\\ word68\\ word69\\ word70\\ word71\\ word72\\ .
  /// word73\\ word74\\ word75\\ word76\\ word77\\ word78\\ word79\\ word80\\ word81\\ word82\\ word83\\ word84\\ .
  /// word85\\ word86\\ word87\\ word88\\ word89\\ word90\\ word91\\ word92\\ word93\\ word94\\ word95\\ word96\\ ...
  std::string_view text() const noexcept { return view_["text"].string(); }
  bool has_text() const noexcept { return view_["text"].exists(); }
  /// größer als 世界
  std::string_view umlaut() const noexcept { return view_["umlaut"].string(); }
  bool has_umlaut() const noexcept { return view_["umlaut"].exists(); }
  std::string_view empty() const noexcept { return view_["empty"].string(); }
  bool has_empty() const noexcept { return view_["empty"].exists(); }
};

class NoteDraft;

/// A note, as people write them. It goes on in a second paragraph, which is long enough that its words do not fit
/// into one line of a header and therefore stand in several.
class KUBEXX_OWNER Note : public ::kubexx::meta::Object {
 public:
  static constexpr std::string_view kApiVersion = "texts.example.com/v1";
  static constexpr std::string_view kKind = "Note";
  static constexpr ::kubexx::meta::ResourceInfo kResource{"texts.example.com", "v1", "Note", "notes", "note", true, false};
  /// The name of in_namespace() in listers: lister.notes("default").
  template <class Lister>
  struct ListerNames {
    auto notes(std::string space) const { return static_cast<const Lister&>(*this).in_namespace(std::move(space)); }
  };
  using Draft = NoteDraft;
  Note() = default;
  static Note unchecked(::kubexx::meta::Object object) { return Note(std::move(object)); }
  template <int = 0>
  static ::kubexx::Result<Note> from(::kubexx::meta::Object object) {
    auto checked = ::kubexx::api::checked(std::move(object), kApiVersion, kKind);
    if (!checked) return checked.error();
    return Note(std::move(*checked));
  }
  ::kubexx::api::meta::v1::ObjectMeta metadata() const noexcept KUBEXX_LIFETIMEBOUND { return ::kubexx::api::meta::v1::ObjectMeta((*this)[::kubexx::meta::NameId{2}]); }
  /// Not the name of the object.
  std::string_view name_() const noexcept KUBEXX_LIFETIMEBOUND { return (*this)[::kubexx::meta::NameId{6}].string(); }
  bool has_name_() const noexcept { return (*this)[::kubexx::meta::NameId{6}].exists(); }
  std::string_view namespace_2() const noexcept KUBEXX_LIFETIMEBOUND { return (*this)[::kubexx::meta::NameId{7}].string(); }
  bool has_namespace_2() const noexcept { return (*this)[::kubexx::meta::NameId{7}].exists(); }
  ::kubexx::api::List<std::string_view> labels_() const noexcept KUBEXX_LIFETIMEBOUND { return ::kubexx::api::List<std::string_view>((*this)[::kubexx::meta::NameId{12}]); }
  bool has_labels_() const noexcept { return (*this)[::kubexx::meta::NameId{12}].exists(); }
  std::string_view generation_() const noexcept KUBEXX_LIFETIMEBOUND { return (*this)[::kubexx::meta::NameId{10}].string(); }
  bool has_generation_() const noexcept { return (*this)[::kubexx::meta::NameId{10}].exists(); }
  std::string_view begin_() const noexcept KUBEXX_LIFETIMEBOUND { return (*this)["begin"].string(); }
  bool has_begin_() const noexcept { return (*this)["begin"].exists(); }
  std::string_view edit_() const noexcept KUBEXX_LIFETIMEBOUND { return (*this)["edit"].string(); }
  bool has_edit_() const noexcept { return (*this)["edit"].exists(); }
  /// ends in a backslash \ .
  NoteSpec spec() const noexcept KUBEXX_LIFETIMEBOUND { return NoteSpec((*this)[::kubexx::meta::NameId{3}]); }
  bool has_spec() const noexcept { return (*this)[::kubexx::meta::NameId{3}].exists(); }
  NoteDraft edit() const;

 private:
  explicit Note(::kubexx::meta::Object object) noexcept : Object(std::move(object)) {}
};

}  // namespace texts::v1
