#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/http/call.hpp"
#include "apiserver/storage/storage.hpp"
#include "apiserver/storage/watch_hub.hpp"
#include "kubexx/apiserver/core.hpp"
#include "kubexx/apiserver/faults.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/random.hpp"

namespace kubexx::apiserver {

struct Cluster;

/// What lasts of the faults of watches: it also concerns watches to come.
struct WatchFault {
  WatchFilter filter{};
  int stalls = 0;
  int dropped_bookmarks = 0;
  Duration delay{};
};

/// What goes wrong at present.
struct Faults {
  /// The fault that hits this request.
  std::optional<Fault> strike(const Call& call, Random& random);
  /// What a new watch suffers from.
  void afflict(Watcher& watcher) const;

  std::uint64_t next_id = 1;
  std::list<std::pair<std::uint64_t, Fault>> requests;
  std::list<std::pair<std::uint64_t, WatchFault>> watches;
  std::vector<Timer> delayed;  ///< calls that a fault holds up
  // Of the control path.
  std::vector<Outage> lasting;
  std::optional<Storage::Snapshot> checkpoint;
  Core::ConnectionControl connections;
};

// See Core. An Outage takes the lock when it ends.
Outage add_fault(Cluster& cluster, Fault fault);
Outage disturb_watches(Cluster& cluster, const WatchFault& fault);
std::size_t end_watches(Cluster& cluster, const WatchFilter& filter, bool cut);
std::size_t inject(Cluster& cluster, std::string_view bytes, const WatchFilter& filter);
std::size_t truncate_watches(Cluster& cluster, const WatchFilter& filter);
void send_bookmarks(Cluster& cluster);

}  // namespace kubexx::apiserver
