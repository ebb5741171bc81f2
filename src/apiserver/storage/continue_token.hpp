#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kubexx/base/result.hpp"

namespace kubexx::apiserver {

/// Where a list goes on, in the form of a real server: base64url of {"v","rv","start"}.
struct ContinueToken {
  std::int64_t version = 0;  ///< -1: whatever is current
  std::string start;         ///< key behind the prefix of the list

  std::string encode() const;
  static Result<ContinueToken> decode(std::string_view text);
};

}  // namespace kubexx::apiserver
