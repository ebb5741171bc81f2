#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kubexx/base/error.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// The answer of an API server that is not an object: what failed, or that something was done (kind Status).
struct KUBEXX_EXPORT Status {
  bool success = false;
  int code = 0;             ///< HTTP code; left out of the object when 0
  std::string reason = {};  ///< "NotFound", "Conflict", ...
  std::string message = {};
  /// Some answers carry empty details (`"details":{}`), some none.
  std::optional<StatusDetails> details = {};
  std::int64_t retry_after_seconds = 0;  ///< inside details; left out when 0

  /// A Status object with its fields in the order of the API server.
  Object to_object() const;
  /// Reads a Status object; fields of the wrong type count as missing.
  static Status from_object(Value object);
  /// What a server answers for an Error; an Error without an HTTP code becomes 500 InternalError.
  static Status from_error(const Error& error);
  /// The failure as an Error of kind Api. `http_code` is used when the Status has no code of its own.
  Error to_error(int http_code = 0) const;
};

KUBEXX_EXPORT bool is_status(const Object& object) noexcept;  ///< kind Status of v1

/// The failure in an ERROR event of a watch, or in any other Status object. What is no Status is an InternalError.
KUBEXX_EXPORT Error error_from_status(const Object& object, int http_code = 0);

/// The Error for a failed answer: its Status when the body is one (JSON), otherwise what the HTTP code says, with the
/// beginning of a plain-text body in the message or its causes.
KUBEXX_EXPORT Error error_from_answer(int http_code, std::string_view body,
                                      std::optional<std::chrono::milliseconds> retry_after = std::nullopt);

/// The reason that the API uses for an HTTP code: 404 is "NotFound". Empty when there is none.
KUBEXX_EXPORT std::string_view reason_for_code(int http_code) noexcept;

}  // namespace kubexx::meta
