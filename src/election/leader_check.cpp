#include "kubexx/election/leader_check.hpp"

#include <utility>

namespace kubexx::election {

HealthCheck leader_check(std::shared_ptr<const LeaderElector> elector, Duration tolerance) {
  return [elector = std::move(elector), tolerance]() -> Health {
    if (auto renewed = elector->check(tolerance); !renewed) return renewed.error();
    if (elector->is_leader()) return {};
    const auto leader = elector->leader();
    return Health::standby(leader.empty() ? "nobody is known to lead" : leader + " leads");
  };
}

}  // namespace kubexx::election
