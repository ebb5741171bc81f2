#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kubexx/apiserver/options.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/httpd/server.hpp"

namespace kubexx::apiserver {

/// Keeps web pages away, which reach loopback with the hands of a browser on this machine.
///
/// What another page asks for is refused. Without authentication a listener on loopback also refuses names that are
/// not its own: somebody may have pointed his name at this address, and then his page is no other page (DNS rebinding).
class ForeignPages {
 public:
  explicit ForeignPages(const Options& options);
  std::optional<Error> refuse(const httpd::Request& request) const;

 private:
  bool is_our_host(std::string_view host) const;

  const bool checks_host_;
  const std::vector<std::string> allowed_hosts_;
};

}  // namespace kubexx::apiserver
