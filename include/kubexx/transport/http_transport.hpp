#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kubexx/base/export.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/transport/transport.hpp"

namespace kubexx::transport {

/// How the peer is authenticated and we to it. PEM text or a file of it; files are re-read when they change, seen by
/// the next connection. An unreadable or empty new file keeps what was read before. The key's text is wiped in the end.
struct KUBEXX_EXPORT TlsOptions {
  std::string ca_data{};
  std::string ca_file{};
  std::string certificate_data{};
  std::string certificate_file{};
  std::string key_data{};
  std::string key_file{};
  std::string server_name{};          ///< verified and sent instead of the URL's host
  bool insecure_skip_verify = false;  ///< together with an authority: an Error
  ~TlsOptions();
};

/// How connections are made, kept and given up.
struct TransportOptions {
  TlsOptions tls{};
  std::string proxy_url{};    ///< http, https, socks5; empty: from the environment; "none": never
  std::string unix_socket{};  ///< connect here whatever the URL's host is
  bool compression = false;   ///< ask for gzip (never for what the request says is live)
  bool http2 = true;
  Duration connect_timeout = std::chrono::seconds(30);
  Duration read_idle = std::chrono::seconds(30);     ///< silence on a connection before it is probed
  Duration ping_timeout = std::chrono::seconds(15);  ///< how long the answer to the probe may take
  std::size_t max_streams_per_connection = 100;      ///< further requests open the next connection
  /// Bytes a paused stream may hold at most. One stream a connection that already took 4 times as many may hold as
  /// many.
  std::size_t pause_limit = 1 << 20;
  std::shared_ptr<MetricsRegistry> metrics{};  ///< null: MetricsRegistry::process()
  /// No I/O thread: the program calls on_ready() from its own loop. A host name is still looked up by a thread that
  /// libcurl starts and ends; an address needs none.
  bool threadless = false;
};

/// HTTP/1.1 and HTTP/2 over TCP or TLS; one I/O thread drives every connection, or (`threadless`) the program does.
///
/// Threads: send from any thread. Sinks are called on the I/O thread, or inside on_ready(). on_ready() may be
/// called by any thread; it, fd() and deadline() throw std::logic_error where there is an I/O thread.
/// Stop: the destructor ends every exchange with a Canceled error and joins the I/O thread; without one it calls the
/// sinks itself, after a turn of on_ready() that another thread is in.
/// Errors: create() has those of the options (certificates that cannot be read, an unusable proxy) and of a system that
/// has no thread or descriptor left; everything later arrives at a sink's on_end().
/// Example:
///
///     auto made = transport::HttpTransport::create({.threadless = true});
///     auto exchange = (*made)->send({.url = "http://127.0.0.1:8080/version"}, response_sink);
///     // In the program's loop, when (*made)->fd() is readable:
///     (*made)->on_ready();
class KUBEXX_EXPORT HttpTransport final : public Transport {
 public:
  /// An Error where the options cannot be; nothing is connected.
  static Result<std::shared_ptr<HttpTransport>> create(TransportOptions options);
  ~HttpTransport() override;
  std::unique_ptr<Exchange> send(Request request, std::shared_ptr<ResponseSink> sink) override;

  /// Replaces the client certificate for new connections and closes idle ones (credential rotation); both empty: none.
  /// An unusable pair is an Error that repeats nothing of it, and changes nothing.
  Result<void> set_client_certificate(std::string certificate_pem, std::string key_pem);

  /// Readable (level-triggered) while on_ready() has something to do, timers included; nobody reads it.
  int fd() const;
  /// Does what is ready and returns; never waits. Harmless when nothing is.
  void on_ready();
  /// When to call on_ready() at the latest, in the past: now; nothing: when fd() is readable. It is readable then too.
  std::optional<TimePoint> deadline() const;

 private:
  struct Impl;
  explicit HttpTransport(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::transport
