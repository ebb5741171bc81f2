#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kubexx/apiserver/server.hpp"

namespace kubexx {

/// Something that can go wrong; what happens at once gives an Outage that is over.
struct NamedFault {
  std::string name = {};
  std::function<apiserver::Outage()> begin = {};
};

/// Everything that the embedded server can do to its clients. Left out is only going back to an older state, after
/// which much is right that is wrong otherwise: a second create, a version that falls.
inline std::vector<NamedFault> server_faults(apiserver::Server& server) {
  using apiserver::Fault;
  using std::chrono::milliseconds;
  apiserver::Core& core = server.core();
  const auto fault = [&core](Fault f) { return [&core, f] { return core.add_fault(f); }; };
  const auto now = [](std::function<void()> what) {
    return [what = std::move(what)] {
      what();
      return apiserver::Outage();
    };
  };
  return {
      {"500", fault({.share = 0.3, .status = 500})},
      {"503", fault({.share = 0.3, .status = 503})},
      {"429", fault({.share = 0.3, .times = 2, .status = 429, .retry_after = 1})},
      {"504", fault({.share = 0.3, .status = 504})},
      {"conflict", fault({.resource = "deployments", .share = 0.3, .status = 409})},
      {"late answer", fault({.share = 0.2, .delay = milliseconds(50)})},
      {"cut answer", fault({.share = 0.3, .truncate_after = 20})},
      {"corrupt answer", fault({.share = 0.3, .corrupt_at = 0})},
      {"no answer", fault({.share = 0.3, .reset = true})},
      {"create without answer", fault({.verb = "create", .resource = "deployments", .truncate_after = 0})},
      {"watches refused", [&core] { return core.interrupt_watches(); }},
      {"watches stall", [&core] { return core.stall_watches(); }},
      {"watches late", [&core] { return core.delay_watches(milliseconds(100)); }},
      {"no bookmarks", [&core] { return core.drop_bookmarks(); }},
      {"server refuses", [&server] { return server.refuse_connections(); }},
      {"watches end", now([&core] { core.end_watches(); })},
      {"watches cut", now([&core] { core.cut_watches(); })},
      {"garbage", now([&core] { core.inject("garbage\n"); })},
      {"half a frame", now([&core] { core.truncate_watches(); })},
      {"compaction", now([&core] { core.compact_history(); })},
      {"connections dropped", now([&server] { server.drop_connections(); })},
      {"server restart", now([&server] { server.restart().value(); })},
  };
}

}  // namespace kubexx
