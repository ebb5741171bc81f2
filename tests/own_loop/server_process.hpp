#pragma once

#include <sys/types.h>

#include <string>

#include "kubexx/rest/config.hpp"

namespace kubexx::own_loop {

/// The embedded API server as a process of its own, over http (HTTP/1.1) or https (HTTP/2).
///
/// Stop: the destructor kills it.
class ServerProcess {
 public:
  explicit ServerProcess(bool tls);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::string kubeconfig() const { return folder_ + "/config"; }  ///< the path of the file
  rest::Config config() const;
  void freeze() const;  ///< it answers nothing until thaw()
  void thaw() const;

 private:
  std::string folder_;
  pid_t id_ = -1;
};

/// Threads of this process.
std::size_t threads();

}  // namespace kubexx::own_loop
