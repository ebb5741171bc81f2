#pragma once

#include <chrono>
#include <memory>

#include "kubexx/base/export.hpp"
#include "kubexx/base/health.hpp"
#include "kubexx/election/leader_elector.hpp"

namespace kubexx::election {

/// A check of an elector, for liveness and readiness: it fails when this program leads and could not renew for longer
/// than the lease and the tolerance, and says standby, with who leads, while it does not lead.
///
/// Threads: the check is safe from any thread, and asks nobody. It holds the elector.
/// Errors: none of its own; what it finds is a Health.
/// Example:
///
///     HealthChecks checks;
///     auto registration = checks.add("leader", HealthProbe::Both, election::leader_check(elector));
KUBEXX_EXPORT HealthCheck leader_check(std::shared_ptr<const LeaderElector> elector,
                                       Duration tolerance = std::chrono::seconds(20));

}  // namespace kubexx::election
