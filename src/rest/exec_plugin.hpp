#pragma once

#include <memory>

#include "kubexx/transport/http_transport.hpp"
#include "rest/credentials.hpp"

namespace kubexx::rest {

/// Runs the credential plugin of the configuration and caches what it gives until it expires. A certificate it gives is
/// set on the transport (null: none). Configurations the plugin protocol does not allow are an Error.
Result<std::shared_ptr<ExecSource>> make_exec_source(const Config& config, const ServerUrl& server, const Clock& clock,
                                                     std::shared_ptr<transport::HttpTransport> transport);

}  // namespace kubexx::rest
