#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kubexx/meta/object.hpp"

namespace kubexx::logs {

/// What a pod's status says of one of its containers.
struct ContainerState {
  bool started = false;  ///< there is a log
  bool over = false;     ///< nothing more will be written to it
  bool last = false;     ///< and it will not start again
  std::int64_t restarts = 0;
  friend bool operator==(const ContainerState&, const ContainerState&) = default;
};

ContainerState container_state(const meta::Object& pod, std::string_view container);
/// The names of all containers, those for the start and for debugging too.
std::vector<std::string_view> container_names(const meta::Object& pod);

}  // namespace kubexx::logs
