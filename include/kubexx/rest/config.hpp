#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/transport/http_transport.hpp"

namespace kubexx::rest {

/// Acting as somebody else.
struct Impersonation {
  std::string user = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};
  friend bool operator==(const Impersonation&, const Impersonation&) = default;
};

/// A credential plugin (client.authentication.k8s.io/v1 or v1beta1).
struct ExecConfig {
  std::string api_version = {};
  std::string command = {};
  std::vector<std::string> arguments = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string install_hint = {};
  bool provide_cluster_info = false;
  std::string interactive_mode = {};            ///< Never, IfAvailable, Always
  std::string cluster_extension = {};           ///< JSON of the cluster's client.authentication.k8s.io/exec extension
  Duration timeout = std::chrono::seconds(60);  ///< of one run, unless it has the terminal; 0: none
  friend bool operator==(const ExecConfig&, const ExecConfig&) = default;
};

/// Where a program in a pod finds its service account.
struct InClusterOptions {
  std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount";  ///< has token, ca.crt and namespace
  std::string ca_file = {};                                              ///< instead of the folder's ca.crt
  /// The value of a variable, empty where it is not set; absent: the environment of the process.
  std::function<std::string(const std::string& name)> environment = {};
};

struct LoadOptions;

/// Everything needed to reach and authenticate to one API server. Printing it (to_string) shows no secret.
///
/// Threads: a value. load() and in_cluster() read files and the environment on the calling thread.
/// Stop: its end wipes token, password and key.
/// Errors: of kind Config: what is missing or wrong in which file or variable, and where was looked.
/// Example:
///
///     auto config = rest::Config::load({.context = "staging", .timeout = 10s});
///     if (!config) complain(config.error());
///     auto client = rest::Client::create(*config);
struct KUBEXX_EXPORT Config {
  std::string host = {};  ///< URL or host:port; empty means localhost
  std::string bearer_token = {};
  std::string bearer_token_file = {};  ///< re-read about every minute
  std::string username = {};
  std::string password = {};
  Impersonation impersonate = {};
  std::optional<ExecConfig> exec = {};
  transport::TlsOptions tls = {};
  std::string proxy_url = {};
  std::string unix_socket = {};
  std::string user_agent = {};                ///< default: program/unknown (os/arch) kubexx/version
  std::string default_namespace = "default";  ///< of the context, for programs that act in "the" namespace
  bool disable_compression = false;
  std::optional<Duration> timeout = {};  ///< of each call that is no watch
  double qps = 0;                        ///< client-side rate limit; 0: none (docs/adr)
  int burst = 10;
  bool allow_insecure_credentials = false;  ///< send credentials to http:// servers on loopback

  /// The usual order: explicit path, $KUBECONFIG, ~/.kube/config, in-cluster service account.
  static Result<Config> load();
  static Result<Config> load(const LoadOptions& options);
  /// The service account of the pod this runs in. Token and CA are read again when their files change, and where a file
  /// is gone what it said last counts. Without a namespace file (and $POD_NAMESPACE) the namespace is "default".
  static Result<Config> in_cluster();
  static Result<Config> in_cluster(const InClusterOptions& options);
  std::string to_string() const;
  ~Config();
};

/// What a command line may override.
struct LoadOptions {
  std::string kubeconfig = {};  ///< explicit path; must exist
  std::string context = {};
  std::string cluster = {};
  std::string user = {};
  std::string server = {};
  std::string namespace_ = {};
  std::string token = {};
  std::optional<Duration> timeout = {};
  std::optional<bool> insecure_skip_tls_verify = {};
  std::string tls_server_name = {};
  std::string certificate_authority = {};
  std::string client_certificate = {};
  std::string client_key = {};
  Impersonation impersonate = {};
  InClusterOptions in_cluster = {};                               ///< where there is no kubeconfig
  std::function<void(std::string_view warning)> on_warning = {};  ///< about the files; absent: a log line each
};

/// master and kubeconfig as flags of a program; both empty: in-cluster, else the default files.
KUBEXX_EXPORT Result<Config> build_config_from_flags(const std::string& master, const std::string& kubeconfig);

}  // namespace kubexx::rest
