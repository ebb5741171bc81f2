#pragma once

#include <cstddef>

namespace kubexx::transport {

/// Names and values of one answer's header and trailers together; a peer that sends more is cut off.
inline constexpr std::size_t kMaxHeaderBytes = 256 * 1024;

}  // namespace kubexx::transport
