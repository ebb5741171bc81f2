#pragma once

#include <compare>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::meta {

/// A resourceVersion that can be compared: decimal digits, at least one, of any length.
KUBEXX_EXPORT bool is_comparable_resource_version(std::string_view version) noexcept;

/// Orders two versions of the same resource as decimal numbers of any length; leading zeros do not count. Anything that
/// is not a decimal number is an Error: such versions can only be compared for equality.
KUBEXX_EXPORT Result<std::strong_ordering> compare_resource_versions(std::string_view a, std::string_view b);

}  // namespace kubexx::meta
