#pragma once

#include <string>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx {

/// Standard alphabet with padding (RFC 4648), as Kubernetes writes bytes in JSON.
KUBEXX_EXPORT_INTERNAL std::string base64_encode(std::string_view bytes);
void base64_append(std::string& out, std::string_view bytes);
/// White space is skipped; anything else outside the alphabet, and wrong padding, is an Error.
KUBEXX_EXPORT_INTERNAL Result<std::string> base64_decode(std::string_view text);

}  // namespace kubexx
