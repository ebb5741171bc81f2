#pragma once

#include <cstddef>

namespace kubexx::apiserver {

/// What the body of a request may have, as in a real server.
inline constexpr std::size_t kMaxRequestBytes = 3 << 20;

/// What an object may become by defaults and patches, in memory and as text: far more than etcd would take of one.
inline constexpr std::size_t kMaxObjectBytes = 16 << 20;
/// How many structures it may consist of: each may get defaults.
inline constexpr std::size_t kMaxObjectParts = 100'000;

/// How many unknown fields and how many errors of one object are told, and how much of a value that is wrong.
inline constexpr std::size_t kMostComplaints = 100;
inline constexpr std::size_t kMostShown = 4096;

}  // namespace kubexx::apiserver
