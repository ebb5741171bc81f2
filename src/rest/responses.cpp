#include <sys/utsname.h>

#include <cctype>
#include <fstream>

#include "kubexx/base/version.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/status.hpp"
#include "rest/body_decoder.hpp"
#include "rest/client_impl.hpp"

namespace kubexx::rest {
namespace {

std::string describe(const Request& request) {
  if (!request.absolute_path.empty()) return request.method + " " + request.absolute_path;
  return request.method + " " + request.path.resource.group_resource().to_string();
}

bool is_about_secrets(const Request& request) {
  const auto& resource = request.path.resource;
  return (resource.group.empty() && resource.resource == "secrets") ||
         request.absolute_path.find("/secrets") != std::string::npos;
}

}  // namespace

Error error_of_response(int status, const transport::Headers& headers, std::string_view body, const Request& request) {
  const auto* type = headers.find("Content-Type");
  const std::string_view content_type = type ? std::string_view(*type) : std::string_view();
  if (auto object = decode_body(content_type, body, {}); object && meta::is_status(*object)) {
    if ((*object)["status"].string() != "Success") return meta::error_from_status(*object, status);
  }
  if (is_about_secrets(request)) {  // what is no Status may be one of them, or a part: an Error goes to logs
    const auto object = meta::parse_json(body);
    if (!object || !meta::is_status(*object)) body = {};
  }
  return meta::error_from_answer(status, body).with_context(describe(request));
}

std::vector<std::string> warnings_of(const transport::Headers& headers) {
  std::vector<std::string> texts;
  for (const auto& field : headers.fields()) {
    const auto& value = field.second;
    if (!transport::Headers{field}.find("Warning") || !value.starts_with("299 ")) continue;
    const auto open = value.find('"');
    if (open == std::string::npos) continue;
    std::string text;
    for (std::size_t i = open + 1; i < value.size() && value[i] != '"'; ++i) {
      if (value[i] == '\\' && i + 1 < value.size()) ++i;
      text += value[i];
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string default_user_agent() {
  std::string program = "unknown";
  std::ifstream file("/proc/self/comm");
  std::getline(file, program);
  for (char& c : program) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.' && c != '_') c = '_';
  }
  utsname host{};
  uname(&host);
  return program + "/unknown (linux/" + host.machine + ") kubexx/" KUBEXX_VERSION;
}

}  // namespace kubexx::rest
