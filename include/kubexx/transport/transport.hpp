#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/transport/buffer.hpp"

namespace kubexx::transport {

/// Header fields in order. Names compare without case. Credentials among them are wiped when they go.
class KUBEXX_EXPORT Headers {
 public:
  /// Name and value.
  using Field = std::pair<std::string, std::string>;
  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}
  Headers(const Headers&) = default;
  Headers(Headers&&) noexcept = default;
  Headers& operator=(Headers other) noexcept {
    fields_.swap(other.fields_);
    return *this;
  }
  ~Headers();
  /// Adds one, also a second of the same name.
  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  void set(std::string_view name, std::string value);             ///< replaces every field of that name
  const std::string* find(std::string_view name) const noexcept;  ///< the first one, or null
  /// All, in their order.
  const std::vector<Field>& fields() const noexcept { return fields_; }

 private:
  std::vector<Field> fields_;
};

/// Asked at the last moment before a request leaves the process; an Error keeps it back. For requests that are allowed
/// for a limited time only. Called on the I/O thread: must not block, throw, or call user code.
class KUBEXX_EXPORT SendGate {
 public:
  virtual ~SendGate() = default;
  /// Why nothing may be sent now; nothing where it may.
  virtual std::optional<Error> closed() const = 0;
};

/// One request. The URL is complete (scheme, host, path, query, percent-encoded).
struct Request {
  std::string method = "GET";
  std::string url{};
  Headers headers{};
  std::string body{};
  /// From send to the last byte; absent for watches, whose quietness is never an error.
  std::optional<Duration> timeout{};
  /// The answer is read while it comes (a watch, a log that is followed). Such a stream is never asked for compressed:
  /// an event must not wait for a full block.
  bool live = false;
  std::shared_ptr<const SendGate> gate{};  ///< null: always open
};

/// Receives one answer. All calls come in order from the I/O thread (or the executor of a double); they must not block,
/// throw, or call user code. Exactly one on_end, after which the sink is released.
class KUBEXX_EXPORT ResponseSink {
 public:
  virtual ~ResponseSink() = default;
  virtual void on_headers(int status, const Headers& headers) = 0;  ///< the final answer's, not 1xx
  /// Bytes as they arrive: what came at once in one piece. Returning false pauses this stream alone until
  /// Exchange::resume; the bytes count as taken.
  virtual bool on_data(Buffer piece) = 0;
  /// Null: the peer ended the body cleanly.
  virtual void on_end(const Error* error) = 0;
};

/// A request under way. Destroying it is canceling it: the stream closes at once, and once the destructor returned no
/// further call reaches the sink (a call running on the I/O thread at that moment is waited for; from inside a sink's
/// call the destructor returns without waiting).
class KUBEXX_EXPORT Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void resume() = 0;  ///< after on_data returned false; harmless otherwise
};

/// Sends requests. Two real implementations: HttpTransport (sockets) and the in-process one of kubexx::testkit.
///
/// Threads: send() from any thread, and it never blocks. Sinks are called on a thread of the transport's.
/// Stop: destroying an Exchange ends that request; what the destructor of a transport does is its own.
/// Errors: arrive at on_end(), those of a request that could not be sent too.
/// Example:
///
///     class Counting final : public transport::ResponseSink {
///      public:
///       void on_headers(int status, const transport::Headers&) override { greet(status); }
///       bool on_data(transport::Buffer piece) override { return (bytes_ += piece.size()) < 1'000'000; }
///       void on_end(const Error* error) override { greet(error == nullptr); }
///
///      private:
///       std::size_t bytes_ = 0;
///     };
///     auto exchange = transport->send({.url = "http://127.0.0.1:8080/"}, std::make_shared<Counting>());
class KUBEXX_EXPORT Transport {
 public:
  virtual ~Transport() = default;
  /// Never blocks; failures arrive through on_end.
  virtual std::unique_ptr<Exchange> send(Request request, std::shared_ptr<ResponseSink> sink) = 0;
};

}  // namespace kubexx::transport
