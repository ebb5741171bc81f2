#include "apiserver/http/respond.hpp"

#include "apiserver/http/codecs.hpp"
#include "apiserver/http/compress.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/http/view.hpp"
#include "apiserver/limits.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

constexpr std::size_t kCompressFrom = 128 << 10;  // as a real server

}  // namespace

HeaderFields base_headers(Environment& environment, std::string_view type) {
  HeaderFields headers;
  headers.emplace_back("Audit-Id", environment.make_uid());
  headers.emplace_back("Cache-Control", "no-cache, private");
  headers.emplace_back("Content-Type", type);
  if (type.starts_with("text/")) headers.emplace_back("X-Content-Type-Options", "nosniff");
  return headers;
}

void respond(Environment& environment, const Call& call, Answer answer) {
  environment.log.set_status(call.ticket, answer.status);  // also where nobody waits: it is done
  if (call.out->closed()) return;
  Result<std::string> body = std::string();
  std::string type = answer.raw_type;
  if (!answer.raw_type.empty()) {
    body = std::move(answer.raw);
  } else {
    type = content_type(call.form.format, false);
    body = answer.is_list
               ? render_list(answer.items, answer.list, *answer.resource, call.form, environment.clock.wall())
               : render_object(answer.object, answer.resource.get(), call.form, environment.clock.wall());
  }
  if (!body) return respond(environment, call, internal_error(body.error().message()));
  HeaderFields headers = base_headers(environment, type);
  for (auto& header : answer.headers) {
    bool replaced = false;
    for (auto& known : headers) {
      if (known.first != header.first) continue;
      known.second = header.second;
      replaced = true;
    }
    if (!replaced) headers.push_back(std::move(header));
  }
  std::size_t warned = 0;
  for (const std::string& warning : call.warnings) {
    warned += warning.size();
    if (warned > kMostShown) break;
    headers.emplace_back("Warning", "299 - " + in_quotes(warning));
  }
  if (body->size() > kCompressFrom && call.request.header("accept-encoding").find("gzip") != std::string_view::npos) {
    if (auto compressed = gzip(*body)) {
      body = std::move(*compressed);
      headers.emplace_back("Content-Encoding", "gzip");
      headers.emplace_back("Vary", "Accept-Encoding");
    }
  }
  call.out->respond(answer.status, std::move(headers), std::move(*body));
}

void respond(Environment& environment, const Call& call, const Error& error) {
  const int status = error.code() ? error.code() : 500;
  const meta::Object object = status_object(error, call.continue_token);
  std::string body;
  Format format = Format::Json;
  if (status == 406 && call.request.header("accept").find("text/html") != std::string_view::npos) {
    // What the routing layer of a real server answers to a browser.
    body = meta::to_json_pretty(status_object(
        Error::api(406, "NotAcceptable",
                   "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
                   "application/vnd.kubernetes.protobuf")));
  } else {
    if (auto form = negotiate(call.request.header("accept"), {})) format = form->format;
    auto encoded = encode_body(format, object);
    if (!encoded) {
      format = Format::Json;
      encoded = encode_body(format, object);
    }
    body = std::move(encoded).value_or(std::string());
  }
  HeaderFields headers = base_headers(environment, content_type(format, false));
  if (status == 403) headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (const auto delay = error.retry_after()) {
    headers.emplace_back("Retry-After",
                         std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*delay).count()));
  }
  environment.log.set_status(call.ticket, status);
  call.out->respond(status, std::move(headers), std::move(body));
}

}  // namespace kubexx::apiserver
