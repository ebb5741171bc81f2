#include "base/internal/base64.hpp"
#include "base/internal/file.hpp"
#include "kubexx/rest/kubeconfig.hpp"
#include "rest/url.hpp"

namespace kubexx::rest {
namespace {

constexpr const char* kRedacted = "REDACTED";

/// Data that reads "DATA+OMITTED" once it is written as base64.
std::string omitted() {
  return base64_decode("DATA+OMITTED").value();
}

Result<void> inline_file(std::string& path, std::string& data) {
  if (path.empty() || !data.empty()) {
    path.clear();
    return {};
  }
  auto text = read_file(path);
  if (!text) return text.error();
  data = std::move(*text);
  path.clear();
  return {};
}

/// A plugin's argument without what may be a secret: of "--name=value" the name stays, of "-n" all.
std::string flag_name(const std::string& argument) {
  if (argument.starts_with("--")) {
    const auto sign = argument.find('=');
    return sign == std::string::npos ? argument : argument.substr(0, sign + 1) + kRedacted;
  }
  return argument.starts_with('-') && argument.size() == 2 ? argument : kRedacted;
}

}  // namespace

Result<KubeConfig> KubeConfig::minified() const {
  if (current_context.empty()) return Error::config("current-context is not set, there is nothing to keep");
  const auto context = contexts.find(current_context);
  if (context == contexts.end()) return Error::config("cannot locate context " + current_context);
  KubeConfig out;
  out.current_context = current_context;
  out.extensions = extensions;
  out.contexts.insert(*context);
  if (const auto& name = context->second.cluster; !name.empty()) {
    const auto cluster = clusters.find(name);
    if (cluster == clusters.end()) return Error::config("cannot locate cluster " + name);
    out.clusters.insert(*cluster);
  }
  if (const auto& name = context->second.user; !name.empty()) {
    const auto user = users.find(name);
    if (user == users.end()) return Error::config("cannot locate user " + name);
    out.users.insert(*user);
  }
  return out;
}

Result<KubeConfig> KubeConfig::flattened() const {
  auto out = *this;
  for (auto& [name, cluster] : out.clusters) {
    auto done = inline_file(cluster.certificate_authority, cluster.certificate_authority_data);
    if (!done) return done.error().with_context("cluster " + name);
  }
  for (auto& [name, user] : out.users) {
    auto done = inline_file(user.client_certificate, user.client_certificate_data);
    if (done) done = inline_file(user.client_key, user.client_key_data);
    if (!done) return done.error().with_context("user " + name);
  }
  return out;
}

KubeConfig KubeConfig::shortened() const {
  auto out = *this;
  const auto hide = [](std::string& data) {
    if (!data.empty()) data = omitted();
  };
  for (auto& [name, cluster] : out.clusters) hide(cluster.certificate_authority_data);
  for (auto& [name, user] : out.users) {
    hide(user.client_certificate_data);
    hide(user.client_key_data);
  }
  return out;
}

KubeConfig KubeConfig::redacted() const {
  auto out = *this;
  const auto hide = [](std::string& secret) {
    if (!secret.empty()) secret = kRedacted;
  };
  for (auto& [name, cluster] : out.clusters) {
    cluster.server = without_userinfo(cluster.server);
    cluster.proxy_url = without_userinfo(cluster.proxy_url);
  }
  for (auto& [name, user] : out.users) {
    hide(user.token);
    hide(user.password);
    if (!user.client_key_data.empty()) user.client_key_data = omitted();
    if (!user.exec) continue;
    for (auto& [variable, value] : user.exec->environment) hide(value);
    for (auto& argument : user.exec->arguments) argument = flag_name(argument);
  }
  return out;
}

}  // namespace kubexx::rest
