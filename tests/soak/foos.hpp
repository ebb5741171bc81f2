#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/rest/client.hpp"
#include "soak/journal.hpp"

namespace kubexx::soak {

/// The sample controller, and who wants something of it: Foos come, change and go, and their Deployments are meddled
/// with.
///
/// Threads: one owner's. The controller has its own.
class Foos {
 public:
  /// The definition of Foo must be installed; the client is the controller's.
  Foos(apiserver::Core& core, rest::Client client, Journal& journal, std::uint64_t seed);
  ~Foos();

  void step();
  /// The controller ends, and comes back as the other of its two versions.
  void restart();

  /// Why not every Foo has the Deployment that it asks for, or a Deployment has no Foo, or a queue is not empty.
  std::optional<std::string> wrong() const;
  /// Events would become ever more.
  void forget_events();

 private:
  void put(const std::string& name);
  void meddle(const std::string& name);
  void start();
  void stop();

  apiserver::Core& core_;
  const rest::Client client_;
  Journal& journal_;
  Random random_;
  bool short_version_ = false;
  std::jthread controller_;
};

}  // namespace kubexx::soak
