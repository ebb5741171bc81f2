#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/testkit/fault_proxy.hpp"

namespace kubexx::leader_service {

/// One process of the example; killed by the destructor if nobody ended it.
class ServiceProcess {
 public:
  ServiceProcess(std::vector<std::string> arguments, const std::string& kubeconfig);
  ServiceProcess(ServiceProcess&& other) noexcept;
  ServiceProcess& operator=(ServiceProcess&&) = delete;
  ~ServiceProcess();
  void signal(int number) const;
  int end(int number);  ///< sends the signal and waits; what it exits with, -1: a signal ended it

 private:
  pid_t id_ = -1;
};

/// Three replicas, each with a way of its own to the server, and the client that follows their leader.
class ServiceProcesses {
 public:
  /// The lease is in seconds.
  explicit ServiceProcesses(const apiserver::Server& server, int lease = 1);
  ~ServiceProcesses();

  void start(const std::string& name);
  ServiceProcess& process(const std::string& name) { return processes_.at(name); }
  void kill(const std::string& name) { processes_.erase(name); }
  testkit::FaultProxy& way(const std::string& name) { return *ways_.at(name); }
  std::map<std::string, ServiceProcess>& all() { return processes_; }

 private:
  std::string kubeconfig(const std::string& name, std::uint16_t port) const;

  const std::string lease_;
  std::string folder_;
  std::map<std::string, std::unique_ptr<testkit::FaultProxy>> ways_;
  std::map<std::string, ServiceProcess> processes_;
};

}  // namespace kubexx::leader_service
