#include "rest/token_expiry.hpp"

#include <algorithm>
#include <string>

#include "base/internal/base64.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::rest {
namespace {

constexpr std::size_t kLongestClaims = 16 << 10;
constexpr std::int64_t kLatest = 253402300799;  // the end of the year 9999, the last that a Time can say

}  // namespace

std::optional<meta::Time> expiry_of_token(std::string_view token) {
  const auto first = token.find('.');
  const auto second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || second - first > kLongestClaims) return std::nullopt;
  std::string claims(token.substr(first + 1, second - first - 1));
  std::ranges::replace(claims, '-', '+');  // base64url, whose padding is left out
  std::ranges::replace(claims, '_', '/');
  claims.append((4 - claims.size() % 4) % 4, '=');
  const auto text = base64_decode(claims);
  if (!text) return std::nullopt;
  const auto parsed = meta::parse_json(*text, {.max_bytes = kLongestClaims, .max_depth = 16});
  if (!parsed) return std::nullopt;
  const auto seconds = (*parsed)["exp"].get_int();
  if (!seconds || *seconds < 0 || *seconds > kLatest) return std::nullopt;
  return meta::Time{*seconds};
}

}  // namespace kubexx::rest
