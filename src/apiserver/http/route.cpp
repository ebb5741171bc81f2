#include "apiserver/http/route.hpp"

#include <vector>

#include "apiserver/http/status.hpp"
#include "base/internal/parse_number.hpp"
#include "base/internal/text.hpp"

namespace kubexx::apiserver {
namespace {

std::vector<std::string> segments(std::string_view path) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (at < path.size()) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at) out.push_back(percent_decode(path.substr(at, end - at), false));
    at = end + 1;
  }
  return out;
}

}  // namespace

Query Query::parse(std::string_view text) {
  Query query;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('&', at), text.size());
    const std::string_view pair = text.substr(at, end - at);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (!pair.empty()) {
      const std::string_view value = equals < pair.size() ? pair.substr(equals + 1) : std::string_view();
      query.values_.emplace(percent_decode(pair.substr(0, equals), true), percent_decode(value, true));
    }
    at = end + 1;
  }
  return query;
}

std::string_view Query::get(std::string_view key) const noexcept {
  const auto it = values_.find(key);
  return it == values_.end() ? std::string_view() : std::string_view(it->second);
}

Result<std::optional<std::int64_t>> Query::number(std::string_view key) const {
  const std::string_view text = get(key);
  if (text.empty()) return std::optional<std::int64_t>();
  const auto value = parse_number<std::int64_t>(text);
  if (!value) return bad_request("strconv.ParseInt: parsing " + in_quotes(text) + ": invalid syntax");
  return value;
}

bool Query::flag(std::string_view key) const noexcept {
  const auto it = values_.find(key);
  return it != values_.end() && it->second != "false" && it->second != "0";
}

Route parse_route(std::string_view method, std::string_view target) {
  Route route;
  const std::size_t question = std::min(target.find('?'), target.size());
  route.path = percent_decode(target.substr(0, question), false);
  if (question < target.size()) route.query = Query::parse(target.substr(question + 1));

  std::vector<std::string> parts = segments(target.substr(0, question));
  std::size_t at = 0;
  if (parts.size() >= 3 && parts[0] == "api") {
    route.version = parts[1];
    at = 2;
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    route.group = parts[1];
    route.version = parts[2];
    at = 3;
  } else {
    return route;
  }
  route.resource_request = true;
  // The older spelling of watches: /api/v1/watch/pods.
  const bool watch_prefix = parts[at] == "watch" && parts.size() > at + 1;
  if (watch_prefix) ++at;
  if (parts[at] == "namespaces" && parts.size() > at + 2 && parts[at + 2] != "status" && parts[at + 2] != "finalize") {
    route.namespace_ = parts[at + 1];
    at += 2;
  }
  route.resource = parts[at++];
  if (at < parts.size()) route.name = parts[at++];
  if (at < parts.size()) route.subresource = parts[at++];
  for (; at < parts.size(); ++at) route.subresource += '/' + parts[at];

  const bool watch = watch_prefix || route.query.flag("watch");
  if (method == "GET" || method == "HEAD") {
    route.verb = watch && route.subresource.empty() ? "watch" : route.name.empty() ? "list" : "get";
  } else if (method == "POST") {
    route.verb = "create";
  } else if (method == "PUT") {
    route.verb = "update";
  } else if (method == "PATCH") {
    route.verb = "patch";
  } else if (method == "DELETE") {
    route.verb = route.name.empty() ? "deletecollection" : "delete";
  }
  return route;
}

Result<meta::ListOptions> list_options(const Query& query) {
  meta::ListOptions options;
  options.label_selector = query.get("labelSelector");
  options.field_selector = query.get("fieldSelector");
  options.resource_version = query.get("resourceVersion");
  options.resource_version_match = query.get("resourceVersionMatch");
  options.continue_token = query.get("continue");
  auto limit = query.number("limit");
  if (!limit) return limit.error();
  options.limit = limit->value_or(0);
  auto timeout = query.number("timeoutSeconds");
  if (!timeout) return timeout.error();
  options.timeout_seconds = *timeout;
  options.watch = query.flag("watch");
  options.allow_watch_bookmarks = query.flag("allowWatchBookmarks");
  if (query.has("sendInitialEvents")) options.send_initial_events = query.flag("sendInitialEvents");
  return options;
}

Result<void> check_list_options(const meta::ListOptions& options) {
  std::vector<ErrorCause> causes;
  const std::string& match = options.resource_version_match;
  if (options.watch) {
    if (options.send_initial_events && match != "NotOlderThan") {
      causes.push_back(forbidden_value("resourceVersionMatch",
                                       "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    } else if (!options.send_initial_events && !match.empty()) {
      causes.push_back(forbidden_value(
          "resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    }
  } else {
    if (options.send_initial_events) {
      causes.push_back(forbidden_value("sendInitialEvents", "sendInitialEvents is forbidden for list"));
    }
    if (!match.empty()) {
      if (options.resource_version.empty()) {
        causes.push_back(forbidden_value("resourceVersionMatch",
                                         "resourceVersionMatch is forbidden unless resourceVersion is provided"));
      }
      if (!options.continue_token.empty()) {
        causes.push_back(
            forbidden_value("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
      }
      if (match != "Exact" && match != "NotOlderThan") {
        causes.push_back({"FieldValueNotSupported",
                          "Unsupported value: " + in_quotes(match) + ": supported values: \"Exact\", \"NotOlderThan\"",
                          "resourceVersionMatch"});
      } else if (match == "Exact" && options.resource_version == "0") {
        causes.push_back(forbidden_value("resourceVersionMatch",
                                         "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
      }
    }
  }
  if (causes.empty()) return {};
  return invalid("meta.k8s.io", "ListOptions", "", std::move(causes));
}

}  // namespace kubexx::apiserver
