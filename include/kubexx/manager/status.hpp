#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/election/leader_elector.hpp"

namespace kubexx::manager {

/// Where a component is on its way.
enum class ComponentState : std::uint8_t {
  NotStarted,
  Standby,  ///< it needs the leader, and this program does not lead
  Starting,
  Running,
  Stopping,
  Ended,
  Failed,
  Stuck,  ///< it has not ended within its deadline; nobody waits for it any more
};
KUBEXX_EXPORT std::string_view to_string(ComponentState state) noexcept;  ///< "not started", "standby", ...

/// A component, and why it is where it is.
struct ComponentStatus {
  std::string name = {};
  ComponentState state = ComponentState::NotStarted;
  TimePoint since{};  ///< of the executor's clock
  bool needs_leader = false;
  std::uint64_t runs = 0;                ///< begun
  std::optional<Error> last_error = {};  ///< of this run or one before
};

/// Where the whole is on its way.
enum class ManagerState : std::uint8_t { NotStarted, Starting, Running, Stopping, Ended };
KUBEXX_EXPORT std::string_view to_string(ManagerState state) noexcept;

/// A Manager at one moment.
struct KUBEXX_EXPORT ManagerStatus {
  ManagerState state = ManagerState::NotStarted;
  TimePoint since{};
  std::vector<ComponentStatus> components = {};                       ///< in the order of their start
  std::optional<election::ElectionStatus> election = {};              ///< absent: it stands for none
  std::optional<Error> reason = {};                                   ///< why it ends, where nobody asked it to
  const ComponentStatus* find(std::string_view name) const noexcept;  ///< null: there is none
};

}  // namespace kubexx::manager
