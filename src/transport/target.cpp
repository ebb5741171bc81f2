#include "transport/target.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

namespace kubexx::transport {
namespace {

struct UrlDeleter {
  void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
};

std::string part(CURLU* url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, flags) != CURLUE_OK) return {};
  std::string result(text);
  curl_free(text);
  return result;
}

bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c > ' ' && c < 0x7f &&
           std::string_view("()<>@,;:\\\"/[]?={}").find(static_cast<char>(c)) == std::string_view::npos;
  });
}

}  // namespace

std::string Target::address() const {
  const bool bracketed = host.find(':') != std::string::npos;
  std::string result;
  if (bracketed) result += '[';
  result += host;
  if (bracketed) result += ']';
  result += ':';
  result += port;
  return result;
}

Result<Target> parse_target(const std::string& url) {
  std::unique_ptr<CURLU, UrlDeleter> parsed(curl_url());
  if (!parsed) return Error::config("out of memory");
  // PATH_AS_IS: names are percent-encoded by the caller, and ".." must stay what it is.
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_PATH_AS_IS) != CURLUE_OK ||
      url.find('\0') != std::string::npos)
    return Error::config("malformed URL");
  if (!part(parsed.get(), CURLUPART_USER).empty() || !part(parsed.get(), CURLUPART_PASSWORD).empty())
    return Error::config("credentials do not belong into a URL");
  Target target;
  target.scheme = part(parsed.get(), CURLUPART_SCHEME);
  if (target.scheme != "http" && target.scheme != "https")
    return Error::config("unsupported URL scheme \"" + target.scheme + "\"");
  target.host = part(parsed.get(), CURLUPART_HOST);
  if (target.host.size() > 2 && target.host.front() == '[') target.host = target.host.substr(1, target.host.size() - 2);
  if (target.host.empty()) return Error::config("URL without a host");
  target.port = part(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  target.authority = part(parsed.get(), CURLUPART_PORT).empty()
                         ? target.address().substr(0, target.address().size() - target.port.size() - 1)
                         : target.address();
  target.path = part(parsed.get(), CURLUPART_PATH);
  if (target.path.empty()) target.path.push_back('/');
  if (auto query = part(parsed.get(), CURLUPART_QUERY); !query.empty()) target.path.append(1, '?').append(query);
  return target;
}

Result<void> check_request(const Request& request) {
  if (!is_token(request.method)) return Error::config("malformed request method");
  for (const auto& [name, value] : request.headers.fields()) {
    if (!is_token(name)) return Error::config("malformed header name");
    bool clean =
        std::none_of(value.begin(), value.end(), [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; });
    if (!clean) return Error::config("control character in the value of header " + name);
  }
  return {};
}

}  // namespace kubexx::transport
