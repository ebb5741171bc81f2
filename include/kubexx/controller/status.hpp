#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/error.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/workqueue/status.hpp"

namespace kubexx::controller {

/// Where a controller is on its way.
enum class ControllerState : std::uint8_t { NotStarted, Syncing, Working, Draining, Ended };
KUBEXX_EXPORT std::string_view to_string(ControllerState state) noexcept;

/// One controller at one moment.
struct ControllerStatus {
  std::string name = {};
  ControllerState state = ControllerState::NotStarted;
  std::vector<std::string> sources = {};  ///< names of the informers it listens to, its own kind first
  workqueue::QueueStatus queue = {};
  std::size_t workers = 0;
  std::size_t active = 0;        ///< reconciles running
  std::uint64_t reconciles = 0;  ///< ended, whatever came out
  std::uint64_t requeues = 0;    ///< of them: asked to be called again
  std::uint64_t errors = 0;      ///< of them: failed, gave up or threw
  std::uint64_t timeouts = 0;    ///< of them: took longer than they may
  std::optional<Error> last_error = {};
  std::string last_error_key = {};
};

/// Every controller of the process that is alive, in the order of creation.
KUBEXX_EXPORT std::vector<ControllerStatus> live_controllers();

}  // namespace kubexx::controller
