#include "apiserver/http/foreign.hpp"

#include <algorithm>

#include "base/internal/address.hpp"

namespace kubexx::apiserver {
namespace {

Error forbidden(const char* why) {
  return Error::api(403, "Forbidden", why);
}

}  // namespace

ForeignPages::ForeignPages(const Options& options)
    : checks_host_(!options.authentication && is_loopback_address(options.address)),
      allowed_hosts_(options.allowed_hosts) {}

std::optional<Error> ForeignPages::refuse(const httpd::Request& request) const {
  const auto host = request.header("host");
  if (checks_host_ && !is_our_host(host)) return forbidden("this is no host name of this server");
  if (const auto origin = request.header("origin"); !origin.empty()) {
    const auto scheme = origin.find("://");
    if (scheme == std::string_view::npos || !equals_ignoring_case(origin.substr(scheme + 3), host))
      return forbidden("a page of another site asks");
  }
  const auto site = request.header("sec-fetch-site");
  if (site == "cross-site" || site == "same-site") return forbidden("a page of another site asks");
  return std::nullopt;
}

/// A name has to be looked up before it leads here, an address not. A browser always says which one it used.
bool ForeignPages::is_our_host(std::string_view host) const {
  if (host.empty()) return true;
  const auto name = host_name(host);
  if (name.empty()) return false;
  if (equals_ignoring_case(name, "localhost") || is_ip_address(name)) return true;
  return std::ranges::any_of(allowed_hosts_, [&](const auto& allowed) { return equals_ignoring_case(name, allowed); });
}

}  // namespace kubexx::apiserver
