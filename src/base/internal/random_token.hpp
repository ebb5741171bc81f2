#pragma once

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "base/internal/wipe.hpp"

namespace kubexx {

/// 128 bits of the kernel's generator as 32 hexadecimal digits: nobody computes them from other numbers of the process.
/// Throws std::system_error where the kernel has none, which is no place for secrets.
inline std::string random_token() {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, 16> bytes{};
  ssize_t count = -1;
  while ((count = getrandom(bytes.data(), bytes.size(), 0)) < 0 && errno == EINTR) {
  }
  if (count != static_cast<ssize_t>(bytes.size())) throw std::system_error(errno, std::generic_category(), "getrandom");
  std::string token;
  token.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  explicit_bzero(bytes.data(), bytes.size());
  return token;
}

}  // namespace kubexx
