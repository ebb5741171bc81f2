#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/rest/config.hpp"

namespace kubexx::rest {

/// The stanzas of kubeconfig files. Each remembers the file it came from: relative paths are resolved against it.
struct KubeCluster {
  std::string server = {};
  std::string tls_server_name = {};
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority = {};
  std::string certificate_authority_data = {};  ///< decoded
  std::string proxy_url = {};
  bool disable_compression = false;
  std::map<std::string, std::string> extensions = {};  ///< name to JSON
  std::string origin = {};
  friend bool operator==(const KubeCluster&, const KubeCluster&) = default;
};

/// Credentials, as the file has them.
struct KUBEXX_EXPORT KubeUser {
  std::string client_certificate = {};
  std::string client_certificate_data = {};  ///< decoded
  std::string client_key = {};
  std::string client_key_data = {};  ///< decoded
  std::string token = {};
  std::string token_file = {};
  std::string username = {};
  std::string password = {};
  Impersonation impersonate = {};
  std::optional<ExecConfig> exec = {};
  std::string auth_provider = {};  ///< the name of the removed stanza; using it is an Error
  std::map<std::string, std::string> extensions = {};
  std::string origin = {};
  friend bool operator==(const KubeUser&, const KubeUser&) = default;
  ~KubeUser();
};

/// A cluster with a user and a namespace.
struct KubeContext {
  std::string cluster = {};
  std::string user = {};
  std::string namespace_ = {};
  std::map<std::string, std::string> extensions = {};
  std::string origin = {};
  friend bool operator==(const KubeContext&, const KubeContext&) = default;
};

/// One or several kubeconfig files as one.
///
/// Threads: a value. What reads and writes files does so on the calling thread; programs that write the same file at
/// the same time are kept apart by a lock file.
/// Stop: its end wipes what is secret in the stanzas of users.
/// Errors: text that is no kubeconfig, files that cannot be read, names that lead nowhere; each names what it is about.
/// Example:
///
///     const auto sources = rest::KubeConfigSources::from_environment();
///     auto loaded = rest::load_kubeconfig(sources);
///     if (!loaded) complain(loaded.error());
///     loaded->config.current_context = "staging";
///     auto written = rest::modify_kubeconfig(sources, loaded->config);
struct KUBEXX_EXPORT KubeConfig {
  std::map<std::string, KubeCluster> clusters = {};
  std::map<std::string, KubeUser> users = {};
  std::map<std::string, KubeContext> contexts = {};
  std::string current_context = {};
  std::map<std::string, std::string> extensions = {};

  bool empty() const noexcept {
    return clusters.empty() && users.empty() && contexts.empty() && current_context.empty();
  }

  /// One file's text. `origin` is its path; relative paths in it become absolute. A name twice in one list is an Error.
  static Result<KubeConfig> parse(std::string_view text, const std::string& origin);
  static Result<KubeConfig> read_file(const std::string& path);
  /// The first one to say something wins, stanza by stanza (client-go's rule).
  void merge(const KubeConfig& later);

  /// Problems of the whole configuration, or of what one context uses; empty when there are none.
  std::vector<std::string> problems() const;
  std::vector<std::string> problems_of_context(const std::string& context) const;

  /// What the current context needs and nothing else. An Error names the context, cluster or user that is missing.
  Result<KubeConfig> minified() const;
  /// The contents of certificate and key files instead of their paths, so that it works elsewhere.
  Result<KubeConfig> flattened() const;
  /// For eyes: certificates and keys replaced by a word.
  KubeConfig shortened() const;
  /// For eyes: tokens, passwords (in URLs too), keys, the values of plugin variables, and what is no flag's name in its
  /// arguments replaced by a word.
  KubeConfig redacted() const;
  /// As kubectl writes it. Paths below `folder` become relative to it.
  std::string to_yaml(const std::string& folder = {}) const;
};

/// Where files are looked for; a test gives its own environment.
struct KUBEXX_EXPORT KubeConfigSources {
  std::string explicit_path = {};            ///< must exist when given
  std::vector<std::string> precedence = {};  ///< missing ones are skipped
  /// $KUBECONFIG (a list), else ~/.kube/config.
  static KubeConfigSources from_environment(std::string explicit_path = {});
  /// Where new stanzas go: the explicit file, else the first one that exists, else the last.
  std::string default_file() const;
};

/// A configuration, and what is odd about the files that it came from.
struct LoadedKubeConfig {
  KubeConfig config = {};
  std::vector<std::string> warnings = {};  ///< all files missing, secrets readable by others
};

/// Reads and merges. A file that cannot be parsed is an Error that names it.
KUBEXX_EXPORT Result<LoadedKubeConfig> load_kubeconfig(const KubeConfigSources& sources);

/// Writes what differs between `changed` and the files, as `kubectl config` does: a changed or removed stanza to the
/// file it came from, a new one to the default file, the current context to the default file (unset: to the file that
/// sets it). Everything else in the files stays, fields this library does not know included; comments do not.
///
/// Each file is replaced in one step, with mode 0600, under kubectl's lock (FILE.lock); a symbolic link stays one.
/// Errors: a lock that another holds, and what keeps a file from being read or written. Files written before stay so.
KUBEXX_EXPORT Result<void> modify_kubeconfig(const KubeConfigSources& sources, const KubeConfig& changed);

/// What the chosen context and the overrides make of it.
KUBEXX_EXPORT Result<Config> to_config(const KubeConfig& config, const LoadOptions& overrides);

}  // namespace kubexx::rest
