#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubexx/meta/object.hpp"

namespace kubexx::inspect {

/// A line of an object's YAML.
struct YamlLine {
  std::string text;
  bool changed = false;  ///< by the update
  std::string was = {};  ///< the value before, of a changed scalar
};

struct YamlView {
  std::vector<YamlLine> lines;
  bool secret = false;  ///< it has values that are masked unless revealed
};

/// The object as YAML, line by line, with what an update changed marked. `before` null: nothing is marked. The data of
/// a Secret, and the copy of it that `kubectl apply` keeps in an annotation, is masked unless `reveal`.
YamlView render_yaml(const meta::Object& object, const meta::Object& before, bool reveal);

}  // namespace kubexx::inspect
