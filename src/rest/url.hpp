#pragma once

#include <string>
#include <string_view>

#include "kubexx/base/result.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::rest {

/// Where a server is: "https://host:port" and an optional path prefix without a trailing slash.
struct ServerUrl {
  std::string scheme;
  std::string authority;
  std::string prefix;
  bool loopback = false;
  std::string text() const { return scheme + "://" + authority + prefix; }
};

/// Config.host may be a URL or host:port; without a scheme it is https when TLS is configured, http otherwise; empty
/// means localhost.
Result<ServerUrl> parse_server_url(const Config& config);

/// Path and query of a request, percent-encoded. Segments that would lead elsewhere ("..", a slash) are an Error.
Result<std::string> request_target(const Request& request);

/// A URL, or host:port, for eyes: whatever stands before an @ is replaced by a word.
std::string without_userinfo(std::string_view url);

void append_query(Request& request, const meta::ListOptions& options);
std::string percent_encode(std::string_view text, std::string_view keep);

}  // namespace kubexx::rest
