#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"

namespace kubexx::meta {

/// The API server's rules for names. Each function answers what is wrong with the text, in the server's words, or
/// nothing when it is valid.
using Complaints = std::vector<std::string>;

inline constexpr std::size_t kMaxLabelLength = 63;       ///< DNS label, label value, name part of a label key
inline constexpr std::size_t kMaxSubdomainLength = 253;  ///< DNS subdomain: most object names

KUBEXX_EXPORT Complaints check_dns1123_label(std::string_view text);      ///< namespaces, container names
KUBEXX_EXPORT Complaints check_dns1123_subdomain(std::string_view text);  ///< most object names
KUBEXX_EXPORT Complaints check_dns1035_label(std::string_view text);      ///< services
KUBEXX_EXPORT Complaints check_path_segment(std::string_view text);  ///< RBAC object names: anything that fits a URL
/// A label or annotation key, finalizer: "name" or "prefix.example.com/name".
KUBEXX_EXPORT Complaints check_qualified_name(std::string_view text);
KUBEXX_EXPORT Complaints check_label_value(std::string_view text);

/// The complaints as one text, joined by "; ".
KUBEXX_EXPORT std::string join_complaints(const Complaints& complaints);

}  // namespace kubexx::meta
