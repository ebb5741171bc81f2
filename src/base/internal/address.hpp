#pragma once

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/internal/text.hpp"

namespace kubexx {

/// v6 without brackets.
inline bool is_ip_address(std::string_view text) {
  const std::string address(text);
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, address.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1;
}

/// An address, not a name that looks like one: whoever has a domain may have a name that begins with "127.".
inline bool is_loopback_address(std::string_view address) {
  return is_ip_address(address) && (address.starts_with("127.") || address == "::1");
}

/// "name", "name:port", "[v6]" or "[v6]:port" without port and brackets; empty when it is anything else.
inline std::string_view host_name(std::string_view host) {
  const bool bracketed = host.starts_with('[');
  const std::size_t end = std::min(host.find(bracketed ? ']' : ':'), host.size());
  if (bracketed && end == host.size()) return {};
  const std::string_view name = bracketed ? host.substr(1, end - 1) : host.substr(0, end);
  const std::string_view rest = host.substr(bracketed ? end + 1 : end);
  const bool port = rest.starts_with(':') && rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return rest.empty() || port ? name : std::string_view();
}

/// Whether "host:port" names this machine, by an address of it or as localhost.
inline bool is_loopback_host(std::string_view host) {
  const auto name = host_name(host);
  return equals_ignoring_case(name, "localhost") || is_loopback_address(name);
}

}  // namespace kubexx
