#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/schema/patterns.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

/// What a version of a CustomResourceDefinition says.
struct CustomVersion {
  meta::Object definition;  ///< the whole CRD
  meta::Value version;      ///< its entry in spec.versions, borrowed from `definition`
  meta::Value schema;       ///< openAPIV3Schema; Absent: none
  bool preserve_unknown = false;
  std::vector<std::string> selectable_fields;  ///< "spec.color"
  std::shared_ptr<Patterns> patterns = std::make_shared<Patterns>();
};

}  // namespace kubexx::apiserver
