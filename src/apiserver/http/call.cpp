#include "apiserver/http/call.hpp"

#include <algorithm>

#include "apiserver/http/codecs.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/limits.hpp"

namespace kubexx::apiserver {

std::string_view Request::header(std::string_view lower_case_name) const noexcept {
  for (const auto& [name, value] : headers) {
    if (name == lower_case_name) return value;
  }
  return {};
}

Answer text_answer(int status, std::string text) {
  Answer out;
  out.status = status;
  out.raw = std::move(text);
  out.raw_type = "text/plain; charset=utf-8";
  return out;
}

Answer json_answer(std::string text) {
  Answer out;
  out.raw = std::move(text);
  out.raw_type = "application/json";
  return out;
}

Answer page_not_found() {
  return text_answer(404, "404 page not found\n");
}

LoggedRequest log_entry(const Call& call, TimePoint now) {
  LoggedRequest entry;
  const Route& route = call.route;
  entry.verb = route.verb;
  entry.method = call.request.method;
  entry.path = route.path;
  entry.group = route.group;
  entry.version = route.version;
  entry.resource = route.resource;
  entry.subresource = route.subresource;
  entry.namespace_ = route.namespace_;
  entry.name = route.name;
  if (auto options = list_options(route.query)) entry.options = std::move(*options);
  entry.user_agent = call.request.header("user-agent");
  entry.accept = call.request.header("accept");
  entry.content_type = call.request.header("content-type");
  entry.time = now;
  return entry;
}

Result<void> prepare(Call& call) {
  const Resource& resource = *call.resource;
  Route& route = call.route;
  if (call.request.body.size() > kMaxRequestBytes) return request_too_large();
  if (!resource.namespaced && !route.namespace_.empty()) return unknown_resource();
  if (resource.namespaced && route.namespace_.empty() && !route.name.empty()) return unknown_resource();
  if (route.subresource.empty()) {
    if (route.verb == "create" && !route.name.empty()) return method_not_allowed();
    if (!resource.allows(route.verb)) return method_not_allowed();
    if (route.verb == "create" && resource.namespaced && route.namespace_.empty()) return method_not_allowed();
  } else {
    const Subresource* sub = resource.subresource(route.subresource);
    if (!sub) return unknown_resource();
    const auto& verbs = sub->verbs;
    if (std::find(verbs.begin(), verbs.end(), route.verb) == verbs.end()) return method_not_allowed();
  }
  Offer offer;
  offer.protobuf = resource.type != nullptr;
  offer.views = route.verb == "get" || route.verb == "list" || route.verb == "watch" || route.verb == "create" ||
                route.verb == "update" || route.verb == "patch" || route.verb == "delete";
  auto form = negotiate(call.request.header("accept"), offer);
  if (!form) return form.error();
  call.form = std::move(*form);
  call.form.include_object = route.query.get("includeObject");
  if (route.query.has("dryRun") && route.verb != "get" && route.verb != "list" && route.verb != "watch") {
    if (route.query.get("dryRun") != "All") {
      return invalid(
          "meta.k8s.io", "CreateOptions", "",
          {{"FieldValueNotSupported",
            "Unsupported value: [" + in_quotes(route.query.get("dryRun")) + "]: supported values: \"All\"", "dryRun"}});
    }
    call.dry_run = true;
  }
  if (route.verb == "create" || route.verb == "update") {
    auto format = body_format(call.request.header("content-type"));
    if (!format) return format.error();
    auto body = decode_body(*format, call.request.body);
    if (!body || !body->root().is_map()) {
      const std::string why = body ? std::string("not an object") : body.error().message();
      return bad_request("the object provided is unrecognized (must be of type " + resource.kind +
                         "): couldn't get version/kind; json parse error: " + why);
    }
    call.body = std::move(*body);
  }
  return {};
}

}  // namespace kubexx::apiserver
