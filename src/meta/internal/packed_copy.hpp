#pragma once

#include <string>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta::detail {

/// The bytes of a document and of the fragments it names, to find out later whether somebody wrote into them.
KUBEXX_EXPORT_INTERNAL std::string packed_copy(const Object& object);
KUBEXX_EXPORT_INTERNAL bool equals_packed_copy(const Object& object, std::string_view copy) noexcept;

}  // namespace kubexx::meta::detail
