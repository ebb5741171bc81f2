#include "apiserver/http/status.hpp"

#include "apiserver/limits.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/status.hpp"

namespace kubexx::apiserver {
namespace {

std::string full_name(std::string_view group, std::string_view name) {
  return group.empty() ? std::string(name) : std::string(name) + '.' + std::string(group);
}

StatusDetails details(std::string_view group, std::string_view kind, std::string_view name) {
  StatusDetails out;
  out.group = group;
  out.kind = kind;
  out.name = name;
  return out;
}

void put(meta::DraftRef to, std::string_view key, std::string_view value) {
  if (!value.empty()) to[key].set(value);
}

meta::Draft new_status(std::string_view continue_token, const char* status) {
  meta::Draft out;
  out["kind"].set("Status");
  out["apiVersion"].set("v1");
  out["metadata"].set_map();
  put(out["metadata"], "continue", continue_token);
  out["status"].set(status);
  return out;
}

void put_details(meta::DraftRef to, std::string_view group, std::string_view kind, std::string_view name,
                 std::string_view uid) {
  to.set_map();
  put(to, "name", name);
  put(to, "group", group);
  put(to, "kind", kind);
  put(to, "uid", uid);
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string out;
  meta::append_json_string(out, text);
  return out;
}

Error not_found(std::string_view group, std::string_view resource, std::string_view name) {
  return Error::api(404, "NotFound", full_name(group, resource) + ' ' + in_quotes(name) + " not found")
      .with_details(details(group, resource, name));
}

Error already_exists(std::string_view group, std::string_view resource, std::string_view name) {
  return Error::api(409, "AlreadyExists", full_name(group, resource) + ' ' + in_quotes(name) + " already exists")
      .with_details(details(group, resource, name));
}

Error conflict(std::string_view group, std::string_view resource, std::string_view name, std::string_view why) {
  return Error::api(409, "Conflict",
                    "Operation cannot be fulfilled on " + full_name(group, resource) + ' ' + in_quotes(name) + ": " +
                        std::string(why))
      .with_details(details(group, resource, name));
}

Error modified_conflict(std::string_view group, std::string_view resource, std::string_view name) {
  return conflict(group, resource, name,
                  "the object has been modified; please apply your changes to the latest version and try again");
}

Error invalid(std::string_view group, std::string_view kind, std::string_view name, std::vector<ErrorCause> causes) {
  std::string message = full_name(group, kind) + ' ' + in_quotes(name) + " is invalid: ";
  if (causes.size() > 1) message += '[';
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (i) message += ", ";
    message += causes[i].field + ": " + causes[i].message;
  }
  if (causes.size() > 1) message += ']';
  StatusDetails out = details(group, kind, name);
  out.causes = std::move(causes);
  return Error::api(422, "Invalid", std::move(message)).with_details(std::move(out));
}

Error bad_request(std::string message) {
  return Error::api(400, "BadRequest", std::move(message));
}
Error unauthorized() {
  return Error::api(401, "Unauthorized", "Unauthorized");
}
Error unknown_resource() {
  return Error::api(404, "NotFound", "the server could not find the requested resource");
}
Error method_not_allowed() {
  return Error::api(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}
Error unsupported_media_type() {
  return Error::api(415, "UnsupportedMediaType",
                    "the body of the request was in an unknown format - accepted media types include: "
                    "application/json, application/yaml, application/vnd.kubernetes.protobuf");
}
Error not_acceptable() {
  return Error::api(406, "NotAcceptable",
                    "only the following media types are accepted: application/json, application/yaml, "
                    "application/vnd.kubernetes.protobuf");
}
Error rejected_patch() {
  return Error::api(422, "Invalid", "the server rejected our request due to an error in our request");
}
Error internal_error(std::string message) {
  return Error::api(500, "InternalError", "Internal error occurred: " + message);
}

Error too_many_requests(int retry_after_seconds) {
  return Error::api(429, "TooManyRequests", "too many requests, please try again later.")
      .with_retry_after(std::chrono::seconds(retry_after_seconds));
}

Error request_too_large() {
  return Error::api(413, "RequestEntityTooLarge",
                    "Request entity too large: limit is " + std::to_string(kMaxRequestBytes));
}

Error object_too_large() {
  return Error::api(413, "RequestEntityTooLarge",
                    "Request entity too large: the object with its defaults would be larger than " +
                        std::to_string(kMaxObjectBytes) + " bytes or " + std::to_string(kMaxObjectParts) + " parts");
}

Error too_old_version(std::uint64_t asked, std::uint64_t oldest) {
  return Error::api(410, "Expired",
                    "too old resource version: " + std::to_string(asked) + " (" + std::to_string(oldest) + ')');
}

Error too_old_list() {
  return Error::api(410, "Expired", "The resourceVersion for the provided list is too old.");
}

Error too_old_continue() {
  return Error::api(410, "Expired",
                    "The provided continue parameter is too old to display a consistent list result. You can start a "
                    "new list without the continue parameter, or use the continue token in this response to retrieve "
                    "the remainder of the results. Continuing with the provided token results in an inconsistent list "
                    "- objects that were created, modified, or deleted between the time the first chunk was returned "
                    "and now may show up in the list.");
}

Error too_large_version(std::uint64_t asked, std::uint64_t current) {
  StatusDetails out;
  out.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  return Error::api(
             504, "Timeout",
             "Timeout: Too large resource version: " + std::to_string(asked) + ", current: " + std::to_string(current))
      .with_details(std::move(out))
      .with_retry_after(std::chrono::seconds(1));
}

std::string shown(std::string value) {
  if (value.size() <= kMostShown) return value;
  std::size_t end = kMostShown;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80) --end;  // whole characters
  return value.substr(0, end) + "...";
}

ErrorCause invalid_value(std::string field, std::string value, std::string_view why) {
  return {"FieldValueInvalid", "Invalid value: " + shown(std::move(value)) + ": " + std::string(why), std::move(field)};
}

ErrorCause required_value(std::string field, std::string_view why) {
  return {"FieldValueRequired", why.empty() ? "Required value" : "Required value: " + std::string(why),
          std::move(field)};
}

ErrorCause forbidden_value(std::string field, std::string_view why) {
  return {"FieldValueForbidden", "Forbidden: " + std::string(why), std::move(field)};
}

std::string reason_of_code(int code) {
  return code == 410 ? "Expired" : std::string(meta::reason_for_code(code));
}

meta::Object status_object(const Error& error, std::string_view continue_token) {
  meta::Draft out = new_status(continue_token, "Failure");
  put(out.root(), "message", error.message());
  put(out.root(), "reason", error.reason());
  const StatusDetails& about = error.details();
  const bool bare =
      error.code() == 404 || error.code() == 405 || error.code() == 422 || error.message().starts_with("406: ");
  if (bare || error.retry_after() || !(about == StatusDetails{})) {
    put_details(out["details"], about.group, about.kind, about.name, about.uid);
    for (const ErrorCause& cause : about.causes) {
      const meta::DraftRef entry = out["details"]["causes"].append();
      entry.set_map();
      put(entry, "reason", cause.reason);
      put(entry, "message", cause.message);
      put(entry, "field", cause.field);
    }
    if (const auto delay = error.retry_after())
      out["details"]["retryAfterSeconds"].set(std::chrono::duration_cast<std::chrono::seconds>(*delay).count());
  }
  out["code"].set(error.code() ? error.code() : 500);
  return out.to_object();
}

meta::Object deleted_status(std::string_view group, std::string_view resource, std::string_view name,
                            std::string_view uid) {
  meta::Draft out = new_status({}, "Success");
  put_details(out["details"], group, resource, name, uid);
  return out.to_object();
}

meta::Object created_status() {
  meta::Draft out = new_status({}, "Success");
  out["code"].set(201);
  return out.to_object();
}

}  // namespace kubexx::apiserver
