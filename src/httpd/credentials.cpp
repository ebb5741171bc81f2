#include "kubexx/httpd/credentials.hpp"

#include <strings.h>

#include <cstddef>

namespace kubexx::httpd {

std::string_view bearer_token(std::string_view authorization) noexcept {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() <= kScheme.size()) return {};
  if (strncasecmp(authorization.data(), kScheme.data(), kScheme.size()) != 0) return {};
  authorization.remove_prefix(kScheme.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  return authorization.substr(0, authorization.find(' '));
}

bool same_secret(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return difference == 0;
}

}  // namespace kubexx::httpd
