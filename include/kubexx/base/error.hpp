#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"

namespace kubexx {

/// Where an Error comes from.
enum class ErrorKind : std::uint8_t {
  Transport,  ///< the connection: refused, reset, cut, name resolution, TLS
  Timeout,    ///< a deadline of ours ran out
  Canceled,   ///< a stop token fired; never logged as a failure
  Decode,     ///< bytes from outside that are not what they claim to be
  Api,        ///< the server answered with a failure
  Config,     ///< configuration, files, flags, or input of the caller
};

/// What happened to a connection; `None` for errors that are not of kind Transport.
enum class TransportFailure : std::uint8_t { None, Refused, Reset, Eof, Resolve, Tls, Proxy, Dead, TooLarge, Other };

/// One reason inside a Status (`details.causes[]`).
struct ErrorCause {
  std::string reason{};
  std::string message{};
  std::string field{};
  friend bool operator==(const ErrorCause&, const ErrorCause&) = default;
};

/// The parts of an API Status that outlive its text.
struct StatusDetails {
  std::string name{};
  std::string group{};
  std::string kind{};
  std::string uid{};
  std::vector<ErrorCause> causes{};
  friend bool operator==(const StatusDetails&, const StatusDetails&) = default;
};

/// Why something failed: one value type with questions instead of a class hierarchy. Copying copies a pointer.
///
/// The message grows outermost first: `error.with_context("list pods")` reads "list pods: connection refused".
class [[nodiscard]] KUBEXX_EXPORT Error {
 public:
  Error(ErrorKind kind, std::string message);

  static Error transport(TransportFailure failure, std::string message);
  /// Errors of these kinds, with a text that says what was attempted.
  static Error timeout(std::string message);
  static Error canceled(std::string message = "canceled");
  static Error decode(std::string message);
  static Error config(std::string message);
  /// A failure that the server reported. `reason` is the Status reason ("NotFound", "Conflict", ...), may be empty.
  static Error api(int code, std::string reason, std::string message);

  /// What the error is made of. `reason` is the server's word ("NotFound"), empty for errors that no server sent;
  /// `details` are of its Status; `retry_after` is how long it asks to wait.
  ErrorKind kind() const noexcept;
  TransportFailure transport_failure() const noexcept;
  int code() const noexcept;  ///< HTTP status, 0 when the server did not answer
  const std::string& reason() const noexcept;
  const std::string& message() const noexcept;
  const StatusDetails& details() const noexcept;
  std::optional<std::chrono::milliseconds> retry_after() const noexcept;

  /// The same error with words before its text, another wait, other details.
  Error with_context(std::string_view context) const;
  Error with_retry_after(std::chrono::milliseconds delay) const;
  Error with_details(StatusDetails details) const;

  /// Somebody stopped it: no failure.
  bool is_canceled() const noexcept;
  bool is_timeout() const noexcept;                 ///< ours, or the server's Timeout/504
  bool is_not_found() const noexcept;               ///< 404
  bool is_already_exists() const noexcept;          ///< 409 AlreadyExists
  bool is_conflict() const noexcept;                ///< 409 other than AlreadyExists
  bool is_gone() const noexcept;                    ///< 410 with reason Gone or none
  bool is_expired() const noexcept;                 ///< 410, reason Expired or Gone: the version is too old
  bool is_invalid() const noexcept;                 ///< 422
  bool is_bad_request() const noexcept;             ///< 400
  bool is_unauthorized() const noexcept;            ///< 401
  bool is_forbidden() const noexcept;               ///< 403
  bool is_method_not_supported() const noexcept;    ///< 405
  bool is_not_acceptable() const noexcept;          ///< 406
  bool is_unsupported_media_type() const noexcept;  ///< 415
  bool is_too_many_requests() const noexcept;       ///< 429
  bool is_internal() const noexcept;                ///< 500
  bool is_service_unavailable() const noexcept;     ///< 503
  /// The asked-for resourceVersion is newer than the server's (cause ResourceVersionTooLarge, or the older texts).
  bool is_too_large_resource_version() const noexcept;
  bool is_connection_refused() const noexcept;
  /// The stream ended in a way a restarting server or a dropped connection causes: EOF, reset, GOAWAY, dead peer.
  bool is_connection_lost() const noexcept;
  /// Trying the same again later can succeed without anyone changing anything.
  bool is_retriable() const noexcept;
  bool has_cause(std::string_view reason) const noexcept;

  friend bool operator==(const Error& a, const Error& b);

 private:
  struct Data;
  explicit Error(std::shared_ptr<const Data> data);
  std::shared_ptr<const Data> data_;
};
KUBEXX_EXPORT bool operator==(const Error& a, const Error& b);

KUBEXX_EXPORT std::ostream& operator<<(std::ostream& out, const Error& error);
KUBEXX_EXPORT std::string_view to_string(ErrorKind kind) noexcept;

/// Thrown by Result::value() for those who prefer exceptions; carries the same Error.
class KUBEXX_EXPORT Exception : public std::runtime_error {
 public:
  explicit Exception(Error error);
  /// What was wrong, as a value.
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

namespace detail {
[[noreturn]] KUBEXX_EXPORT_INTERNAL void throw_error(const Error& error);
}

}  // namespace kubexx
