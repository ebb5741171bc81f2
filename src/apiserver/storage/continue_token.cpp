#include "apiserver/storage/continue_token.hpp"

#include "kubexx/base/error.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string base64url(std::string_view bytes) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      out += kAlphabet[(bits >> count) & 63];
    }
  }
  if (count) out += kAlphabet[(bits << (6 - count)) & 63];
  return out;
}

Result<std::string> from_base64url(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = text[i] ? std::string_view(kAlphabet).find(text[i]) : std::string_view::npos;
    if (digit == std::string_view::npos) return Error::decode("illegal base64 data at input byte " + std::to_string(i));
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>((bits >> count) & 255);
    }
  }
  return out;
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
