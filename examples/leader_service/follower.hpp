#pragma once

#include <stop_token>

#include "kubexx/rest/client.hpp"

namespace leader_service {

/// Asks the leader, whoever that is, to count, and prints what it says; until the token fires.
kubexx::Result<void> follow(const kubexx::rest::Client& client, const std::stop_token& stop);

}  // namespace leader_service
