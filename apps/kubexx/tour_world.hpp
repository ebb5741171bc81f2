#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "demo_cluster.hpp"
#include "kubexx/apiserver/core.hpp"
#include "kubexx/informer/shared_informer.hpp"

namespace kubexx::app {

/// One informer at one moment, and how its first handler was called until then.
struct InformerPicture {
  std::string name;  ///< "pods"
  informer::InformerStatus status;
  std::uint64_t by_watch = 0;   ///< calls since the server said so
  std::uint64_t by_relist = 0;  ///< calls since a new list was different from the cache
};

/// All of them: pods, nodes, deployments, foos.
class Picture {
 public:
  explicit Picture(std::vector<InformerPicture> informers) : informers_(std::move(informers)) {}
  const std::vector<InformerPicture>& informers() const noexcept { return informers_; }
  const InformerPicture& of(std::string_view name) const;
  bool all_watch() const;

 private:
  std::vector<InformerPicture> informers_;
};

/// What the steps of the tour act on and look at: the demo's cluster, four informers, and for pods two handlers, of
/// which one ("slow") can be made slow. The destructor ends the informers and what is still broken.
class TourWorld {
 public:
  static Result<std::unique_ptr<TourWorld>> start(DemoCluster& cluster, const std::stop_token& stop);
  ~TourWorld();

  DemoCluster& cluster();
  apiserver::Core& core();
  const std::stop_token& stop() const;
  std::string page_url() const;

  Picture look() const;
  /// What was seen when the step began.
  const Picture& before() const;
  void begin_step();

  /// How many objects that are newer than the backup the caches have; each is labeled with kNewer.
  std::size_t newer_objects() const;
  static constexpr const char* kNewer = "after-the-backup";
  /// From now on each call of the slow handler takes a second, until it is told otherwise.
  void slow_down();
  void speed_up();

  // What a step leaves for a later one.
  apiserver::Outage outage;
  std::shared_ptr<const apiserver::Core::Checkpoint> backup;
  std::uint64_t version_of_backup = 0;
  std::uint64_t version_before_restore = 0;

 private:
  struct State;
  explicit TourWorld(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kubexx::app
