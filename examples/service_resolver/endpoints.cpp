#include "endpoints.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

namespace service_resolver {

using kubexx::api::core::v1::Service;
using kubexx::api::discovery::v1::EndpointSlice;

namespace {

struct Candidate {
  Endpoint endpoint;
  bool ready = false;
  bool serving = false;
  std::vector<std::string> for_zones;
};

using Address = std::pair<std::string, std::uint16_t>;

Address address_of(const Endpoint& endpoint) {
  return {endpoint.address, endpoint.port};
}

/// A slice that a Service of the same name made which is not there any more waits for the garbage collector. One that
/// nobody owns was written by hand, for a Service without a selector.
bool is_of(const Service& service, const EndpointSlice& slice) {
  for (const auto& owner : slice.metadata().owner_references()) {
    if (owner.kind() == "Service") return owner.uid() == service.uid();
  }
  return true;
}

std::optional<std::uint16_t> port_of(const EndpointSlice& slice, const std::string& name) {
  for (const auto& port : slice.ports()) {
    if (port.port() <= 0 || port.port() > 65535) continue;
    if (name.empty() || port.name() == name) return static_cast<std::uint16_t>(port.port());
  }
  return std::nullopt;
}

/// Keeps those that the filter wants, unless there would be none: then all stay.
template <class Filter>
void prefer(std::vector<Candidate>& candidates, Filter wanted) {
  if (std::any_of(candidates.begin(), candidates.end(), wanted)) std::erase_if(candidates, std::not_fn(wanted));
}

}  // namespace

std::string Endpoint::target() const {
  const bool v6 = address.find(':') != std::string::npos;
  return (v6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

Endpoints merge(const Service& service, const std::vector<EndpointSlice>& slices, const Question& question) {
  if (!service) return {};
  std::map<Address, Candidate> found;
  for (const auto& slice : slices) {
    if (!is_of(service, slice)) continue;
    if (!question.family.empty() && slice.address_type() != question.family) continue;
    const auto port = port_of(slice, question.port);
    if (!port) continue;
    for (const auto& each : slice.endpoints()) {
      const auto conditions = each.conditions();
      Candidate candidate;
      candidate.ready = !conditions.has_ready() || conditions.ready();  // what is not said is taken for ready
      candidate.serving = conditions.has_serving() ? conditions.serving() : candidate.ready;
      for (const auto& zone : each.hints().for_zones()) candidate.for_zones.emplace_back(zone.name());
      for (const auto address : each.addresses()) {
        candidate.endpoint = {std::string(address), *port, std::string(each.zone()), std::string(each.node_name()),
                              conditions.terminating()};
        // While an address moves from slice to slice both have it, and one of them may be behind.
        const auto [there, is_new] = found.try_emplace(address_of(candidate.endpoint), candidate);
        const auto rank = [](const Candidate& c) { return std::tuple(c.ready, c.serving); };
        if (!is_new && rank(there->second) < rank(candidate)) there->second = candidate;
      }
    }
  }

  std::vector<Candidate> usable;
  for (auto& [address, candidate] : found) {
    if (candidate.ready || candidate.serving) usable.push_back(std::move(candidate));
  }
  prefer(usable, [](const Candidate& c) { return c.ready; });
  const auto has_hints = [](const Candidate& c) { return !c.for_zones.empty(); };
  if (!question.zone.empty() && std::all_of(usable.begin(), usable.end(), has_hints)) {
    prefer(usable, [&](const Candidate& c) {
      return std::find(c.for_zones.begin(), c.for_zones.end(), question.zone) != c.for_zones.end();
    });
  }
  Endpoints result;
  for (auto& candidate : usable) result.push_back(std::move(candidate.endpoint));
  return result;
}

Difference compare(const Endpoints& before, const Endpoints& after) {
  Difference difference;
  auto old = before.begin();
  for (const auto& endpoint : after) {
    while (old != before.end() && address_of(*old) < address_of(endpoint)) difference.removed.push_back(*old++);
    if (old == before.end() || address_of(*old) != address_of(endpoint)) {
      difference.added.push_back(endpoint);
    } else if (*old++ != endpoint) {
      difference.changed.push_back(endpoint);
    }
  }
  difference.removed.insert(difference.removed.end(), old, before.end());
  return difference;
}

}  // namespace service_resolver
