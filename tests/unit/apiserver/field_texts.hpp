#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/verbs/field_set.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {

inline meta::Object object_of(std::string_view json) {
  return meta::parse_json(json).value();
}

/// The set that fieldsV1 text stands for.
inline FieldSet set_of(std::string_view json) {
  return FieldSet::parse(object_of(json).root());
}

inline std::string text_of(const FieldSet& fields) {
  meta::ObjectBuilder out;
  fields.write(out);
  return meta::to_json(out.finish().value());
}

inline std::vector<std::string> paths_of(const FieldSet& fields) {
  std::vector<std::string> out;
  fields.paths(out);
  return out;
}

}  // namespace kubexx::apiserver
