#pragma once

#include <cstdint>

#include "base/internal/trace_span.hpp"
#include "rest/client_impl.hpp"

namespace kubexx::rest {

TraceSpan begin_request_span(const Client::Impl& client, const Request& request, Verb verb);
/// `status` 0: there was no answer.
TraceAttributes request_end_attributes(int status, int attempts, std::uint64_t received, const Error* error);

}  // namespace kubexx::rest
