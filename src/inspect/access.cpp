#include "inspect/access.hpp"

#include <arpa/inet.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <random>

#include "kubexx/httpd/credentials.hpp"

namespace kubexx::inspect {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

/// "name", "name:port", "[v6]" or "[v6]:port" without port and brackets; empty when it is anything else.
std::string_view host_name(std::string_view host) {
  const bool bracketed = host.starts_with('[');
  const std::size_t end = std::min(host.find(bracketed ? ']' : ':'), host.size());
  if (bracketed && end == host.size()) return {};
  const std::string_view name = bracketed ? host.substr(1, end - 1) : host.substr(0, end);
  const std::string_view rest = host.substr(bracketed ? end + 1 : end);
  const bool port = rest.starts_with(':') && rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return rest.empty() || port ? name : std::string_view();
}

}  // namespace

Access::Access(Settings settings) : settings_(std::move(settings)) {}

std::optional<Refusal> Access::refuse(const httpd::Request& request, const Target& target) const {
  if (request.method != "GET" && request.method != "HEAD") return Refusal{405, "only GET and HEAD"};
  const auto host = request.header("host");
  if (!is_our_host(host)) return Refusal{403, "not a host name of this page"};
  if (const auto origin = request.header("origin"); !origin.empty()) {
    const auto scheme = origin.find("://");
    if (scheme == std::string_view::npos || !same_name(origin.substr(scheme + 3), host)) {
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
  if (same_name(name, "localhost") || is_loopback_address(name)) return true;
  if (!settings_.loopback && is_ip_address(name)) return true;
  return std::ranges::any_of(settings_.allowed_hosts, [&](const auto& allowed) { return same_name(name, allowed); });
}

bool Access::has_token(const httpd::Request& request, const Target& target) const {
  return httpd::same_secret(httpd::bearer_token(request.header("authorization")), settings_.token) ||
         httpd::same_secret(target.text("token"), settings_.token);
}

std::string random_token() {
  std::random_device device;  // the system's generator
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token;
  for (int word = 0; word < 4; ++word) {
    auto bits = device();
    for (int i = 0; i < 8; ++i, bits >>= 4) token += kDigits[bits & 15];
  }
  return token;
}

bool is_ip_address(std::string_view text) {
  const std::string address(text);
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, address.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1;
}

bool is_loopback_address(std::string_view address) {
  return is_ip_address(address) && (address.starts_with("127.") || address == "::1");
}

}  // namespace kubexx::inspect
