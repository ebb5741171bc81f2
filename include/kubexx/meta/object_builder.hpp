#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// Writes a document front to back: what the JSON, YAML and protobuf decoders and drafts end in. Reusable: finish()
/// returns the object and leaves the builder empty with its buffers kept.
///
/// The caller keeps the grammar (a key before each value of a map, balanced begin/end); KUBEXX_ASSERT checks it.
/// A key written twice in one map: the last value wins.
///
/// Threads: not thread-safe.
/// Errors: a document that outgrew what the layout can address is one of finish(), and only there.
/// Example:
///
///     meta::ObjectBuilder builder;
///     builder.begin_map();
///     builder.key("kind");
///     builder.string("Pod");
///     builder.end_map();
///     auto made = builder.finish();
class KUBEXX_EXPORT ObjectBuilder {
 public:
  ObjectBuilder();
  ~ObjectBuilder();
  ObjectBuilder(ObjectBuilder&&) noexcept;
  ObjectBuilder& operator=(ObjectBuilder&&) noexcept;

  /// The document, from its beginning to its end: maps have a key before each value, lists have values.
  void begin_map();
  void key(NameId id);
  void key(std::string_view name);
  void end_map();
  void begin_list();
  void end_list();
  void null();
  void boolean(bool value);
  void integer(std::int64_t value);
  void real(double value);
  void string(std::string_view value);
  void copy(Value value);  ///< a whole value of another document

  /// Says that fields were dropped, and by which projection.
  void set_completeness(Completeness completeness, std::string_view projection_name = {});
  std::size_t bytes() const noexcept;  ///< written so far, for limits
  /// The document, or an Error when it outgrew what the layout can address (256 MB).
  Result<Object> finish();
  void clear() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::meta
