#include <filesystem>

#include "base/internal/base64.hpp"
#include "base/internal/file.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/yaml.hpp"
#include "kubexx/rest/kubeconfig.hpp"

namespace kubexx::rest {
namespace {

/// Reads one file's stanzas; the first problem is kept and ends the reading.
class Reader {
 public:
  Reader(std::string origin) : origin_(std::move(origin)) {
    std::error_code nowhere;  // the working directory may be gone; then paths stay relative
    folder_ = std::filesystem::absolute(origin_, nowhere).parent_path();
  }

  Result<KubeConfig> read(meta::Value root) {
    if (!root.exists() || root.is_null()) return KubeConfig{};
    if (!root.is_map())
      return Error::config("a kubeconfig is a map, not a " + std::string(meta::to_string(root.type())));
    KubeConfig config;
    config.current_context = text(root, "current-context");
    config.extensions = extensions(root["extensions"]);
    named(root["clusters"], "cluster", config.clusters, [this](meta::Value v) { return cluster(v); });
    named(root["users"], "user", config.users, [this](meta::Value v) { return user(v); });
    named(root["contexts"], "context", config.contexts, [this](meta::Value v) { return context(v); });
    if (error_) return *error_;
    return config;
  }

 private:
  void fail(std::string message) {
    if (!error_) error_ = Error::config(std::move(message));
  }

  std::string text(meta::Value map, const char* key) {
    const auto value = map[key];
    if (!value.exists() || value.is_null()) return {};
    if (const auto string = value.get_string()) return std::string(*string);
    fail(std::string(key) + " is not a string");
    return {};
  }
  bool flag(meta::Value map, const char* key) {
    const auto value = map[key];
    if (value.exists() && !value.is_null() && !value.get_bool()) fail(std::string(key) + " is not a boolean");
    return value.bool_or(false);
  }
  std::string data(meta::Value map, const char* key) {
    auto decoded = base64_decode(text(map, key));
    if (!decoded) {
      fail(std::string(key) + ": " + decoded.error().message());
      return {};
    }
    return *decoded;
  }
  /// A path in the file, made absolute against the file's folder.
  std::string path(meta::Value map, const char* key) {
    auto value = text(map, key);
    if (value.empty() || value.front() == '/' || origin_.empty()) return value;
    return (folder_ / value).lexically_normal().string();
  }
  std::vector<std::string> texts(meta::Value list, const char* what) {
    std::vector<std::string> out;
    if (list.exists() && !list.is_null() && !list.is_list()) fail(std::string(what) + " is not a list");
    for (const auto item : list.items()) out.emplace_back(item.string());
    return out;
  }
  std::map<std::string, std::string> extensions(meta::Value list) {
    std::map<std::string, std::string> out;
    for (const auto item : list.items()) {
      const auto name = text(item, "name");
      if (!out.emplace(name, meta::to_json(item["extension"])).second) fail("extension \"" + name + "\" appears twice");
    }
    return out;
  }

  template <class T, class Make>
  void named(meta::Value list, const char* what, std::map<std::string, T>& into, Make make) {
    if (list.exists() && !list.is_null() && !list.is_list()) return fail(std::string(what) + "s is not a list");
    for (const auto item : list.items()) {
      const auto name = text(item, "name");
      auto made = make(item[what]);
      made.origin = origin_;
      if (!into.emplace(name, std::move(made)).second)
        return fail(std::string(what) + " \"" + name + "\" appears twice");
    }
  }

  KubeCluster cluster(meta::Value v) {
    KubeCluster c;
    c.server = text(v, "server");
    c.tls_server_name = text(v, "tls-server-name");
    c.insecure_skip_tls_verify = flag(v, "insecure-skip-tls-verify");
    c.certificate_authority = path(v, "certificate-authority");
    c.certificate_authority_data = data(v, "certificate-authority-data");
    c.proxy_url = text(v, "proxy-url");
    c.disable_compression = flag(v, "disable-compression");
    c.extensions = extensions(v["extensions"]);
    return c;
  }

  KubeUser user(meta::Value v) {
    KubeUser u;
    u.client_certificate = path(v, "client-certificate");
    u.client_certificate_data = data(v, "client-certificate-data");
    u.client_key = path(v, "client-key");
    u.client_key_data = data(v, "client-key-data");
    u.token = text(v, "token");
    u.token_file = path(v, "tokenFile");
    u.username = text(v, "username");
    u.password = text(v, "password");
    u.impersonate.user = text(v, "as");
    u.impersonate.uid = text(v, "as-uid");
    u.impersonate.groups = texts(v["as-groups"], "as-groups");
    for (const auto [key, values] : v["as-user-extra"].entries()) {
      u.impersonate.extra[std::string(key)] = texts(values, "as-user-extra");
    }
    if (v["auth-provider"].is_map()) u.auth_provider = text(v["auth-provider"], "name");
    if (v["exec"].is_map()) u.exec = exec(v["exec"]);
    u.extensions = extensions(v["extensions"]);
    return u;
  }

  ExecConfig exec(meta::Value v) {
    ExecConfig e;
    e.api_version = text(v, "apiVersion");
    e.command = text(v, "command");
    // A command with a folder is relative to the file, a bare name is looked for in PATH.
    if (e.command.find('/') != std::string::npos) e.command = path(v, "command");
    e.arguments = texts(v["args"], "args");
    for (const auto item : v["env"].items()) e.environment.emplace_back(text(item, "name"), text(item, "value"));
    e.install_hint = text(v, "installHint");
    e.provide_cluster_info = flag(v, "provideClusterInfo");
    e.interactive_mode = text(v, "interactiveMode");
    return e;
  }

  KubeContext context(meta::Value v) {
    KubeContext c;
    c.cluster = text(v, "cluster");
    c.user = text(v, "user");
    c.namespace_ = text(v, "namespace");
    c.extensions = extensions(v["extensions"]);
    return c;
  }

  std::string origin_;
  std::filesystem::path folder_;
  std::optional<Error> error_;
};

}  // namespace

Result<KubeConfig> KubeConfig::parse(std::string_view text, const std::string& origin) {
  auto document = meta::parse_yaml_document(text);
  if (!document) return document.error().with_context(origin.empty() ? "kubeconfig" : origin);
  return Reader(origin).read(document->root()).context(origin.empty() ? "kubeconfig" : origin);
}

Result<KubeConfig> KubeConfig::read_file(const std::string& path) {
  const auto text = kubexx::read_file(path);
  if (!text) return text.error();
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) return KubeConfig{};
  return parse(*text, path);
}

}  // namespace kubexx::rest
