#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/testkit/fault_proxy.hpp"
#include "soak/journal.hpp"
#include "support/server_faults.hpp"

namespace kubexx::soak {

/// The connections of one program.
struct Link {
  testkit::FaultProxy* proxy = nullptr;
  /// Bytes may arrive late. Not those of a leader: a write that its guard let pass could arrive in the next term, which
  /// no guard prevents (docs/leader.md).
  bool may_delay = true;
};

/// Breaks something at random times, at most a few things at once, each for a random while. A new storm has a new rate.
///
/// Threads: one owner's.
class Faults {
 public:
  /// The server and the proxies must outlive it.
  Faults(apiserver::Server& server, std::vector<Link> links, Journal& journal, std::uint64_t seed);

  /// Chooses the rate of what comes.
  void begin_storm();
  /// Ends what is over and perhaps begins something.
  void step();
  void heal();

  const std::map<std::string, std::uint64_t>& counts() const noexcept { return counts_; }

 private:
  struct Active {
    std::string name = {};
    const Link* link = nullptr;  ///< null: of the server
    TimePoint until = {};
    apiserver::Outage outage = {};
  };
  void begin_on_server();
  void begin_on(const Link& link);
  apiserver::Outage break_link(const Link& link, std::string& name);
  void note(const std::string& name);
  void keep(std::string name, const Link* link, apiserver::Outage outage);

  Journal& journal_;
  Random random_;
  std::vector<NamedFault> kinds_;
  const std::vector<Link> links_;
  std::vector<Active> active_;
  double rate_ = 0;  // a second
  TimePoint last_;
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace kubexx::soak
