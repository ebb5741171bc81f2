#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/meta/json.hpp"

namespace kubexx::meta {

namespace detail {
/// What objects say of which the server was asked for metadata alone; DecodeOptions::default_kind takes its place.
inline constexpr std::string_view kPartialObjectMetadata = "PartialObjectMetadata";
}  // namespace detail

/// What a projection says about the fields of one map. Lists are passed through: their elements have the node of the
/// list.
struct KUBEXX_HIDDEN Projection::Node {
  struct Field {
    std::string name;
    std::optional<NameId> id;
    bool keep = true;
    std::unique_ptr<Node> below;  // null: the whole value
  };
  struct Choice {
    bool keep = true;
    const Node* below = nullptr;
  };

  bool keep_others = false;
  std::vector<Field> fields;

  Choice choose(NameId id) const noexcept {
    for (const Field& field : fields) {
      if (field.id == id) return {field.keep, field.below.get()};
    }
    return {keep_others, nullptr};
  }
  Choice choose(std::string_view name) const noexcept {
    for (const Field& field : fields) {
      if (field.name == name) return {field.keep, field.below.get()};
    }
    return {keep_others, nullptr};
  }
};

}  // namespace kubexx::meta
