#include "apiserver/faults/faults.hpp"

#include <algorithm>

#include "apiserver/cluster.hpp"

namespace kubexx::apiserver {
namespace {

/// `sign` 1: the fault begins for this watch; -1: it ends.
void change(Watcher& watcher, const WatchFault& fault, int sign) {
  watcher.stalls = std::max(0, watcher.stalls + sign * fault.stalls);
  watcher.dropping_bookmarks = std::max(0, watcher.dropping_bookmarks + sign * fault.dropped_bookmarks);
  watcher.delay = std::max(Duration::zero(), watcher.delay + sign * fault.delay);
}

}  // namespace

std::optional<Fault> Faults::strike(const Call& call, Random& random) {
  for (auto it = requests.begin(); it != requests.end(); ++it) {
    Fault& fault = it->second;
    if (!fault.verb.empty() && fault.verb != call.route.verb) continue;
    if (!fault.resource.empty() && fault.resource != call.route.resource) continue;
    if (!fault.subresource.empty() && fault.subresource != call.route.subresource) continue;
    if (!fault.user_agent.empty() && call.request.header("user-agent").find(fault.user_agent) == std::string_view::npos)
      continue;
    if (fault.share < 1 && random.uniform() >= fault.share) continue;
    const Fault hit = fault;
    if (fault.times != std::numeric_limits<std::uint64_t>::max() && --fault.times == 0) requests.erase(it);
    return hit;
  }
  return std::nullopt;
}

void Faults::afflict(Watcher& watcher) const {
  for (const auto& [id, fault] : watches) {
    if (selects(fault.filter, watcher)) change(watcher, fault, 1);
  }
}

Outage add_fault(Cluster& cluster, Fault fault) {
  const std::uint64_t id = cluster.faults.next_id++;
  if (fault.times > 0) cluster.faults.requests.emplace_back(id, std::move(fault));
  return Outage(cluster.guard(
      [&cluster, id] { cluster.faults.requests.remove_if([&](const auto& entry) { return entry.first == id; }); }));
}

Outage disturb_watches(Cluster& cluster, const WatchFault& fault) {
  const std::uint64_t id = cluster.faults.next_id++;
  cluster.faults.watches.emplace_back(id, fault);
  for (const auto& watcher : cluster.hub.matching(fault.filter)) change(*watcher, fault, 1);
  return Outage(cluster.guard([&cluster, id, fault] {
    cluster.faults.watches.remove_if([&](const auto& entry) { return entry.first == id; });
    for (const auto& watcher : cluster.hub.matching(fault.filter)) {
      change(*watcher, fault, -1);
      if (fault.stalls > 0) cluster.hub.release(watcher);
    }
  }));
}

std::size_t end_watches(Cluster& cluster, const WatchFilter& filter, bool cut) {
  const auto found = cluster.hub.matching(filter);
  for (const auto& watcher : found) cut ? cluster.hub.abort(watcher->id) : cluster.hub.finish(watcher->id);
  return found.size();
}

std::size_t inject(Cluster& cluster, std::string_view bytes, const WatchFilter& filter) {
  const auto found = cluster.hub.matching(filter);
  const auto shared = std::make_shared<const std::string>(bytes);
  for (const auto& watcher : found) cluster.hub.write(*watcher, shared);
  return found.size();
}

std::size_t truncate_watches(Cluster& cluster, const WatchFilter& filter) {
  const auto found = cluster.hub.matching(filter);
  for (const auto& watcher : found) watcher->truncate_next = true;
  return found.size();
}

void send_bookmarks(Cluster& cluster) {
  for (const auto& watcher : cluster.hub.matching({})) {
    if (watcher->bookmarks) cluster.hub.send_bookmark(*watcher, false);
  }
}

}  // namespace kubexx::apiserver
