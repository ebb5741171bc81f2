#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kubexx::apiserver {

/// Where in an object something is: a chain on the stack, made into text only when somebody asks.
struct Path {
  const Path* parent = nullptr;  ///< null: the root
  std::string_view name{};
  std::size_t index = 0;
  bool is_index = false;
  bool is_key = false;  ///< of a map: "properties[spec]"
};

/// "spec.containers[0].name"; as much of it as a message can carry.
std::string text_of(const Path* path);

}  // namespace kubexx::apiserver
