#include "apiserver/storage/continue_token.hpp"

#include <algorithm>

#include "base/internal/base64.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void exchange(std::string& text, char from_62, char from_63, char to_62, char to_63) {
  std::replace(text.begin(), text.end(), from_62, to_62);
  std::replace(text.begin(), text.end(), from_63, to_63);
}

std::string base64url(std::string_view bytes) {
  std::string out = base64_encode(bytes);
  out.erase(out.find_last_not_of('=') + 1);
  exchange(out, '+', '/', '-', '_');
  return out;
}

Result<std::string> from_base64url(std::string_view text) {
  if (const auto bad = text.find_first_not_of(kAlphabet); bad != std::string_view::npos)
    return Error::decode("illegal base64 data at input byte " + std::to_string(bad));
  std::string plain(text);
  exchange(plain, '-', '_', '+', '/');
  plain.append((4 - plain.size() % 4) % 4, '=');
  return base64_decode(plain);
}

}  // namespace

std::string ContinueToken::encode() const {
  std::string json = "{\"v\":\"meta.k8s.io/v1\",\"rv\":" + std::to_string(version) + ",\"start\":";
  meta::append_json_string(json, '/' + start);
  return base64url(json + '}');
}

Result<ContinueToken> ContinueToken::decode(std::string_view text) {
  auto json = from_base64url(text);
  if (!json) return Error::decode("continue key is not valid: " + json.error().message());
  auto document = meta::parse_json(*json);
  if (!document) return Error::decode("continue key is not valid: " + document.error().message());
  if ((*document)["v"].string() != "meta.k8s.io/v1")
    return Error::decode("continue key is not valid: server does not recognize this encoded version");
  const auto version = (*document)["rv"].get_int();
  std::string_view start = (*document)["start"].string();
  if (!version || *version == 0)
    return Error::decode("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (!start.starts_with('/'))
    return Error::decode("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
  start.remove_prefix(1);
  return ContinueToken{*version, std::string(start)};
}

}  // namespace kubexx::apiserver
