#include <algorithm>

#include "base/internal/text.hpp"
#include "kubexx/transport/transport.hpp"

namespace kubexx::transport {

void Headers::set(std::string_view name, std::string value) {
  std::erase_if(fields_, [&](const Field& field) { return equals_ignoring_case(field.first, name); });
  fields_.emplace_back(std::string(name), std::move(value));
}

const std::string* Headers::find(std::string_view name) const noexcept {
  auto found = std::find_if(fields_.begin(), fields_.end(),
                            [&](const Field& field) { return equals_ignoring_case(field.first, name); });
  return found == fields_.end() ? nullptr : &found->second;
}

}  // namespace kubexx::transport
