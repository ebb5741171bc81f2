#pragma once

#include <string_view>

namespace kubexx::httpd {

/// The token of an Authorization field of the scheme "Bearer", in whatever case that is written; empty without one.
std::string_view bearer_token(std::string_view authorization) noexcept;

/// Whether the texts are equal, in a time that does not tell where they differ.
bool same_secret(std::string_view a, std::string_view b) noexcept;

}  // namespace kubexx::httpd
