#include "rest/kubeconfig_document.hpp"

#include <filesystem>

#include "base/internal/base64.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/yaml.hpp"

namespace kubexx::rest {
namespace {

void put(meta::DraftRef to, const char* key, const std::string& value) {
  if (value.empty()) return to.erase(key);
  to[key].set(value);
}

void put(meta::DraftRef to, const char* key, bool value) {
  if (!value) return to.erase(key);
  to[key].set(true);
}

void put_data(meta::DraftRef to, const char* key, const std::string& data) {
  put(to, key, base64_encode(data));
}

/// Only what lies below the folder becomes relative; ".." would break when the folder is moved.
std::string relative(const std::string& path, const std::string& folder) {
  if (folder.empty() || path.empty() || path.front() != '/') return path;
  std::error_code nowhere;
  const auto base = std::filesystem::absolute(folder, nowhere).lexically_normal();
  if (nowhere) return path;  // the working directory is gone
  const auto shorter = std::filesystem::path(path).lexically_relative(base).string();
  return shorter.empty() || shorter == "." || shorter.starts_with("..") ? path : shorter;
}

void put_texts(meta::DraftRef to, const char* key, const std::vector<std::string>& texts) {
  to.erase(key);
  for (const auto& text : texts) to[key].append(text);
}

void put_extensions(meta::DraftRef to, const std::map<std::string, std::string>& extensions) {
  to.erase("extensions");
  for (const auto& [name, json] : extensions) {
    const auto value = meta::parse_json("{\"v\":" + json + "}");
    auto entry = to["extensions"].append();
    if (value) entry["extension"].set((*value)["v"]);
    entry["name"].set(name);
  }
}

void put_exec(meta::DraftRef to, const ExecConfig& exec, const std::string& folder) {
  put(to, "apiVersion", exec.api_version);
  auto command = relative(exec.command, folder);
  // A bare name would be looked for in PATH.
  if (command != exec.command && command.find('/') == std::string::npos) command.insert(0, "./");
  put(to, "command", command);
  put_texts(to, "args", exec.arguments);
  to.erase("env");
  for (const auto& [name, value] : exec.environment) {
    auto entry = to["env"].append();
    entry["name"].set(name);
    entry["value"].set(value);
  }
  put(to, "installHint", exec.install_hint);
  put(to, "interactiveMode", exec.interactive_mode);
  to["provideClusterInfo"].set(exec.provide_cluster_info);
}

template <class T>
void put_all(meta::DraftRef list, const char* key, const std::map<std::string, T>& stanzas, const std::string& folder) {
  for (const auto& [name, stanza] : stanzas) {
    auto entry = list.append();
    entry["name"].set(name);
    entry[key].set_map();
    write_stanza(entry[key], stanza, folder);
  }
}

}  // namespace

meta::Draft empty_kubeconfig() {
  meta::Draft draft;
  draft["apiVersion"].set("v1");
  draft["kind"].set("Config");
  draft["clusters"].set_list();
  draft["contexts"].set_list();
  draft["users"].set_list();
  draft["current-context"].set("");
  draft["preferences"].set_map();
  return draft;
}

void write_stanza(meta::DraftRef to, const KubeCluster& cluster, const std::string& folder) {
  put(to, "server", cluster.server);
  put(to, "tls-server-name", cluster.tls_server_name);
  put(to, "insecure-skip-tls-verify", cluster.insecure_skip_tls_verify);
  put(to, "certificate-authority", relative(cluster.certificate_authority, folder));
  put_data(to, "certificate-authority-data", cluster.certificate_authority_data);
  put(to, "proxy-url", cluster.proxy_url);
  put(to, "disable-compression", cluster.disable_compression);
  put_extensions(to, cluster.extensions);
}

void write_stanza(meta::DraftRef to, const KubeUser& user, const std::string& folder) {
  put(to, "client-certificate", relative(user.client_certificate, folder));
  put_data(to, "client-certificate-data", user.client_certificate_data);
  put(to, "client-key", relative(user.client_key, folder));
  put_data(to, "client-key-data", user.client_key_data);
  put(to, "token", user.token);
  put(to, "tokenFile", relative(user.token_file, folder));
  put(to, "username", user.username);
  put(to, "password", user.password);
  put(to, "as", user.impersonate.user);
  put(to, "as-uid", user.impersonate.uid);
  put_texts(to, "as-groups", user.impersonate.groups);
  to.erase("as-user-extra");
  for (const auto& [key, values] : user.impersonate.extra) {
    to["as-user-extra"][key].set_list();
    for (const auto& value : values) to["as-user-extra"][key].append(value);
  }
  if (user.auth_provider.empty()) {
    to.erase("auth-provider");
  } else {
    to["auth-provider"]["name"].set(user.auth_provider);
  }
  if (user.exec) {
    put_exec(to["exec"], *user.exec, folder);
  } else {
    to.erase("exec");
  }
  put_extensions(to, user.extensions);
}

void write_stanza(meta::DraftRef to, const KubeContext& context, const std::string&) {
  put(to, "cluster", context.cluster);
  put(to, "user", context.user);
  put(to, "namespace", context.namespace_);
  put_extensions(to, context.extensions);
}

meta::DraftRef find_entry(meta::DraftRef list, std::string_view name) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i]["name"].string() == name) return list[i];
  }
  return {};
}

std::string KubeConfig::to_yaml(const std::string& folder) const {
  auto draft = empty_kubeconfig();
  draft["current-context"].set(current_context);
  put_all(draft["clusters"], "cluster", clusters, folder);
  put_all(draft["users"], "user", users, folder);
  put_all(draft["contexts"], "context", contexts, folder);
  put_extensions(draft.root(), extensions);
  return meta::to_yaml(draft.to_object(), meta::YamlKeys::Sorted);
}

}  // namespace kubexx::rest
