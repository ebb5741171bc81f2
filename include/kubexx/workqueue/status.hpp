#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"

namespace kubexx::workqueue {

/// The state of one queue at one moment.
struct QueueStatus {
  std::string name = {};
  std::size_t depth = 0;       ///< waiting to be handed out
  std::size_t processing = 0;  ///< handed out and not done
  std::size_t delayed = 0;     ///< to be added later
  std::size_t remembered = 0;  ///< items with requeues that nobody forgot yet
  std::uint64_t adds = 0;
  std::uint64_t retries = 0;
  Duration unfinished{};       ///< time spent so far on all that is being processed; 0 in a queue without a name
  Duration longest_running{};  ///< the same for the one that runs longest
  bool shutting_down = false;
};

/// Every queue of the process that has a name and is alive, in the order of creation.
KUBEXX_EXPORT std::vector<QueueStatus> live_queues();

}  // namespace kubexx::workqueue
