#include "apiserver/http/auth.hpp"

#include <algorithm>

#include "apiserver/http/status.hpp"
#include "kubexx/httpd/credentials.hpp"

namespace kubexx::apiserver {
namespace {

Identity of(const User& user) {
  Identity out{user.name, user.groups, user.role, user.namespace_};
  out.groups.emplace_back("system:authenticated");
  return out;
}

Error forbidden(const Identity& user, const Route& route) {
  std::string verb = route.verb;
  if (!route.resource_request) {
    return Error::api(403, "Forbidden",
                      "forbidden: User " + in_quotes(user.name) + " cannot get path " + in_quotes(route.path))
        .with_details({});
  }
  std::string resource = route.resource;
  if (!route.subresource.empty()) resource += '/' + route.subresource;
  std::string message = route.group.empty() ? route.resource : route.resource + '.' + route.group;
  if (!route.name.empty()) message += ' ' + in_quotes(route.name);
  message += " is forbidden: User " + in_quotes(user.name) + " cannot " + verb + " resource " + in_quotes(resource) +
             " in API group " + in_quotes(route.group);
  message += route.namespace_.empty() ? " at the cluster scope" : " in the namespace " + in_quotes(route.namespace_);
  StatusDetails details;
  details.name = route.name;
  details.group = route.group;
  details.kind = route.resource;
  return Error::api(403, "Forbidden", std::move(message)).with_details(std::move(details));
}

}  // namespace

Authority::Authority(const Options& options, std::string admin_token)
    : enabled_(options.authentication), admin_token_(std::move(admin_token)) {
  User admin;
  admin.token = admin_token_;
  admin.name = "kubexx:admin";
  admin.groups = {"system:masters"};
  with_token_.push_back(std::move(admin));
  for (const User& user : options.users) {
    if (!user.token.empty()) with_token_.push_back(user);
    by_name_[user.name] = user;
  }
}

Result<Identity> Authority::authenticate(const Request& request) const {
  if (const std::string_view token = httpd::bearer_token(request.header("authorization")); !token.empty()) {
    const User* known = nullptr;
    for (const User& user : with_token_) {  // all of them: how long it takes says nothing
      if (httpd::same_secret(token, user.token)) known = &user;
    }
    if (known != nullptr) return of(*known);
    if (enabled_) return unauthorized();
  }
  if (!request.client_common_name.empty()) {
    User user;
    user.name = request.client_common_name;
    user.groups = request.client_organizations;
    user.role = Role::None;
    if (const auto it = by_name_.find(user.name); it != by_name_.end()) {
      user.role = it->second.role;
      user.namespace_ = it->second.namespace_;
    }
    if (std::find(user.groups.begin(), user.groups.end(), "system:masters") != user.groups.end())
      user.role = Role::Admin;
    return of(user);
  }
  if (!enabled_) return Identity{"kubexx:admin", {"system:masters", "system:authenticated"}, Role::Admin, ""};
  return Identity{"system:anonymous", {"system:unauthenticated"}, Role::None, ""};
}

Identity Authority::identity(std::string_view user) const {
  if (const auto it = by_name_.find(user); it != by_name_.end()) return of(it->second);
  Identity out;
  out.name = user;
  if (user == "kubexx:admin") out.role = Role::Admin;
  return out;
}

Result<void> Authority::authorize(const Identity& user, const Route& route) const {
  if (user.role == Role::Admin) return {};
  if (!route.resource_request) {
    // What a real cluster's default roles give to everyone, and to everyone who is authenticated.
    const std::string_view path = route.path;
    for (const std::string_view open : {"/healthz", "/livez", "/readyz", "/version"}) {
      if (path.starts_with(open)) return {};
    }
    const bool discovery = path == "/" || path.starts_with("/api") || path.starts_with("/openapi");
    if (discovery && user.name != "system:anonymous") return {};
    return forbidden(user, route);
  }
  const bool reads = route.verb == "get" || route.verb == "list" || route.verb == "watch";
  const bool own_review = route.group == "authorization.k8s.io" && route.resource.starts_with("selfsubject");
  if (own_review && user.name != "system:anonymous") return {};
  if (user.role == Role::ReadOnly && reads) return {};
  if (user.role == Role::NamespaceBound) {
    if (!route.namespace_.empty() && route.namespace_ == user.namespace_) return {};
    if (route.resource == "namespaces" && route.verb == "get" && route.name == user.namespace_) return {};
  }
  return forbidden(user, route);
}

}  // namespace kubexx::apiserver
