#pragma once

#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/value.hpp"

namespace kubexx::meta {

/// The values that a printer column's path leads to: ".spec.replicas", ".status.conditions[?(@.type=='Ready')].status",
/// "[0]", "[*]", "['key']". Nothing for what it does not understand.
KUBEXX_EXPORT std::vector<meta::Value> json_path(meta::Value root, std::string_view path);

}  // namespace kubexx::meta
