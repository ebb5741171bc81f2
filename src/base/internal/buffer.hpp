#pragma once

#include <cstddef>
#include <string>

namespace kubexx {

/// What a buffer that is filled again and again may keep when it is empty; larger ones are given back.
inline constexpr std::size_t kKeptBuffer = std::size_t{1} << 20;

inline void empty_buffer(std::string& buffer) noexcept {
  buffer.clear();
  if (buffer.capacity() > kKeptBuffer) std::string().swap(buffer);
}

}  // namespace kubexx
