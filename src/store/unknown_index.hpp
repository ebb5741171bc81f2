#pragma once

#include <string>
#include <string_view>

#include "kubexx/base/error.hpp"

namespace kubexx::store::detail {

inline Error unknown_index(std::string_view name) {
  return Error::config("there is no index named \"" + std::string(name) + "\"");
}

}  // namespace kubexx::store::detail
