#include "rest/exec_plugin.hpp"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <stop_token>

#include "base/internal/base64.hpp"
#include "base/internal/file.hpp"
#include "base/internal/wipe.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_builder.hpp"
#include "kubexx/meta/time.hpp"
#include "rest/exec_secrets.hpp"
#include "rest/subprocess.hpp"

namespace kubexx::rest {
namespace {

constexpr std::string_view kVersions[] = {"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"};

/// Whether the plugin may talk to the person at the terminal.
Result<bool> interactive(const ExecConfig& exec) {
  const bool terminal = isatty(STDIN_FILENO) == 1;
  if (exec.interactive_mode == "Never") return false;
  if (exec.interactive_mode == "Always" && !terminal) {
    return Error::config("exec plugin " + exec.command + " needs a terminal and standard input is none");
  }
  return terminal;
}

Result<std::string> authority_of(const transport::TlsOptions& tls) {
  if (!tls.ca_data.empty() || tls.ca_file.empty()) return tls.ca_data;
  return read_file(tls.ca_file);
}

/// KUBERNETES_EXEC_INFO: what the plugin is told.
Result<std::string> exec_info(const Config& config, const ExecConfig& exec, const ServerUrl& server,
                              bool is_interactive) {
  meta::ObjectBuilder b;
  b.begin_map();
  b.key("kind");
  b.string("ExecCredential");
  b.key("apiVersion");
  b.string(exec.api_version);
  b.key("spec");
  b.begin_map();
  if (exec.provide_cluster_info) {
    b.key("cluster");
    b.begin_map();
    b.key("server");
    b.string(server.text());
    const auto optional = [&b](const char* key, const std::string& value) {
      if (value.empty()) return;
      b.key(key);
      b.string(value);
    };
    optional("tls-server-name", config.tls.server_name);
    if (config.tls.insecure_skip_verify) {
      b.key("insecure-skip-tls-verify");
      b.boolean(true);
    }
    auto authority = authority_of(config.tls);
    if (!authority) return authority.error();
    optional("certificate-authority-data", base64_encode(*authority));
    optional("proxy-url", config.proxy_url);
    if (!exec.cluster_extension.empty()) {
      auto extension = meta::parse_json(exec.cluster_extension);
      if (!extension) return extension.error();
      b.key("config");
      b.copy(extension->root());
    }
    b.end_map();
  }
  b.key("interactive");
  b.boolean(is_interactive);
  b.end_map();
  b.end_map();
  auto object = b.finish();
  if (!object) return object.error();
  return meta::to_json(*object);
}

class ExecPlugin final : public ExecSource {
 public:
  ExecPlugin(const Config& config, const ExecConfig& exec, ServerUrl server, const Clock& clock,
             std::shared_ptr<transport::HttpTransport> transport)
      : config_(config), exec_(exec), server_(std::move(server)), clock_(clock), transport_(std::move(transport)) {}

  ~ExecPlugin() override { wipe(key_); }

  bool fresh() const override {
    const std::lock_guard lock(mutex_);
    return current() != nullptr;
  }

  void invalidate(TimePoint sent) override {
    const std::lock_guard lock(mutex_);
    if (obtained_ <= sent) credential_.reset();  // a newer one is not the one that was rejected
  }

  void stop() override { stop_.request_stop(); }

  Result<transport::Headers> headers() override {
    const auto awaited = run_to_await();
    // One run at a time; those who waited for it find its result, be it a failure.
    const std::lock_guard running(run_mutex_);
    {
      const std::lock_guard lock(mutex_);
      if (const auto* held = current()) return as_headers(*held);
      if (failure_ && failed_run_ >= awaited) return *failure_;
      ++runs_;
      running_ = true;
    }
    auto fetched = run();
    const std::lock_guard lock(mutex_);
    running_ = false;
    if (!fetched) return failed(fetched.error().with_context("getting credentials"));
    auto made = keep(std::move(*fetched));
    if (!made) return failed(made.error());
    return made;
  }

 private:
  struct Credential {
    std::string token;
    std::string certificate;
    std::string key;
    std::optional<WallTime> expires;
    Credential() = default;
    Credential(Credential&&) noexcept = default;
    ~Credential() {
      wipe(token);
      wipe(key);
    }
  };

  /// The number of the run under way, or of the next one.
  std::uint64_t run_to_await() const {
    const std::lock_guard lock(mutex_);
    return running_ ? runs_ : runs_ + 1;
  }

  Error failed(Error error) {
    failed_run_ = runs_;
    failure_ = std::move(error);
    return *failure_;
  }

  Result<transport::Headers> keep(Credential fetched) {
    const bool changed = fetched.certificate != certificate_ || fetched.key != key_;
    if (changed && transport_) {
      auto set = transport_->set_client_certificate(fetched.certificate, fetched.key);
      if (!set) return set.error().with_context("exec plugin " + exec_.command);
    }
    obtained_ = clock_.now();
    certificate_ = fetched.certificate;
    wipe(key_);
    key_ = fetched.key;
    return as_headers(credential_.emplace(std::move(fetched)));
  }

  /// Null: there is none, or it expired.
  const Credential* current() const {
    if (!credential_ || (credential_->expires && clock_.wall() >= *credential_->expires)) return nullptr;
    return &*credential_;
  }

  static transport::Headers as_headers(const Credential& credential) {
    transport::Headers headers;
    if (!credential.token.empty()) headers.add("Authorization", "Bearer " + credential.token);
    return headers;
  }

  Result<Credential> run() const {
    const auto& exec = exec_;
    auto with_person = interactive(exec);
    if (!with_person) return with_person.error();
    auto info = exec_info(config_, exec_, server_, *with_person);
    if (!info) return info.error();
    auto environment = exec.environment;
    environment.emplace_back("KUBERNETES_EXEC_INFO", *info);
    auto result = run_program(exec.command, exec.arguments, environment,
                              {.pass_stdin = *with_person, .timeout = exec.timeout, .stop = stop_.get_token()});
    const auto name = "exec plugin " + exec.command;
    if (!result) {
      if (result.error().is_canceled()) return result.error();
      if (exec.install_hint.empty()) return result.error();
      return Error::config(result.error().message() + "\n\n" + exec.install_hint);
    }
    if (result->exit_code != 0)
      return Error::config(name + " failed with exit code " + std::to_string(result->exit_code));
    const ExecSecrets secrets(result->output);
    auto answer = meta::parse_json(secrets.json());
    if (!answer) return Error::config(name + " printed no ExecCredential: " + answer.error().message());
    if (answer->kind() != "ExecCredential") return Error::config(name + " printed no ExecCredential");
    if (answer->api_version() != exec.api_version) {
      return Error::config(name + " is configured to use API version " + exec.api_version + ", it returned version " +
                           std::string(answer->api_version().substr(0, 100)));
    }
    return read((*answer)["status"], secrets, name);
  }

  static Result<Credential> read(meta::Value status, const ExecSecrets& secrets, const std::string& name) {
    if (!status.is_map()) return Error::config(name + " didn't return a status field");
    Credential credential;
    credential.token = secrets.value(status["token"].string());
    credential.certificate = std::string(status["clientCertificateData"].string());
    credential.key = secrets.value(status["clientKeyData"].string());
    if (credential.certificate.empty() != credential.key.empty()) {
      return Error::config(name + " returned only one of certificate and key");
    }
    if (credential.token.empty() && credential.certificate.empty()) {
      return Error::config(name + " didn't return a token or a certificate/key pair");
    }
    if (const auto text = status["expirationTimestamp"].get_string()) {
      auto time = meta::Time::parse(*text);
      if (!time) return Error::config(name + " returned a bad expirationTimestamp");
      credential.expires = time->wall();
    }
    return credential;
  }

  const Config config_;
  const ExecConfig exec_;
  const ServerUrl server_;
  const Clock& clock_;
  std::shared_ptr<transport::HttpTransport> transport_;
  std::stop_source stop_;
  std::mutex run_mutex_;
  mutable std::mutex mutex_;
  std::optional<Credential> credential_;  // guarded by mutex_
  TimePoint obtained_{};                  // guarded by mutex_
  std::string certificate_;               // guarded by mutex_; what the transport has
  std::string key_;                       // guarded by mutex_
  std::uint64_t runs_ = 0;                // guarded by mutex_; begun
  bool running_ = false;                  // guarded by mutex_; the last one of them
  std::uint64_t failed_run_ = 0;          // guarded by mutex_
  std::optional<Error> failure_;          // guarded by mutex_; of that run
};

}  // namespace

Result<std::shared_ptr<ExecSource>> make_exec_source(const Config& config, const ServerUrl& server, const Clock& clock,
                                                     std::shared_ptr<transport::HttpTransport> transport) {
  const bool static_credential = !config.bearer_token.empty() || !config.bearer_token_file.empty() ||
                                 !config.username.empty() || !config.tls.certificate_data.empty() ||
                                 !config.tls.certificate_file.empty();
  if (static_credential || !config.exec) return std::shared_ptr<ExecSource>();
  const auto& exec = *config.exec;
  if (exec.command.empty()) return Error::config("the exec plugin has no command");
  if (std::find(std::begin(kVersions), std::end(kVersions), exec.api_version) == std::end(kVersions)) {
    return Error::config("exec plugin: invalid apiVersion \"" + exec.api_version + "\"");
  }
  return std::shared_ptr<ExecSource>(std::make_shared<ExecPlugin>(config, exec, server, clock, std::move(transport)));
}

}  // namespace kubexx::rest
