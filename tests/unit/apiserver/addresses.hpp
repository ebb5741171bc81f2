#pragma once

#include <string>

namespace kubexx::apiserver {

inline const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";

}  // namespace kubexx::apiserver
