#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kubexx::apiserver {

/// The text as a gzip stream; nullopt when memory is short.
std::optional<std::string> gzip(std::string_view text);

}  // namespace kubexx::apiserver
