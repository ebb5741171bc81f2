#pragma once

#include <string>

#include "kubexx/base/result.hpp"
#include "kubexx/transport/transport.hpp"

namespace kubexx::transport {

/// Where a request goes, taken from its URL.
struct Target {
  std::string scheme;     ///< "http" or "https"
  std::string host;       ///< without brackets
  std::string port;       ///< always set
  std::string authority;  ///< as in the URL: the port only when the URL has one
  std::string path;       ///< path and query, begins with '/'

  bool tls() const noexcept { return scheme == "https"; }
  std::string address() const;  ///< "10.0.0.1:6443", "[::1]:6443"
  std::string origin() const { return scheme + "://" + address(); }
};

/// URLs with credentials are refused, without repeating them.
Result<Target> parse_target(const std::string& url);

/// Refuses what would smuggle a second request or field: control characters in method, names or values.
Result<void> check_request(const Request& request);

}  // namespace kubexx::transport
