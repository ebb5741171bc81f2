#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kubexx/apiserver/faults.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/rest/config.hpp"

namespace kubexx::testkit {

/// A TCP relay on loopback that breaks connections on command. It stands between a client and any server, so that a
/// test of broken connections runs against the embedded server and a real one alike.
///
/// Bytes pass unchanged in both directions; the proxy knows nothing of TLS or HTTP. Where it cuts, the peers see half a
/// record, half a frame, half a line.
///
/// Threads: safe from any thread; one thread moves the bytes. Each call returns when it has taken effect.
/// Stop: the destructor resets what is open and joins.
/// Errors: the constructors throw kubexx::Exception. A server that refuses shows to the client as a reset.
/// Example:
///
///     testkit::FaultProxy proxy(config);
///     auto client = rest::Client::create(proxy.config());
///     const auto outage = proxy.refuse();
class KUBEXX_EXPORT FaultProxy {
 public:
  FaultProxy(const std::string& host, std::uint16_t port);
  /// Before the server of a configuration; config() leads through the proxy and still verifies the server's name.
  explicit FaultProxy(rest::Config server);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  /// Where it listens; and a configuration that leads through it.
  std::uint16_t port() const noexcept;
  const rest::Config& config() const noexcept;

  /// Resets every open connection.
  void cut();
  /// Closes each connection open now once the server sent so many more bytes on it; these still arrive.
  void cut_after(std::size_t bytes);
  /// The same for connections yet to come: none delivers more than so many bytes of the server.
  [[nodiscard]] apiserver::Outage cut_each_after(std::size_t bytes);
  /// Nothing passes, nothing is accepted, nothing is closed: a peer that stopped while its kernel answers on.
  [[nodiscard]] apiserver::Outage stall();
  /// Resets what is open, and nobody listens on the port.
  [[nodiscard]] apiserver::Outage refuse();
  /// Bytes arrive so much later, in both directions.
  [[nodiscard]] apiserver::Outage delay(Duration by);

  std::size_t accepted() const;     ///< connections so far
  std::uint64_t delivered() const;  ///< bytes of the server that clients were sent
  /// How many connections there are now.
  std::size_t open() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::testkit
