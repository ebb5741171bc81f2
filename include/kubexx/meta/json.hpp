#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// Which fields a decoder keeps. What is dropped is never allocated. A handle, cheap to copy.
class KUBEXX_EXPORT Projection {
 public:
  Projection();  ///< without_managed_fields(), the default of caches
  /// Keeps everything; or everything but managedFields, which is what informers do unless told otherwise.
  static Projection full();
  static Projection without_managed_fields();
  static Projection metadata_only();  ///< apiVersion, kind and metadata without managedFields
  /// For a server that sends metadata alone: what this one keeps of it, and no object that it gives counts as whole.
  Projection of_metadata() const;
  /// Field paths like "spec.nodeName" or "status.containerStatuses.state"; lists are passed through. apiVersion, kind,
  /// and metadata name, namespace, uid, resourceVersion are always kept. Bad paths are an Error.
  static Result<Projection> paths(std::vector<std::string> paths);

  /// What it is called, what an object that was read with it lacks, and whether managedFields are among that.
  std::string_view name() const noexcept;
  Completeness completeness() const noexcept;
  bool drops_managed_fields() const noexcept;
  struct Node;  // a trie of field names, src/meta/internal/projection.hpp
  /// For decoders.
  const Node* tree() const noexcept;  // null: everything
  friend bool operator==(const Projection& a, const Projection& b) noexcept;

 private:
  struct Data;
  explicit Projection(std::shared_ptr<const Data> data);
  std::shared_ptr<const Data> data_;
};
KUBEXX_EXPORT bool operator==(const Projection& a, const Projection& b) noexcept;

/// What becomes of a key that a map has twice.
enum class DuplicateKeys { LastWins, Reject };

/// What a decoder accepts, keeps and refuses.
struct DecodeOptions {
  Projection projection = Projection::full();
  std::size_t max_bytes = 8 << 20;  ///< of one object's text
  int max_depth = 256;
  DuplicateKeys duplicates = DuplicateKeys::LastWins;
  /// apiVersion and kind for objects that do not say (list items) or say PartialObjectMetadata, which is how they were
  /// asked for and not what they are; empty: leave as is.
  std::string default_api_version = {};
  std::string default_kind = {};
};

/// Turns the JSON text of one value into an Object. Keeps its buffers between calls.
///
/// Threads: one at a time: one decoder per thread or strand.
/// Errors: of kind Decode, with the byte where it went wrong: text that is no JSON, and the limits of the options.
/// Example:
///
///     meta::JsonDecoder decoder({.projection = meta::Projection::metadata_only()});
///     auto decoded = decoder.decode(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}})");
///     if (decoded) greet(decoded->name());
class KUBEXX_EXPORT JsonDecoder {
 public:
  explicit JsonDecoder(DecodeOptions options = {});
  ~JsonDecoder();
  JsonDecoder(JsonDecoder&&) noexcept;
  JsonDecoder& operator=(JsonDecoder&&) noexcept;
  /// One document; an Error says where in the text it is wrong.
  Result<Object> decode(std::string_view json);
  /// For the next document.
  DecodeOptions& options() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One-off decoding: any JSON value; errors say where (byte offset).
KUBEXX_EXPORT Result<Object> parse_json(std::string_view json, const DecodeOptions& options = {});
/// A literal of the program: duplicate keys are an Error, and the Error is thrown. For tests and constants.
KUBEXX_EXPORT Object object_from_json(std::string_view json);

KUBEXX_EXPORT std::string to_json(Value value);         ///< compact
KUBEXX_EXPORT std::string to_json_pretty(Value value);  ///< indented by two
inline std::string to_json(const Object& object) {
  return to_json(object.root());
}
inline std::string to_json_pretty(const Object& object) {
  return to_json_pretty(object.root());
}
/// Writes the value behind what is there.
KUBEXX_EXPORT void append_json(std::string& out, Value value);
KUBEXX_EXPORT void append_json_string(std::string& out,
                                      std::string_view text);  ///< quoted and escaped as Go does without HTML

}  // namespace kubexx::meta
