#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inspect/prober.hpp"
#include "inspect/target.hpp"
#include "kubexx/base/health.hpp"

namespace kubexx::inspect {

/// What a probe asks: /healthz, /livez or /readyz, with "/NAME" for one check, ?verbose, and ?exclude=NAME.
struct HealthQuery {
  HealthProbe probe = HealthProbe::Liveness;
  std::string page;  ///< "readyz"
  std::string only;  ///< empty: every check
  std::vector<std::string> excluded;
  bool verbose = false;

  static std::optional<HealthQuery> parse(const Target& target);  ///< absent: the path is another one
};

struct HealthText {
  int status = 200;
  std::string body;  ///< as Kubernetes' own components write it
};

/// `reasons`: also why checks failed. A standby passes if it `standby_is_ready`.
HealthText health_text(const HealthQuery& query, const HealthReport& report, bool reasons, bool standby_is_ready);

}  // namespace kubexx::inspect
