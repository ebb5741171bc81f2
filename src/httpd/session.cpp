#include "httpd/session.hpp"

#include <time.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "base/internal/text.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::httpd {
namespace {

bool is_token(std::string_view text) {
  if (text.empty()) return false;
  return std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool belongs_to_connection(std::string_view name) {
  for (std::string_view reserved : {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"}) {
    if (name == reserved) return true;
  }
  return false;
}

}  // namespace

std::string_view Request::header(std::string_view lower_case_name) const noexcept {
  for (const auto& [name, value] : headers) {
    if (name == lower_case_name) return value;
  }
  return {};
}

void SessionContext::dispatch(Request request, const std::shared_ptr<Answer>& answer) const {
  request.peer = peer;
  request.client_common_name = identity.common_name;
  request.client_organizations = identity.organizations;
  request.client_certificate_error = identity.error;
  Responder responder(std::make_shared<Responder::Exchange>(answer));
  // A handler that throws drops its copies of the responder: the peer gets a 500.
  call_isolated("httpd handler", [&] { server.handler(std::move(request), std::move(responder)); });
}

HeaderFields sendable_fields(HeaderFields fields) {
  for (auto& [name, value] : fields) {
    name = to_lower(name);
    for (char& c : value) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    // A value that begins or ends with a space is malformed in HTTP/2.
    value.erase(value.find_last_not_of(' ') + 1);
    value.erase(0, value.find_first_not_of(' '));
  }
  std::erase_if(fields, [](const auto& field) { return !is_token(field.first) || belongs_to_connection(field.first); });
  return fields;
}

bool status_has_body(int status) noexcept {
  return status >= 200 && status != 204 && status != 304;
}

std::string http_date() {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  // No string: a destructor of a thread's object is registered with memory, without which the process would end.
  thread_local std::time_t last = 0;
  thread_local char text[64];
  thread_local std::size_t size = 0;
  const auto wall = Clock::system().wall().time_since_epoch();
  const std::time_t now = std::chrono::duration_cast<std::chrono::seconds>(wall).count();
  if (now != last || size == 0) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    const int length =
        std::snprintf(text, sizeof text, "%s, %02d %s %d %02d:%02d:%02d GMT", kDays[parts.tm_wday], parts.tm_mday,
                      kMonths[parts.tm_mon], 1900 + parts.tm_year, parts.tm_hour, parts.tm_min, parts.tm_sec);
    size = static_cast<std::size_t>(std::clamp<int>(length, 0, sizeof text - 1));
    last = now;
  }
  return {text, size};
}

}  // namespace kubexx::httpd
