#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kubexx/base/result.hpp"
#include "transport/target.hpp"

namespace kubexx::transport {

/// Which proxy a request goes through. Reads the environment once, when it is made.
///
/// An explicit proxy is used for every host. From the environment come https_proxy or http_proxy by the URL's scheme,
/// else all_proxy, each also in capitals; hosts that no_proxy names and loopback are reached directly.
class ProxyRules {
 public:
  using Environment = std::function<std::string(const char* name)>;

  /// `url` as in TransportOptions::proxy_url. Errors never repeat a proxy's credentials.
  static Result<ProxyRules> create(const std::string& url, const Environment& environment);
  static Environment process_environment();

  /// The proxy in libcurl's form, empty for none.
  std::string proxy_for(const Target& target) const;

 private:
  bool bypasses(const Target& target) const;

  bool from_environment_ = false;
  std::string http_;
  std::string https_;
  std::string no_proxy_;
};

/// "https://user:pw@proxy:3128" as "proxy:3128", for messages.
std::string proxy_address(std::string_view proxy);

}  // namespace kubexx::transport
