#include "transport/proxy.hpp"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "base/internal/text.hpp"

namespace kubexx::transport {
namespace {

struct Address {
  std::array<unsigned char, 16> bytes{};
  int bits = 0;  ///< 32 or 128
};

std::optional<Address> parse_address(const std::string& text) {
  Address address;
  if (inet_pton(AF_INET, text.c_str(), address.bytes.data()) == 1) {
    address.bits = 32;
    return address;
  }
  if (inet_pton(AF_INET6, text.c_str(), address.bytes.data()) == 1) {
    address.bits = 128;
    return address;
  }
  return std::nullopt;
}

bool within(const Address& address, const Address& network, int prefix) {
  if (address.bits != network.bits || prefix < 0 || prefix > network.bits) return false;
  auto whole = static_cast<std::size_t>(prefix / 8);
  if (std::memcmp(address.bytes.data(), network.bytes.data(), whole) != 0) return false;
  int rest = prefix % 8;
  if (rest == 0) return true;
  int mask = 0xff << (8 - rest) & 0xff;
  return (address.bytes[whole] & mask) == (network.bytes[whole] & mask);
}

bool is_loopback(const std::string& host) {
  if (equals_ignoring_case(host, "localhost")) return true;
  auto address = parse_address(host);
  if (!address) return false;
  if (address->bits == 32) return address->bytes[0] == 127;
  return within(*address, *parse_address("::1"), 128);
}

bool entry_matches(std::string_view entry, const Target& target) {
  if (entry == "*") return true;
  auto address = parse_address(target.host);
  if (auto slash = entry.find('/'); slash != std::string_view::npos) {
    auto network = parse_address(std::string(entry.substr(0, slash)));
    std::string_view digits = entry.substr(slash + 1);
    int prefix = -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
    return address && network && within(*address, *network, prefix);
  }
  if (auto network = parse_address(std::string(entry))) return address && within(*address, *network, network->bits);
  if (auto colon = entry.rfind(':'); colon != std::string_view::npos) {
    if (entry.substr(colon + 1) != target.port) return false;
    entry = entry.substr(0, colon);
    if (entry.size() > 2 && entry.front() == '[') entry = entry.substr(1, entry.size() - 2);
  }
  if (entry.substr(0, 2) == "*.") entry.remove_prefix(1);
  std::string_view host = target.host;
  if (!entry.empty() && entry.front() == '.') {
    return host.size() > entry.size() && equals_ignoring_case(host.substr(host.size() - entry.size()), entry);
  }
  if (equals_ignoring_case(host, entry)) return true;
  return !entry.empty() && host.size() > entry.size() + 1 && host[host.size() - entry.size() - 1] == '.' &&
         equals_ignoring_case(host.substr(host.size() - entry.size()), entry);
}

Result<std::string> normalized(const std::string& url) {
  if (url.empty()) return std::string();
  std::string text = url.find("://") == std::string::npos ? "http://" + url : url;
  std::string scheme = to_lower(std::string_view(text).substr(0, text.find("://")));
  if (scheme != "http" && scheme != "https" && scheme != "socks5" && scheme != "socks5h")
    return Error::config("unsupported proxy scheme \"" + scheme + "\", must be http, https or socks5");
  std::string rest = text.substr(text.find("://") + 3);
  if (proxy_address(text).empty() || rest.find_first_of(" \t\r\n") != std::string::npos)
    return Error::config("malformed proxy URL");
  // The proxy resolves the name, as Go's client has it do: behind a proxy there may be no resolver that knows it.
  if (scheme == "socks5") scheme = "socks5h";
  return scheme + "://" + rest;
}

}  // namespace

std::string proxy_address(std::string_view proxy) {
  if (auto scheme = proxy.find("://"); scheme != std::string_view::npos) proxy.remove_prefix(scheme + 3);
  proxy = proxy.substr(0, proxy.find_first_of("/?#"));
  if (auto at = proxy.rfind('@'); at != std::string_view::npos) proxy.remove_prefix(at + 1);
  return std::string(proxy);
}

ProxyRules::Environment ProxyRules::process_environment() {
  return [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
}

Result<ProxyRules> ProxyRules::create(const std::string& url, const Environment& environment) {
  ProxyRules rules;
  if (url == "none") return rules;
  if (!url.empty()) {
    auto proxy = normalized(url);
    if (!proxy) return proxy.error();
    rules.http_ = rules.https_ = *proxy;
    return rules;
  }
  auto either = [&](const char* small, const char* capital) {
    std::string value = environment(small);
    return value.empty() ? environment(capital) : value;
  };
  std::string all = either("all_proxy", "ALL_PROXY");
  // HTTP_PROXY in capitals is what a CGI request can set from outside; Go refuses it there, and so do we.
  std::string http =
      environment("REQUEST_METHOD").empty() ? either("http_proxy", "HTTP_PROXY") : environment("http_proxy");
  std::string https = either("https_proxy", "HTTPS_PROXY");
  auto http_url = normalized(http.empty() ? all : http);
  if (!http_url) return http_url.error().with_context("http_proxy");
  auto https_url = normalized(https.empty() ? all : https);
  if (!https_url) return https_url.error().with_context("https_proxy");
  rules.from_environment_ = true;
  rules.http_ = *http_url;
  rules.https_ = *https_url;
  rules.no_proxy_ = either("no_proxy", "NO_PROXY");
  return rules;
}

bool ProxyRules::bypasses(const Target& target) const {
  if (is_loopback(target.host)) return true;
  std::string_view list = no_proxy_;
  while (!list.empty()) {
    auto end = std::min(list.find_first_of(", "), list.size());
    std::string_view entry = trim(list.substr(0, end));
    if (!entry.empty() && entry_matches(entry, target)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

std::string ProxyRules::proxy_for(const Target& target) const {
  const std::string& proxy = target.tls() ? https_ : http_;
  if (proxy.empty() || (from_environment_ && bypasses(target))) return {};
  return proxy;
}

}  // namespace kubexx::transport
