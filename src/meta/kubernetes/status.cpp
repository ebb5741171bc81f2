#include "kubexx/meta/status.hpp"

#include <algorithm>
#include <utility>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_builder.hpp"
#include "meta/quote.hpp"

namespace kubexx::meta {

namespace {

void write_field(ObjectBuilder& builder, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  builder.key(name);
  builder.string(value);
}

void write_details(ObjectBuilder& builder, const StatusDetails& details, std::int64_t retry_after_seconds) {
  builder.key("details");
  builder.begin_map();
  write_field(builder, "name", details.name);
  write_field(builder, "group", details.group);
  write_field(builder, "kind", details.kind);
  write_field(builder, "uid", details.uid);
  if (!details.causes.empty()) {
    builder.key("causes");
    builder.begin_list();
    for (const auto& cause : details.causes) {
      builder.begin_map();
      write_field(builder, "reason", cause.reason);
      write_field(builder, "message", cause.message);
      write_field(builder, "field", cause.field);
      builder.end_map();
    }
    builder.end_list();
  }
  if (retry_after_seconds > 0) {
    builder.key("retryAfterSeconds");
    builder.integer(retry_after_seconds);
  }
  builder.end_map();
}

/// A code of a failure, its reason, and what a server means by it when it does not say more.
struct FailureCode {
  int code;
  std::string_view reason;
  std::string_view message;
};

constexpr FailureCode kFailureCodes[] = {
    {400, "BadRequest", "the server rejected our request for an unknown reason"},
    {401, "Unauthorized", "the server has asked for the client to provide credentials"},
    {403, "Forbidden", "the server does not allow access to the requested resource"},
    {404, "NotFound", "the server could not find the requested resource"},
    {405, "MethodNotAllowed", "the server does not allow this method on the requested resource"},
    {406, "NotAcceptable", "the server was unable to respond with a content type that the client supports"},
    {409, "Conflict", "the server reported a conflict"},
    {410, "Gone", "the requested version is no longer available"},
    {413, "RequestEntityTooLarge", ""},
    {415, "UnsupportedMediaType", "the server could not understand the content type of the request"},
    {422, "Invalid", "the server rejected our request due to an error in our request"},
    {429, "TooManyRequests", "the server has received too many requests and has asked us to try again later"},
    {503, "ServiceUnavailable", "the server is currently unable to handle the request"},
    {504, "Timeout", "the server was unable to return a response in the time allotted"},
};

FailureCode failure_code(int code) noexcept {
  for (const FailureCode& known : kFailureCodes) {
    if (known.code == code) return known;
  }
  return {code, code >= 500 ? "InternalError" : "", ""};
}

/// The beginning of a body for a message: one line, trimmed, at most 2 KB, only printable text.
std::string body_text(std::string_view body) {
  constexpr std::size_t kLimit = 2048;
  const auto first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  body.remove_prefix(first);
  body = body.substr(0, body.find_last_not_of(" \t\r\n") + 1);
  const bool cut = body.size() > kLimit;
  std::string text(body.substr(0, kLimit));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  if (cut) text += "...";
  return text;
}

constexpr std::size_t kLongestText = 8 << 10;
constexpr std::size_t kMostCauses = 256;

/// What a server says of itself is passed on, logged and counted: its beginning is enough.
std::string cut(std::string_view text) {
  if (text.size() <= kLongestText) return std::string(text);
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return std::string(text.substr(0, end)) + "...";
}

StatusDetails cut(const StatusDetails& details) {
  StatusDetails out{cut(details.name), cut(details.group), cut(details.kind), cut(details.uid), {}};
  for (const auto& cause : details.causes) {
    if (out.causes.size() == kMostCauses) break;
    out.causes.push_back({cut(cause.reason), cut(cause.message), cut(cause.field)});
  }
  return out;
}

}  // namespace

Object Status::to_object() const {
  ObjectBuilder builder;
  builder.begin_map();
  write_field(builder, "kind", "Status");
  write_field(builder, "apiVersion", "v1");
  builder.key("metadata");
  builder.begin_map();
  builder.end_map();
  write_field(builder, "status", success ? "Success" : "Failure");
  write_field(builder, "message", message);
  write_field(builder, "reason", reason);
  if (details || retry_after_seconds > 0)
    write_details(builder, details.value_or(StatusDetails{}), retry_after_seconds);
  if (code != 0) {
    builder.key("code");
    builder.integer(code);
  }
  builder.end_map();
  return builder.finish().value_or(Object());
}

Status Status::from_object(Value object) {
  Status status;
  status.success = object["status"].string() == "Success";
  status.code = static_cast<int>(std::clamp<std::int64_t>(object["code"].int_or(0), 0, 999));
  status.reason = object["reason"].string();
  status.message = object["message"].string();
  const Value from = object["details"];
  if (!from.is_map()) return status;
  auto& details = status.details.emplace();
  details.name = from["name"].string();
  details.group = from["group"].string();
  details.kind = from["kind"].string();
  details.uid = from["uid"].string();
  for (const Value cause : from["causes"].items()) {
    details.causes.push_back({std::string(cause["reason"].string()), std::string(cause["message"].string()),
                              std::string(cause["field"].string())});
  }
  status.retry_after_seconds = std::max<std::int64_t>(from["retryAfterSeconds"].int_or(0), 0);
  return status;
}

Status Status::from_error(const Error& error) {
  Status status;
  status.code = error.code() != 0 ? error.code() : 500;
  status.reason = error.code() != 0 ? error.reason() : "InternalError";
  status.message = error.message();
  if (error.details() != StatusDetails{}) status.details = error.details();
  if (const auto delay = error.retry_after()) {
    status.retry_after_seconds = std::chrono::ceil<std::chrono::seconds>(*delay).count();
  }
  return status;
}

Error Status::to_error(int http_code) const {
  const int effective = code != 0 ? code : http_code;
  std::string text = message;
  if (text.empty()) text = failure_code(effective).message;
  if (text.empty()) text = reason.empty() ? "the server reported a failure" : reason;
  auto error = Error::api(effective, reason.empty() ? std::string(reason_for_code(effective)) : cut(reason), cut(text));
  if (details) error = error.with_details(cut(*details));
  constexpr std::int64_t kLongestDelay = 365 * 86400;  // what a server says must not overflow a duration
  if (retry_after_seconds > 0) {
    error = error.with_retry_after(std::chrono::seconds(std::min(retry_after_seconds, kLongestDelay)));
  }
  return error;
}

bool is_status(const Object& object) noexcept {
  return object.kind() == "Status" && object.api_version() == "v1";
}

Error error_from_status(const Object& object, int http_code) {
  if (is_status(object)) return Status::from_object(object.root()).to_error(http_code);
  auto what = object.kind().empty() ? std::string("an object without a kind") : "a " + cut(object.kind());
  if (object.kind() == "Status") what += " of apiVersion " + quote(cut(object.api_version()));
  return Error::api(http_code != 0 ? http_code : 500, "InternalError",
                    "a Status of v1 was expected, the server sent " + what);
}

Error error_from_answer(int http_code, std::string_view body, std::optional<std::chrono::milliseconds> retry_after) {
  const auto first = body.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && body[first] == '{') {
    if (const auto object = parse_json(body); object && is_status(*object)) {
      auto error = Status::from_object(object->root()).to_error(http_code);
      return retry_after && !error.retry_after() ? error.with_retry_after(*retry_after) : error;
    }
  }
  const auto said = body_text(body);
  std::string message(failure_code(http_code).message);
  if (message.empty()) {
    message = http_code >= 500
                  ? "an error on the server (" + quote(said) + ") has prevented the request from succeeding"
                  : "the server responded with the status code " + std::to_string(http_code);
  }
  if (!said.empty() && http_code < 500) message += ": " + said;
  auto error = Error::api(http_code, std::string(reason_for_code(http_code)), std::move(message));
  if (!said.empty()) {
    StatusDetails details;
    details.causes.push_back({"UnexpectedServerResponse", said, ""});
    error = error.with_details(std::move(details));
  }
  return retry_after ? error.with_retry_after(*retry_after) : error;
}

std::string_view reason_for_code(int http_code) noexcept {
  return failure_code(http_code).reason;
}

}  // namespace kubexx::meta
