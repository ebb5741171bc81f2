#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/base/export.hpp"

namespace kubexx::apiserver {

/// The embedded API server: Core behind HTTP on loopback.
///
/// Threads: as Core; connections have threads of their own.
/// Stop: stop() ends watches and lets other answers finish for a second, the destructor cuts them; both close and join.
/// Errors: start() returns them; the constructor, for tests, throws kubexx::Exception.
/// Example:
///
///     apiserver::Server server;
///     if (auto seeded = server.seed(testkit::make_pod("default/web")); !seeded) complain(seeded.error());
///     informer::SharedInformerFactory factory(testkit::client(server));
class KUBEXX_EXPORT Server {
 public:
  /// Listens; an Error where it cannot.
  static Result<std::unique_ptr<Server>> start(Options options = {});
  Server();
  explicit Server(Options options);
  ~Server();

  /// Where it listens.
  std::uint16_t port() const noexcept;
  std::string url() const;  ///< "http://127.0.0.1:40000"
  /// The token of somebody who may do everything.
  const std::string& admin_token() const noexcept;
  const std::string& ca_pem() const noexcept;                 ///< empty without TLS
  const std::string& admin_certificate_pem() const noexcept;  ///< client certificate and key, with TLS
  /// The key of the certificate of the same.
  const std::string& admin_key_pem() const noexcept;
  /// A kubeconfig of the same, as text.
  std::string kubeconfig() const;
  /// Readable by the owner only; replaces the file in one step.
  Result<void> write_kubeconfig(const std::string& path) const;

  /// What is behind the sockets.
  Core& core() noexcept;
  const Core& core() const noexcept;

  /// New connections are reset until the Outage ends; open ones are closed.
  Outage refuse_connections();
  void drop_connections();
  /// Closes every connection and the port, and listens on it again with the same data.
  Result<void> restart();
  void stop();

  /// Core's, for short tests.
  std::uint64_t version() const { return core().version(); }
  RequestLog& requests() { return core().requests(); }
  Result<meta::Object> seed(const meta::Object& object) { return core().seed(object); }
  Result<meta::Object> update(const meta::Object& object) { return core().update(object); }
  template <class T>
  Result<meta::Object> remove(const Result<meta::ObjectKey>& key) {
    return core().template remove<T>(key);
  }
  Outage interrupt_watches(const WatchFilter& filter = {}) { return core().interrupt_watches(filter); }
  void compact_history() { core().compact_history(); }

 private:
  struct Impl;
  explicit Server(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::apiserver
