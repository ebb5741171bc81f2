#include "kubexx/base/error.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "base/internal/enum_name.hpp"

namespace kubexx {

struct KUBEXX_HIDDEN Error::Data {
  ErrorKind kind = ErrorKind::Config;
  TransportFailure transport = TransportFailure::None;
  int code = 0;
  std::string reason;
  std::string message;
  StatusDetails details;
  std::optional<std::chrono::milliseconds> retry_after;

  friend bool operator==(const Data&, const Data&) = default;
};

namespace {

constexpr std::array<std::string_view, 19> kKnownReasons = {"Unauthorized",    "Forbidden",
                                                            "NotFound",        "AlreadyExists",
                                                            "Conflict",        "Gone",
                                                            "Invalid",         "ServerTimeout",
                                                            "Timeout",         "TooManyRequests",
                                                            "BadRequest",      "MethodNotAllowed",
                                                            "NotAcceptable",   "RequestEntityTooLarge",
                                                            "InternalError",   "UnsupportedMediaType",
                                                            "Expired",         "ServiceUnavailable",
                                                            "StorageReadError"};

// The reason decides when it is one we know; proxies and old servers answer with a bare code.
bool answered(const Error& error, int code, std::string_view reason) noexcept {
  if (error.kind() != ErrorKind::Api) return false;
  if (error.reason() == reason) return true;
  return error.code() == code &&
         std::find(kKnownReasons.begin(), kKnownReasons.end(), error.reason()) == kKnownReasons.end();
}

constexpr std::string_view kTooLargeVersion = "Too large resource version";

bool mentions_too_large_version(std::string_view text) noexcept {
  return text.find(kTooLargeVersion) != std::string_view::npos;
}

}  // namespace

Error::Error(ErrorKind kind, std::string message) {
  auto data = std::make_shared<Data>();
  data->kind = kind;
  if (kind == ErrorKind::Transport) data->transport = TransportFailure::Other;
  data->message = std::move(message);
  data_ = std::move(data);
}

Error::Error(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

Error Error::transport(TransportFailure failure, std::string message) {
  auto data = std::make_shared<Data>();
  data->kind = ErrorKind::Transport;
  data->transport = failure;
  data->message = std::move(message);
  return Error(std::shared_ptr<const Data>(std::move(data)));
}

Error Error::timeout(std::string message) {
  return Error(ErrorKind::Timeout, std::move(message));
}
Error Error::canceled(std::string message) {
  return Error(ErrorKind::Canceled, std::move(message));
}
Error Error::decode(std::string message) {
  return Error(ErrorKind::Decode, std::move(message));
}
Error Error::config(std::string message) {
  return Error(ErrorKind::Config, std::move(message));
}

Error Error::api(int code, std::string reason, std::string message) {
  auto data = std::make_shared<Data>();
  data->kind = ErrorKind::Api;
  data->code = code;
  data->reason = std::move(reason);
  data->message = std::move(message);
  return Error(std::shared_ptr<const Data>(std::move(data)));
}

ErrorKind Error::kind() const noexcept {
  return data_->kind;
}
TransportFailure Error::transport_failure() const noexcept {
  return data_->transport;
}
int Error::code() const noexcept {
  return data_->code;
}
const std::string& Error::reason() const noexcept {
  return data_->reason;
}
const std::string& Error::message() const noexcept {
  return data_->message;
}
const StatusDetails& Error::details() const noexcept {
  return data_->details;
}
std::optional<std::chrono::milliseconds> Error::retry_after() const noexcept {
  return data_->retry_after;
}

Error Error::with_context(std::string_view context) const {
  auto data = std::make_shared<Data>(*data_);
  data->message.reserve(context.size() + 2 + data_->message.size());
  data->message.assign(context).append(": ").append(data_->message);
  return Error(std::shared_ptr<const Data>(std::move(data)));
}

Error Error::with_retry_after(std::chrono::milliseconds delay) const {
  auto data = std::make_shared<Data>(*data_);
  data->retry_after = delay;
  return Error(std::shared_ptr<const Data>(std::move(data)));
}

Error Error::with_details(StatusDetails details) const {
  auto data = std::make_shared<Data>(*data_);
  data->details = std::move(details);
  return Error(std::shared_ptr<const Data>(std::move(data)));
}

bool Error::is_canceled() const noexcept {
  return data_->kind == ErrorKind::Canceled;
}
bool Error::is_timeout() const noexcept {
  return data_->kind == ErrorKind::Timeout || answered(*this, 504, "Timeout");
}
bool Error::is_not_found() const noexcept {
  return answered(*this, 404, "NotFound");
}
bool Error::is_already_exists() const noexcept {
  return data_->kind == ErrorKind::Api && data_->reason == "AlreadyExists";
}
bool Error::is_conflict() const noexcept {
  return answered(*this, 409, "Conflict");
}
bool Error::is_gone() const noexcept {
  return answered(*this, 410, "Gone");
}
bool Error::is_expired() const noexcept {
  return is_gone() || answered(*this, 410, "Expired");
}
bool Error::is_invalid() const noexcept {
  return answered(*this, 422, "Invalid");
}
bool Error::is_bad_request() const noexcept {
  return answered(*this, 400, "BadRequest");
}
bool Error::is_unauthorized() const noexcept {
  return answered(*this, 401, "Unauthorized");
}
bool Error::is_forbidden() const noexcept {
  return answered(*this, 403, "Forbidden");
}
bool Error::is_method_not_supported() const noexcept {
  return answered(*this, 405, "MethodNotAllowed");
}
bool Error::is_not_acceptable() const noexcept {
  return answered(*this, 406, "NotAcceptable");
}
bool Error::is_unsupported_media_type() const noexcept {
  return answered(*this, 415, "UnsupportedMediaType");
}
bool Error::is_too_many_requests() const noexcept {
  return data_->kind == ErrorKind::Api && (data_->code == 429 || data_->reason == "TooManyRequests");
}
bool Error::is_internal() const noexcept {
  return answered(*this, 500, "InternalError");
}
bool Error::is_service_unavailable() const noexcept {
  return answered(*this, 503, "ServiceUnavailable");
}

bool Error::is_too_large_resource_version() const noexcept {
  if (data_->kind != ErrorKind::Api) return false;
  if (has_cause("ResourceVersionTooLarge")) return true;
  // Servers before 1.18 name no cause and say it in the text alone.
  if (!is_timeout()) return false;
  const auto& causes = data_->details.causes;
  return mentions_too_large_version(data_->message) ||
         std::any_of(causes.begin(), causes.end(),
                     [](const ErrorCause& c) { return mentions_too_large_version(c.message); });
}

bool Error::is_connection_refused() const noexcept {
  return data_->transport == TransportFailure::Refused;
}

bool Error::is_connection_lost() const noexcept {
  switch (data_->transport) {
    case TransportFailure::Reset:
    case TransportFailure::Eof:
    case TransportFailure::Dead:
      return true;
    default:
      return false;
  }
}

bool Error::is_retriable() const noexcept {
  if (data_->retry_after) return true;
  switch (data_->kind) {
    case ErrorKind::Transport:
      return data_->transport != TransportFailure::Tls && data_->transport != TransportFailure::TooLarge;
    case ErrorKind::Timeout:
      return true;
    case ErrorKind::Api:
      switch (data_->code) {
        case 429:
        case 500:
        case 502:
        case 503:
        case 504:
          return true;
        default:
          return false;
      }
    default:
      return false;
  }
}

bool Error::has_cause(std::string_view reason) const noexcept {
  const auto& causes = data_->details.causes;
  return std::any_of(causes.begin(), causes.end(), [&](const ErrorCause& c) { return c.reason == reason; });
}

bool operator==(const Error& a, const Error& b) {
  return a.data_ == b.data_ || *a.data_ == *b.data_;
}

std::ostream& operator<<(std::ostream& out, const Error& error) {
  return out << error.message();
}

std::string_view to_string(ErrorKind kind) noexcept {
  static constexpr std::string_view kNames[] = {"Transport", "Timeout", "Canceled", "Decode", "Api", "Config"};
  return enum_name<ErrorKind::Config>(kind, kNames, "Unknown");
}

Exception::Exception(Error error) : std::runtime_error(error.message()), error_(std::move(error)) {}

void detail::throw_error(const Error& error) {
  throw Exception(error);
}

}  // namespace kubexx
