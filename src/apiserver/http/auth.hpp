#pragma once

#include <map>
#include <string>
#include <vector>

#include "apiserver/http/route.hpp"
#include "kubexx/apiserver/exchange.hpp"
#include "kubexx/apiserver/options.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::apiserver {

struct Identity {
  std::string name;
  std::vector<std::string> groups;
  Role role = Role::None;
  std::string namespace_;
};

/// Who a request is from, and what that user may do: a small role table in place of RBAC.
class Authority {
 public:
  Authority(const Options& options, std::string admin_token);
  Result<Identity> authenticate(const Request& request) const;             ///< 401
  Result<void> authorize(const Identity& user, const Route& route) const;  ///< 403
  Identity identity(std::string_view user) const;                          ///< of a user by name
  const std::string& admin_token() const noexcept { return admin_token_; }

 private:
  const bool enabled_;
  const std::string admin_token_;
  std::vector<User> with_token_;
  std::map<std::string, User, std::less<>> by_name_;
};

}  // namespace kubexx::apiserver
