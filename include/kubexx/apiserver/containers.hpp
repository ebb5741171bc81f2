#pragma once

#include <string>

namespace kubexx::apiserver {

/// A container of a pod, for tests that play the node it runs on.
struct ContainerKey {
  std::string namespace_ = {};
  std::string pod = {};
  std::string container = {};  ///< empty: the only one
};

}  // namespace kubexx::apiserver
