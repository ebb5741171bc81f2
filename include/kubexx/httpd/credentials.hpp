#pragma once

#include <string_view>

#include "kubexx/base/export.hpp"

namespace kubexx::httpd {

/// The token of an Authorization field of the scheme "Bearer", in whatever case that is written; empty without one.
KUBEXX_EXPORT std::string_view bearer_token(std::string_view authorization) noexcept;

/// Whether the texts are equal, in a time that does not tell where they differ.
KUBEXX_EXPORT bool same_secret(std::string_view a, std::string_view b) noexcept;

}  // namespace kubexx::httpd
