#include "rest/request_trace.hpp"

namespace kubexx::rest {

TraceSpan begin_request_span(const Client::Impl& client, const Request& request, Verb verb) {
  const auto& path = request.path;
  const auto name = [&] {
    std::string text(to_string(verb));
    if (request.absolute_path.empty()) text += " " + path.resource.resource;
    return text;
  };
  const auto attributes = [&] {
    TraceAttributes all{{"http.request.method", request.method}, {"server.address", client.server.authority}};
    if (!request.absolute_path.empty()) {
      all.push_back({"url.path", request.absolute_path});
      return all;
    }
    all.push_back({"k8s.resource", path.resource.group_resource().to_string()});
    if (!path.namespace_.empty()) all.push_back({"k8s.namespace.name", path.namespace_});
    if (!path.name.empty()) all.push_back({"k8s.object.name", path.name});
    if (!path.subresource.empty()) all.push_back({"k8s.subresource", path.subresource});
    return all;
  };
  return TraceSpan::begin(client.options.tracer, SpanKind::Request, name, attributes);
}

TraceAttributes request_end_attributes(int status, int attempts, std::uint64_t received, const Error* error) {
  TraceAttributes all{{"http.request.resend_count", static_cast<std::int64_t>(attempts > 0 ? attempts - 1 : 0)},
                      {"http.response.body.size", static_cast<std::int64_t>(received)}};
  if (status != 0) all.push_back({"http.response.status_code", static_cast<std::int64_t>(status)});
  if (error) append_error(all, *error);
  return all;
}

}  // namespace kubexx::rest
