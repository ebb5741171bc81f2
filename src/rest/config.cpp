#include "kubexx/rest/config.hpp"

#include <cstdlib>
#include <sstream>

#include "base/internal/file.hpp"
#include "base/internal/parse_number.hpp"
#include "base/internal/wipe.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/meta/validation.hpp"
#include "kubexx/rest/kubeconfig.hpp"
#include "rest/url.hpp"

namespace kubexx::rest {
namespace {

/// Control characters of a hint that strangers wrote must not reach a terminal.
std::string printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte != 127) {
      out += c;
    } else if (c == '\n' || c == '\t') {
      out += c;
    } else {
      out += std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
    }
  }
  return out;
}

/// A file that must say something; the Error repeats nothing of it.
Result<std::string> read_trimmed(const std::string& path) {
  auto out = read_file(path);
  if (!out) return out;
  out->erase(out->find_last_not_of(" \t\r\n") + 1);
  if (out->empty()) return Error::config(path + ": it is empty");
  return out;
}

std::string process_variable(const std::string& name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
  const char* value = std::getenv(name.c_str());
  return value ? value : "";
}

/// The service's address as a URL; addresses of IPv6 stand in brackets there.
Result<std::string> service_url(const std::string& host, const std::string& port) {
  if (host.empty() && port.empty()) {
    return Error::config("not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  if (host.empty() || port.empty()) {
    return Error::config(host.empty() ? "in a cluster: KUBERNETES_SERVICE_HOST is not set"
                                      : "in a cluster: KUBERNETES_SERVICE_PORT is not set");
  }
  const auto number = parse_number<std::uint16_t>(port);
  if (!number || *number == 0) {
    return Error::config("in a cluster: KUBERNETES_SERVICE_PORT is no port: \"" + printable(port) + "\"");
  }
  const bool bare = host.find(':') != std::string::npos && host.front() != '[';
  return "https://" + (bare ? "[" + host + "]" : host) + ":" + port;
}

void apply_cluster_overrides(const LoadOptions& flags, KubeCluster& cluster) {
  if (!flags.server.empty()) {
    cluster.server = flags.server;
    cluster.tls_server_name = flags.tls_server_name;  // the file's belongs to the file's server
  } else if (!flags.tls_server_name.empty()) {
    cluster.tls_server_name = flags.tls_server_name;
  }
  if (!flags.certificate_authority.empty() || flags.insecure_skip_tls_verify) {
    // These three are one setting: naming one replaces the others.
    cluster.certificate_authority = flags.certificate_authority;
    cluster.certificate_authority_data.clear();
    cluster.insecure_skip_tls_verify = flags.insecure_skip_tls_verify.value_or(false);
  }
}

void apply_user_overrides(const LoadOptions& flags, KubeUser& user) {
  if (!flags.token.empty()) {
    user.token = flags.token;
    user.token_file.clear();
    user.exec.reset();
    user.username.clear();
    user.password.clear();
  }
  if (!flags.client_certificate.empty()) {
    user.client_certificate = flags.client_certificate;
    user.client_certificate_data.clear();
  }
  if (!flags.client_key.empty()) {
    user.client_key = flags.client_key;
    user.client_key_data.clear();
  }
  if (!flags.impersonate.user.empty()) user.impersonate.user = flags.impersonate.user;
  if (!flags.impersonate.uid.empty()) user.impersonate.uid = flags.impersonate.uid;
  if (!flags.impersonate.groups.empty()) user.impersonate.groups = flags.impersonate.groups;
  for (const auto& [key, values] : flags.impersonate.extra) user.impersonate.extra[key] = values;
}

/// A namespace given as "namespaces/foo" means foo.
std::string plain_namespace(std::string name) {
  for (const char* prefix : {"namespaces/", "namespace/", "ns/"}) {
    if (name.starts_with(prefix)) return name.substr(std::string_view(prefix).size());
  }
  return name;
}

bool any_override(const LoadOptions& o) {
  return !o.context.empty() || !o.cluster.empty() || !o.user.empty() || !o.server.empty();
}

}  // namespace

Result<Config> to_config(const KubeConfig& files, const LoadOptions& flags) {
  auto config = files;
  const auto context_name = flags.context.empty() ? config.current_context : flags.context;
  if (!flags.context.empty() && !config.contexts.contains(flags.context)) {
    return Error::config("context \"" + flags.context + "\" does not exist");
  }
  KubeContext context;
  if (const auto found = config.contexts.find(context_name); found != config.contexts.end()) {
    context = found->second;
  } else if (!context_name.empty()) {
    return Error::config("context \"" + context_name + "\" does not exist");
  }
  if (!flags.cluster.empty()) context.cluster = flags.cluster;
  if (!flags.user.empty()) context.user = flags.user;
  if (!flags.cluster.empty() && !config.clusters.contains(flags.cluster)) {
    return Error::config("cluster \"" + flags.cluster + "\" does not exist");
  }
  if (!flags.user.empty() && !config.users.contains(flags.user)) {
    return Error::config("user \"" + flags.user + "\" does not exist");
  }
  if (context_name.empty() && flags.server.empty() && context.cluster.empty()) {
    return Error::config(config.empty() ? "no configuration has been provided, try setting KUBECONFIG or --server"
                                        : "no context is chosen: current-context is not set");
  }

  // Flags stand in for what the files lack, so the stanzas are completed before they are checked.
  const std::string cluster_name = context.cluster.empty() ? "flags" : context.cluster;
  const std::string user_name = context.user.empty() ? "flags" : context.user;
  if (context.cluster.empty()) config.clusters.try_emplace(cluster_name);
  if (context.user.empty()) config.users.try_emplace(user_name);
  context.cluster = cluster_name;
  context.user = user_name;
  if (config.clusters.contains(cluster_name)) apply_cluster_overrides(flags, config.clusters[cluster_name]);
  if (config.users.contains(user_name)) apply_user_overrides(flags, config.users[user_name]);
  const std::string chosen = context_name.empty() ? "flags" : context_name;
  config.contexts[chosen] = context;
  if (const auto problems = config.problems_of_context(chosen); !problems.empty()) {
    return Error::config("invalid configuration: " + meta::join_complaints(problems));
  }

  const auto& cluster = config.clusters.at(cluster_name);
  const auto& user = config.users.at(user_name);
  Config out;
  out.host = cluster.server;
  out.tls.ca_file = cluster.certificate_authority;
  out.tls.ca_data = cluster.certificate_authority_data;
  out.tls.insecure_skip_verify = cluster.insecure_skip_tls_verify;
  out.tls.server_name = cluster.tls_server_name;
  out.proxy_url = cluster.proxy_url;
  out.disable_compression = cluster.disable_compression;
  out.timeout = flags.timeout;
  if (!flags.namespace_.empty()) {
    out.default_namespace = plain_namespace(flags.namespace_);
  } else if (!context.namespace_.empty()) {
    out.default_namespace = context.namespace_;
  }
  if (!out.proxy_url.empty()) {
    const auto scheme = out.proxy_url.substr(0, out.proxy_url.find("://"));
    if (scheme != "http" && scheme != "https" && scheme != "socks5") {
      return Error::config("proxy-url: its scheme is neither http, https nor socks5");
    }
  }
  out.impersonate = user.impersonate;
  if (!out.host.starts_with("https:") && !out.host.starts_with("HTTPS:")) {
    // As client-go: credentials are not for servers that are not named by https. A token given as a flag for a server
    // on this machine is the caller's own decision.
    if (flags.token.empty()) return out;
    out.allow_insecure_credentials = true;
    out.bearer_token = user.token;
    return out;
  }
  out.tls.certificate_file = user.client_certificate;
  out.tls.certificate_data = user.client_certificate_data;
  out.tls.key_file = user.client_key;
  out.tls.key_data = user.client_key_data;
  out.bearer_token = user.token;
  if (user.token.empty()) out.bearer_token_file = user.token_file;
  out.username = user.username;
  out.password = user.password;
  if (user.exec) {
    out.exec = user.exec;
    out.exec->install_hint = printable(out.exec->install_hint);
    const auto extension = cluster.extensions.find("client.authentication.k8s.io/exec");
    if (extension != cluster.extensions.end()) out.exec->cluster_extension = extension->second;
  }
  return out;
}

Result<Config> Config::in_cluster() {
  return in_cluster(InClusterOptions{});
}

Result<Config> Config::in_cluster(const InClusterOptions& options) {
  const auto variable = [&](const std::string& name) {
    return options.environment ? options.environment(name) : process_variable(name);
  };
  auto url = service_url(variable("KUBERNETES_SERVICE_HOST"), variable("KUBERNETES_SERVICE_PORT"));
  if (!url) return url.error();
  Config config;
  config.host = *url;
  config.bearer_token_file = options.folder + "/token";
  auto token = read_trimmed(config.bearer_token_file);
  if (!token) return token.error().with_context("in a cluster, the service account's token");
  config.bearer_token.swap(*token);
  // Without its CA nothing could be told from the API server, and the system's roots are no substitute.
  config.tls.ca_file = options.ca_file.empty() ? options.folder + "/ca.crt" : options.ca_file;
  if (auto ca = read_trimmed(config.tls.ca_file); !ca) return ca.error().with_context("in a cluster, the cluster's CA");
  auto own = variable("POD_NAMESPACE");
  if (own.empty()) own = read_trimmed(options.folder + "/namespace").value_or("");
  if (!own.empty()) config.default_namespace = own;
  return config;
}

Result<Config> Config::load() {
  return load(LoadOptions{});
}

Result<Config> Config::load(const LoadOptions& options) {
  auto loaded = load_kubeconfig(KubeConfigSources::from_environment(options.kubeconfig));
  if (!loaded) return loaded.error();
  const auto tell_warnings = [&] {
    for (const auto& warning : loaded->warnings) {
      if (options.on_warning) {
        options.on_warning(warning);
      } else {
        log(LogLevel::Warning, warning);
      }
    }
  };
  if (loaded->config.empty() && options.kubeconfig.empty() && !any_override(options)) {
    auto place = options.in_cluster;
    if (!options.certificate_authority.empty()) place.ca_file = options.certificate_authority;
    auto inside = in_cluster(place);
    if (inside) {
      tell_warnings();
      if (!options.namespace_.empty()) inside->default_namespace = plain_namespace(options.namespace_);
      if (!options.token.empty()) {
        inside->bearer_token = options.token;
        inside->bearer_token_file.clear();
      }
      if (!options.impersonate.user.empty()) inside->impersonate = options.impersonate;
      inside->timeout = options.timeout;
      return inside;
    }
    const auto why = loaded->warnings.empty() ? "no kubeconfig file was found ($KUBECONFIG, ~/.kube/config)"
                                              : meta::join_complaints(loaded->warnings);
    return Error::config("no configuration: " + why + "; " + inside.error().message());
  }
  tell_warnings();
  return to_config(loaded->config, options);
}

Result<Config> build_config_from_flags(const std::string& master, const std::string& kubeconfig) {
  if (master.empty() && kubeconfig.empty()) {
    if (auto inside = Config::in_cluster()) return inside;
  }
  LoadOptions options;
  options.kubeconfig = kubeconfig;
  options.server = master;
  return Config::load(options);
}

Config::~Config() {
  wipe(bearer_token);
  wipe(password);
}

std::string Config::to_string() const {
  const auto hidden = [](const std::string& secret) { return secret.empty() ? "\"\"" : "--- REDACTED ---"; };
  std::stringstream out;
  out << "Config{host: \"" << without_userinfo(host) << "\", username: \"" << username
      << "\", password: " << hidden(password) << ", bearer_token: " << hidden(bearer_token) << ", bearer_token_file: \""
      << bearer_token_file << "\", impersonate: \"" << impersonate.user
      << "\", exec: " << (exec ? "--- REDACTED ---" : "none") << ", ca_file: \"" << tls.ca_file
      << "\", certificate_file: \"" << tls.certificate_file << "\", key_data: " << hidden(tls.key_data)
      << ", server_name: \"" << tls.server_name << "\", insecure: " << (tls.insecure_skip_verify ? "true" : "false")
      << "}";
  return out.str();
}

}  // namespace kubexx::rest
