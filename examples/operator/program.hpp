// Everything that runs: pages, informers, an election, the controller.
#pragma once

#include <stop_token>
#include <string>

#include "kubexx/base/result.hpp"
#include "kubexx/rest/client.hpp"

namespace greeting_operator {

struct Options {
  std::string name = {};               ///< of this replica; no other may have it
  std::string listen = "127.0.0.1:0";  ///< of /healthz, /readyz, /metrics and the page
  std::string show_in = "default";     ///< the namespace of the ConfigMaps
  std::string namespace_ = "default";  ///< of the Lease
};

/// Blocks until the token fires and everything has ended. An Error: something could not be started, or went wrong.
kubexx::Result<void> run(const kubexx::rest::Client& client, const Options& options, std::stop_token stop);

}  // namespace greeting_operator
