#pragma once

#include <cstddef>
#include <string_view>

#include "kubexx/base/export.hpp"

namespace kubexx {

/// How many single-byte insertions, removals and replacements lead from one word to the other. For suggestions.
KUBEXX_EXPORT_INTERNAL std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace kubexx
