#pragma once

#include <string>
#include <vector>

#include "codec/internal/schema.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/object_builder.hpp"

namespace kubexx::apiserver {

struct TypedResult {
  meta::Object object;
  std::vector<std::string> unknown;  ///< paths of fields that the type does not have; they were dropped
};

/// What a built-in object becomes when a server reads and writes it: fields in the order of its type, unknown ones
/// dropped, empty ones dropped or written as the type says, maps sorted. A field of the wrong type is an Error whose
/// message is that of the Go decoder.
Result<TypedResult> to_typed(const codec::TypeInfo& type, meta::Value value);

/// The same for an object that came to be here; without a type, and if it does not fit, it stays as it is.
meta::Object as_typed(const codec::TypeInfo* type, const meta::Object& object);

/// The same for a value inside an object; errors and unknown fields are ignored.
void append_typed(const codec::TypeInfo& type, meta::Value value, meta::ObjectBuilder& out);

/// Whether the value has more than about so many bytes as text. In memory equal strings are kept once, so that defaults
/// and copies make texts of any size from little.
bool exceeds(meta::Value value, std::size_t bytes);

}  // namespace kubexx::apiserver
