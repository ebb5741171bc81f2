#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/target.hpp"
#include "kubexx/httpd/server.hpp"

namespace kubexx::inspect {

struct Refusal {
  int status = 403;
  std::string message;
};

/// Who may ask what: decides by method, host name, origin and token.
class Access {
 public:
  struct Settings {
    std::string token;
    bool loopback = true;                    ///< only names of this machine are taken
    std::vector<std::string> allowed_hosts;  ///< beside addresses and localhost
  };
  explicit Access(Settings settings);

  /// Why this request is not served, whoever asks. A page elsewhere must not read, nor a name that somebody pointed at
  /// this address (DNS rebinding): only IP addresses, localhost and the allowed names are ours.
  std::optional<Refusal> refuse(const httpd::Request& request, const Target& target) const;
  /// As `Authorization: Bearer` or ?token=. There is no cookie: browsers show those to every port of a host.
  bool has_token(const httpd::Request& request, const Target& target) const;

 private:
  bool is_our_host(std::string_view host) const;

  Settings settings_;
};

}  // namespace kubexx::inspect
