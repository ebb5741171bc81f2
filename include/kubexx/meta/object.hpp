#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/lifetime.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/value.hpp"

namespace kubexx::meta {

class Draft;
struct GroupVersionKind;

namespace detail {
struct Document;  // header of the packed bytes, src/meta/document/layout.hpp
KUBEXX_EXPORT_INTERNAL void retain(const Document* document) noexcept;
KUBEXX_EXPORT_INTERNAL void release(const Document* document) noexcept;
}  // namespace detail

/// How an object was cut while it was decoded. What is not Full (or WithoutManagedFields) must not be sent back as a
/// whole. Transformed: it came by protobuf with fields that the schema does not know.
enum class Completeness : std::uint8_t { Full, WithoutManagedFields, MetadataOnly, SelectedPaths, Transformed };
KUBEXX_EXPORT std::string_view to_string(Completeness completeness) noexcept;

/// An immutable, reference-counted Kubernetes object (or any JSON document) in one packed allocation. A handle: copying
/// copies a pointer. A null handle is valid, and every accessor on it answers as on an empty object.
///
/// Threads: the document never changes, so any number of threads may read it; a handle itself is like a shared_ptr.
/// Errors: none; what is not there reads as empty. Value::require_string() and its like say what stands there instead.
/// Example:
///
///     for (const auto& [key, value] : object.labels()) greet(key, value.string());
///     const auto image = object.at("/spec/containers/0/image").string();  // borrowed from the object
///     auto draft = object.edit();
class KUBEXX_EXPORT KUBEXX_OWNER Object {
 public:
  constexpr Object() noexcept = default;
  Object(const Object& other) noexcept : document_(other.document_) {
    if (document_) detail::retain(document_);
  }
  Object(Object&& other) noexcept : document_(other.document_) { other.document_ = nullptr; }
  Object& operator=(Object other) noexcept {
    std::swap(document_, other.document_);
    return *this;
  }
  ~Object() {
    if (document_) detail::release(document_);
  }

  explicit operator bool() const noexcept { return document_ != nullptr; }
  /// The whole document.
  Value root() const noexcept KUBEXX_LIFETIMEBOUND;
  Value operator[](std::string_view key) const noexcept KUBEXX_LIFETIMEBOUND { return root()[key]; }
  Value operator[](NameId key) const noexcept KUBEXX_LIFETIMEBOUND { return root()[key]; }
  Value operator[](const char* key) const noexcept KUBEXX_LIFETIMEBOUND { return root()[std::string_view(key)]; }
  /// What a JSON pointer leads to; absent where it leads nowhere.
  Value at(std::string_view json_pointer) const noexcept KUBEXX_LIFETIMEBOUND { return root().at(json_pointer); }

  /// What the object says of itself; empty where it does not.
  std::string_view api_version() const noexcept KUBEXX_LIFETIMEBOUND;
  std::string_view kind() const noexcept KUBEXX_LIFETIMEBOUND;
  GroupVersionKind gvk() const;

  /// Fields of its metadata, borrowed from the object. Absent ones are empty; names, namespace and versions are as the
  /// server wrote them.
  Value metadata_value() const noexcept KUBEXX_LIFETIMEBOUND;
  bool has_metadata() const noexcept { return metadata_value().is_map(); }
  std::string_view name() const noexcept KUBEXX_LIFETIMEBOUND;
  std::string_view namespace_() const noexcept KUBEXX_LIFETIMEBOUND;
  std::string key() const;  ///< "namespace/name", or "name" of a cluster-wide object: under which caches have it
  /// Who it is for ever, its version, the beginning of a generated name, and when it was made.
  std::string_view uid() const noexcept KUBEXX_LIFETIMEBOUND;
  std::string_view resource_version() const noexcept KUBEXX_LIFETIMEBOUND;
  std::string_view generate_name() const noexcept KUBEXX_LIFETIMEBOUND;
  std::string_view creation_timestamp() const noexcept KUBEXX_LIFETIMEBOUND;
  std::string_view deletion_timestamp() const noexcept KUBEXX_LIFETIMEBOUND;  ///< empty: not being deleted
  /// Counts changes of the spec; and maps and lists of the metadata, which may be empty.
  std::int64_t generation() const noexcept;
  MapView labels() const noexcept KUBEXX_LIFETIMEBOUND;
  MapView annotations() const noexcept KUBEXX_LIFETIMEBOUND;
  ListView owner_references() const noexcept KUBEXX_LIFETIMEBOUND;
  ListView finalizers() const noexcept KUBEXX_LIFETIMEBOUND;

  /// What it lacks on purpose: a projection drops fields while objects are read.
  Completeness completeness() const noexcept;
  std::string_view projection_name() const noexcept
      KUBEXX_LIFETIMEBOUND;                ///< what cut it, for messages; empty when whole
  std::size_t byte_size() const noexcept;  ///< bytes this document has for itself, header included
  /// Bytes of its parts that stand once for it and others (fragment_memory.hpp): alone it would have them too.
  std::size_t shared_bytes() const noexcept;

  /// A mutable copy with the same reading; see draft.hpp.
  Draft edit() const;

  /// Whether both are handles of one document, without a look at the contents.
  bool same_document(const Object& other) const noexcept { return document_ == other.document_; }
  /// The packed bytes, for the mutation detector and for hashing. Their layout is private.
  std::string_view raw_bytes() const noexcept KUBEXX_LIFETIMEBOUND;
  /// Deep comparison of the contents.
  friend bool operator==(const Object& a, const Object& b) noexcept { return a.root() == b.root(); }

 private:
  friend struct detail::Access;
  explicit Object(const detail::Document* document) noexcept : document_(document) {}
  const detail::Document* document_ = nullptr;
};

/// Paths (JSON pointers) at which two values differ, at most `limit`; a changed subtree of another type counts once.
/// Lists are compared by position.
KUBEXX_EXPORT std::vector<std::string> diff_paths(Value before, Value after, std::size_t limit = 1000);

}  // namespace kubexx::meta
