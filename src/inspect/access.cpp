#include "inspect/access.hpp"

#include <algorithm>

#include "base/internal/address.hpp"
#include "kubexx/httpd/credentials.hpp"

namespace kubexx::inspect {

Access::Access(Settings settings) : settings_(std::move(settings)) {}

std::optional<Refusal> Access::refuse(const httpd::Request& request, const Target& target) const {
  if (request.method != "GET" && request.method != "HEAD") return Refusal{405, "only GET and HEAD"};
  const auto host = request.header("host");
  if (!is_our_host(host)) return Refusal{403, "not a host name of this page"};
  if (const auto origin = request.header("origin"); !origin.empty()) {
    const auto scheme = origin.find("://");
    if (scheme == std::string_view::npos || !equals_ignoring_case(origin.substr(scheme + 3), host)) {
      return Refusal{403, "asked for by a foreign page"};
    }
  }
  const auto site = request.header("sec-fetch-site");
  if (site.empty() || site == "same-origin" || site == "none") return std::nullopt;
  // A link elsewhere may lead to the page: the browser shows it, the page that has the link cannot read it.
  if (target.path == "/" && request.header("sec-fetch-mode") == "navigate" &&
      request.header("sec-fetch-dest") == "document") {
    return std::nullopt;
  }
  return Refusal{403, "asked for by a foreign page"};
}

bool Access::is_our_host(std::string_view host) const {
  const auto name = host_name(host);
  if (name.empty()) return false;
  if (equals_ignoring_case(name, "localhost") || is_loopback_address(name)) return true;
  if (!settings_.loopback && is_ip_address(name)) return true;
  return std::ranges::any_of(settings_.allowed_hosts,
                             [&](const auto& allowed) { return equals_ignoring_case(name, allowed); });
}

bool Access::has_token(const httpd::Request& request, const Target& target) const {
  return httpd::same_secret(httpd::bearer_token(request.header("authorization")), settings_.token) ||
         httpd::same_secret(target.text("token"), settings_.token);
}

}  // namespace kubexx::inspect
