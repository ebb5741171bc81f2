#pragma once

#include <optional>
#include <string_view>

#include "kubexx/meta/time.hpp"

namespace kubexx::rest {

/// Until when a token says it holds: the claim "exp" of a JWT, as service accounts have them. Nothing is verified; it
/// is for words to people alone. Absent for every other token.
std::optional<meta::Time> expiry_of_token(std::string_view token);

}  // namespace kubexx::rest
