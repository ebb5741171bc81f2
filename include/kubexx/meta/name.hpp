#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kubexx/base/export.hpp"

namespace kubexx::meta {

/// A field name that the library knows (src/meta/document/field_names.inc). Ids never change their meaning, so
/// generated code may contain them. Names outside that list are stored with the object that has them: strangers cannot
/// fill a table.
enum class NameId : std::uint16_t {};

/// The id of a field name that the library knows.
KUBEXX_EXPORT std::optional<NameId> find_name(std::string_view name) noexcept;
KUBEXX_EXPORT std::string_view name_text(NameId id) noexcept;  ///< empty for an id that does not exist
/// How many names it knows.
KUBEXX_EXPORT std::size_t name_count() noexcept;

}  // namespace kubexx::meta
