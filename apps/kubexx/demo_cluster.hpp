#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::app {

/// More would keep the workload's actors busy for minutes with every step.
inline constexpr double kMaxPods = 100'000;

/// An API server in this process with a workload that moves, Foos that are scaled now and then, the sample controller
/// that turns them into Deployments, and a kubeconfig in a folder of its own. The destructor ends and removes
/// everything.
class DemoCluster {
 public:
  static Result<std::unique_ptr<DemoCluster>> start(std::size_t pods, const std::stop_token& stop);
  ~DemoCluster();

  const rest::Client& client() const;
  std::string url() const;
  const std::string& kubeconfig() const;  ///< path of the file
  apiserver::Server& server();
  /// The definition of Foo and two of them, as at the start.
  Result<void> install_foos(const std::stop_token& stop);

 private:
  struct State;
  explicit DemoCluster(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kubexx::app
