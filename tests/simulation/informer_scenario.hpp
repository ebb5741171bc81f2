#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/testkit/simulation.hpp"
#include "simulation/checked_handler.hpp"
#include "simulation/world.hpp"

namespace kubexx::simulation {

/// An informer with handlers that come and go. Objects, in half of the seeds with much in common, are written and
/// removed, the server is restored from a backup, the definition of the resource goes and comes, the scope changes, and
/// the program ends, well or at once, and comes back with the file of its cache.
///
/// At quiet points the cache, its namespace index and every handler have what the server has.
class InformerScenario : public testkit::Scenario {
 public:
  explicit InformerScenario(testkit::Simulation& simulation);
  ~InformerScenario() override;

  std::vector<testkit::SimulationStep> steps() override;
  testkit::SimulationWeights weights() const override;
  void heal() override;
  std::string unsettled() override;

 private:
  // What may happen in a step.
  void write(Random& random);
  void checkpoint_or_restore(Random& random);
  void toggle_definition();
  void change_handlers(Random& random);
  void change_scope(Random& random);
  void restart(Random& random);

  void choose_options(Random& random);
  void make_informer(Random& random);
  void restore_the_server();
  void define(bool present);
  View server_view() const;  ///< of what the informer is to keep
  /// What is missing; empty: nothing.
  std::string missing() const;

  testkit::Simulation& simulation_;
  World world_;
  std::shared_ptr<testkit::SimulatedProgram> program_;
  informer::InformerOptions options_;
  std::shared_ptr<informer::SharedIndexInformer> informer_;
  std::vector<std::shared_ptr<CheckedHandler>> handlers_;

  meta::GroupVersionResource resource_;
  bool custom_ = false;              // of a CRD, which is removed now and then
  bool defined_ = true;              // its CRD is there
  bool alike_ = false;               // objects have labels and texts in common, which stand once in memory
  std::filesystem::path directory_;  // of the informer's cache file; empty: it has none
  std::vector<std::string> scope_;   // the informer's namespaces; none: all
  bool changes_scope_ = false;
  bool verifies_ = false;  // the informer compares itself with the server from time to time
  std::uint64_t writes_ = 0;
  std::uint64_t handlers_made_ = 0;
  std::shared_ptr<const apiserver::Core::Checkpoint> checkpoint_;
  /// After a rollback: the server must not pass this version before the informer had the chance to notice.
  std::optional<std::uint64_t> must_notice_before_;
};

}  // namespace kubexx::simulation
