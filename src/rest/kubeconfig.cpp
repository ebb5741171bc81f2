#include "kubexx/rest/kubeconfig.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/internal/file.hpp"
#include "base/internal/wipe.hpp"

namespace kubexx::rest {
namespace {

bool others_can_read(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && (info.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

bool others_can_write(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

bool has_secret(const KubeConfig& config) {
  return std::any_of(config.users.begin(), config.users.end(), [](const auto& entry) {
    const auto& user = entry.second;
    return !user.token.empty() || !user.password.empty() || !user.client_key_data.empty();
  });
}

/// What the file's own mode gives away.
void warn_of_file(const std::string& path, const KubeConfig& config, std::vector<std::string>& warnings) {
  if (has_secret(config) && others_can_read(path))
    warnings.push_back(path + " holds secrets and is readable by others");
  // It names servers and programs to run.
  if (others_can_write(path)) warnings.push_back(path + " can be written by others");
}

void warn_of_named_files(const KubeConfig& config, std::vector<std::string>& warnings) {
  std::set<std::string> files;
  for (const auto& [name, user] : config.users) {
    for (const auto& path : {user.client_key, user.token_file}) {
      if (path.empty() || !files.insert(path).second || !others_can_read(path)) continue;
      auto& warning = warnings.emplace_back(path);
      warning.append(" is the secret of user \"").append(name).append("\" and is readable by others");
    }
  }
}

void check_cluster(const std::string& name, const KubeCluster& cluster, std::vector<std::string>& problems) {
  KubeCluster nothing;
  nothing.origin = cluster.origin;
  if (cluster == nothing) {
    problems.push_back("cluster \"" + name + "\" has no server defined");
    return;
  }
  if (cluster.server.empty()) problems.push_back("no server found for cluster \"" + name + "\"");
  if (!cluster.certificate_authority.empty() && !cluster.certificate_authority_data.empty()) {
    problems.push_back("certificate-authority-data and certificate-authority are both specified for " + name);
  } else if (!cluster.certificate_authority.empty() && !file_readable(cluster.certificate_authority)) {
    problems.push_back("unable to read certificate-authority " + cluster.certificate_authority + " for " + name);
  }
  const bool authority = !cluster.certificate_authority.empty() || !cluster.certificate_authority_data.empty();
  if (cluster.insecure_skip_tls_verify && authority) {
    problems.push_back("insecure-skip-tls-verify would ignore the certificate authority of cluster \"" + name +
                       "\": give one of both");
  }
}

void check_exec(const std::string& name, const KubeUser& user, const ExecConfig& exec,
                std::vector<std::string>& problems) {
  const auto where = " of the exec plugin of user \"" + name + "\"";
  if (!user.auth_provider.empty()) problems.push_back("auth-provider and exec are both specified for " + name);
  if (exec.command.empty()) problems.push_back("the command" + where + " is missing");
  if (exec.api_version.empty()) problems.push_back("the apiVersion" + where + " is missing");
  for (const auto& [key, value] : exec.environment) {
    if (key.empty()) problems.push_back("a variable" + where + " has no name");
  }
  if (exec.interactive_mode.empty()) {
    if (exec.api_version.ends_with("/v1")) problems.push_back("the interactiveMode" + where + " is missing");
  } else if (exec.interactive_mode != "Never" && exec.interactive_mode != "IfAvailable" &&
             exec.interactive_mode != "Always") {
    problems.push_back("the interactiveMode" + where + " is neither Never, IfAvailable nor Always");
  }
}

void check_user(const std::string& name, const KubeUser& user, std::vector<std::string>& problems) {
  const bool certificate = !user.client_certificate.empty() || !user.client_certificate_data.empty();
  if (!user.client_certificate.empty() && !user.client_certificate_data.empty()) {
    problems.push_back("client-certificate-data and client-certificate are both specified for " + name);
  }
  if (!user.client_key.empty() && !user.client_key_data.empty()) {
    problems.push_back("client-key-data and client-key are both specified for " + name);
  }
  if (certificate) {
    if (user.client_key.empty() && user.client_key_data.empty()) {
      problems.push_back("client-key-data or client-key must be specified for " + name +
                         " to use its client certificate");
    }
    if (!user.client_certificate.empty() && !file_readable(user.client_certificate)) {
      problems.push_back("unable to read client-certificate " + user.client_certificate + " for " + name);
    }
    if (!user.client_key.empty() && !file_readable(user.client_key)) {
      problems.push_back("unable to read client-key " + user.client_key + " for " + name);
    }
  }
  const bool token = !user.token.empty() || !user.token_file.empty();
  const bool basic = !user.username.empty() || !user.password.empty();
  if (token && basic) problems.push_back("more than one authentication method for " + name + ": token and basic");
  if (user.exec) check_exec(name, user, *user.exec, problems);
  if (!user.auth_provider.empty() && !user.exec) {
    problems.push_back("auth-provider " + user.auth_provider + " of user \"" + name +
                       "\" is no longer supported: use an exec credential plugin (for gcp: gke-gcloud-auth-plugin, for "
                       "azure: kubelogin, for oidc: kubectl-oidc_login)");
  }
  const auto& as = user.impersonate;
  if (as.user.empty() && (!as.groups.empty() || !as.extra.empty() || !as.uid.empty())) {
    problems.push_back("user \"" + name + "\" impersonates groups, uid or extras without a user");
  }
}

void check_context(const KubeConfig& config, const std::string& name, const KubeContext& context,
                   std::vector<std::string>& problems) {
  if (name.empty()) problems.emplace_back("a context has no name");
  if (context.user.empty()) {
    problems.push_back("user was not specified for context \"" + name + "\"");
  } else if (!config.users.contains(context.user)) {
    problems.push_back("user \"" + context.user + "\" was not found for context \"" + name + "\"");
  }
  if (context.cluster.empty()) {
    problems.push_back("cluster was not specified for context \"" + name + "\"");
  } else if (!config.clusters.contains(context.cluster)) {
    problems.push_back("cluster \"" + context.cluster + "\" was not found for context \"" + name + "\"");
  }
}

}  // namespace

KubeUser::~KubeUser() {
  for (auto* secret : {&token, &password, &client_key_data}) wipe(*secret);
}

void KubeConfig::merge(const KubeConfig& later) {
  clusters.insert(later.clusters.begin(), later.clusters.end());
  users.insert(later.users.begin(), later.users.end());
  contexts.insert(later.contexts.begin(), later.contexts.end());
  extensions.insert(later.extensions.begin(), later.extensions.end());
  if (current_context.empty()) current_context = later.current_context;
}

std::vector<std::string> KubeConfig::problems() const {
  if (empty()) return {"no configuration has been provided"};
  std::vector<std::string> found;
  if (!current_context.empty() && !contexts.contains(current_context)) {
    found.push_back("context was not found for specified context: " + current_context);
  }
  for (const auto& [name, context] : contexts) check_context(*this, name, context, found);
  for (const auto& [name, user] : users) check_user(name, user, found);
  for (const auto& [name, cluster] : clusters) check_cluster(name, cluster, found);
  return found;
}

std::vector<std::string> KubeConfig::problems_of_context(const std::string& asked) const {
  if (empty()) return {"no configuration has been provided"};
  const auto name = asked.empty() ? current_context : asked;
  if (name.empty()) return {"no context is chosen: current-context is not set"};
  const auto context = contexts.find(name);
  if (context == contexts.end()) return {"context \"" + name + "\" does not exist"};
  std::vector<std::string> found;
  check_context(*this, name, context->second, found);
  if (const auto user = users.find(context->second.user); user != users.end())
    check_user(user->first, user->second, found);
  if (const auto cluster = clusters.find(context->second.cluster); cluster != clusters.end()) {
    check_cluster(cluster->first, cluster->second, found);
  }
  return found;
}

KubeConfigSources KubeConfigSources::from_environment(std::string explicit_path) {
  KubeConfigSources sources;
  sources.explicit_path = std::move(explicit_path);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
  const char* list = std::getenv("KUBECONFIG");
  if (list && *list) {
    std::stringstream parts(list);
    std::set<std::string> seen;
    for (std::string part; std::getline(parts, part, ':');) {
      if (!part.empty() && seen.insert(part).second) sources.precedence.push_back(part);
    }
    // NOLINTNEXTLINE(concurrency-mt-unsafe): likewise
  } else if (const char* home = std::getenv("HOME"); home && *home) {
    sources.precedence.push_back(std::string(home) + "/.kube/config");
  }
  return sources;
}

Result<LoadedKubeConfig> load_kubeconfig(const KubeConfigSources& sources) {
  LoadedKubeConfig loaded;
  if (!sources.explicit_path.empty()) {
    auto config = KubeConfig::read_file(sources.explicit_path);
    if (!config) return config.error();
    loaded.config = std::move(*config);
    warn_of_file(sources.explicit_path, loaded.config, loaded.warnings);
    warn_of_named_files(loaded.config, loaded.warnings);
    return loaded;
  }
  std::size_t missing = 0;
  for (const auto& path : sources.precedence) {
    std::error_code failure;
    if (!std::filesystem::exists(path, failure)) {
      ++missing;
      continue;
    }
    auto config = KubeConfig::read_file(path);
    if (!config) return config.error();
    warn_of_file(path, *config, loaded.warnings);
    loaded.config.merge(*config);
  }
  warn_of_named_files(loaded.config, loaded.warnings);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
  const char* list = std::getenv("KUBECONFIG");
  if (list && *list && missing > 0 && missing == sources.precedence.size()) {
    loaded.warnings.push_back("no file of KUBECONFIG exists: " + std::string(list));
  }
  return loaded;
}

}  // namespace kubexx::rest
