#pragma once

#include <string_view>

#include "apiserver/environment.hpp"
#include "apiserver/http/call.hpp"

namespace kubexx::apiserver {

/// What every answer carries.
HeaderFields base_headers(Environment& environment, std::string_view type);
/// Sends the answer in the form that was asked for, or a failure as a Status.
void respond(Environment& environment, const Call& call, Answer answer);
void respond(Environment& environment, const Call& call, const Error& error);

}  // namespace kubexx::apiserver
