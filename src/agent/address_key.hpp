#pragma once

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace kubexx::agent {

/// An address as 16 bytes, so that every way to write one is the same; those of IPv4 as IPv6 has them (::ffff:a.b.c.d).
using AddressKey = std::array<char, 16>;

inline std::string_view bytes_of(const AddressKey& key) noexcept {
  return {key.data(), key.size()};
}

inline std::optional<AddressKey> parse_address(std::string_view text) noexcept {
  std::array<char, INET6_ADDRSTRLEN> terminated{};
  if (text.empty() || text.size() >= terminated.size()) return std::nullopt;
  std::ranges::copy(text, terminated.begin());
  AddressKey key{};
  if (text.find(':') != std::string_view::npos) {
    if (inet_pton(AF_INET6, terminated.data(), key.data()) != 1) return std::nullopt;
    return key;
  }
  key[10] = key[11] = static_cast<char>(0xff);
  if (inet_pton(AF_INET, terminated.data(), key.data() + 12) != 1) return std::nullopt;
  return key;
}

}  // namespace kubexx::agent
