#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/rest/client.hpp"
#include "kubexx/testkit/in_process_transport.hpp"
#include "simulation/checked_handler.hpp"
#include "simulation/world.hpp"
#include "support/fixture_executor.hpp"

namespace kubexx::simulation {

struct Outcome {
  std::vector<std::string> problems;
  std::uint64_t digest = 0;  ///< of everything that happened; equal for equal seeds
};

/// A server core, a client on it and an informer with handlers, all on one executor, one thread and a virtual clock.
/// From the seed come the order of tasks, the writes, the faults, the handlers that come and go, and the ends of the
/// program, which comes back with the file of its cache.
///
/// Now and then everything is healed and the run waits until the cache and every handler have the server's state.
class Simulation {
 public:
  explicit Simulation(std::uint64_t seed, bool verbose = false);
  ~Simulation();
  Outcome run(int steps);

 private:
  // What may happen in a step.
  void step();
  void write();
  void work();
  void pass_time();
  void break_something();
  void break_a_watch();
  void break_a_request();
  void restore_the_server();
  void heal_something();
  void change_handlers();
  void change_scope();
  void restart();
  void toggle_definition();

  void heal_all();
  void settle();
  bool settled(std::string* why) const;
  void choose_options();
  void make_informer();
  void define(bool present);
  View server_view() const;  ///< of what the informer is to keep
  std::uint64_t pick(std::uint64_t bound) { return random_.below(bound); }
  bool chance(double p) { return random_.uniform() < p; }
  void note(const std::string& line);

  World world_;
  Random random_;
  FixtureExecutor executor_;
  std::unique_ptr<apiserver::Core> core_;
  std::shared_ptr<testkit::InProcessTransport> transport_;
  std::optional<rest::Client> client_;
  informer::InformerOptions options_;
  std::shared_ptr<informer::SharedIndexInformer> informer_;
  std::vector<std::shared_ptr<CheckedHandler>> handlers_;

  meta::GroupVersionResource resource_;
  bool custom_ = false;              // of a CRD, which is removed now and then
  bool defined_ = true;              // its CRD is there
  std::filesystem::path directory_;  // of the informer's cache file; empty: it has none
  std::vector<std::string> scope_;   // the informer's namespaces; none: all
  bool changes_scope_ = false;
  bool verifies_ = false;  // the informer compares itself with the server from time to time
  std::uint64_t writes_ = 0;
  std::uint64_t handlers_made_ = 0;
  std::vector<apiserver::Outage> outages_;
  std::shared_ptr<const apiserver::Core::Checkpoint> checkpoint_;
  /// After a rollback: the server must not pass this version before the informer had the chance to notice.
  std::optional<std::uint64_t> must_notice_before_;
};

}  // namespace kubexx::simulation
