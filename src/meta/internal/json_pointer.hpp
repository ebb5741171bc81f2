#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kubexx/meta/value.hpp"

namespace kubexx::meta::detail {

/// One token of a JSON pointer with ~0 and ~1 resolved; nullopt when a tilde stands alone.
std::optional<std::string> unescape_token(std::string_view token);
void append_token(std::string& pointer, std::string_view token);

/// "0", "17", not "01" or "-": RFC 6901's array index.
std::optional<std::size_t> parse_index(std::string_view token) noexcept;

/// The member or element that a raw token names.
Value step(Value here, std::string_view token) noexcept;

}  // namespace kubexx::meta::detail
