#include <algorithm>

#include "base/internal/text.hpp"
#include "base/internal/wipe.hpp"
#include "kubexx/transport/transport.hpp"

namespace kubexx::transport {
namespace {

void wipe_credential(Headers::Field& field) noexcept {
  const auto& name = field.first;
  if (equals_ignoring_case(name, "authorization") || equals_ignoring_case(name, "proxy-authorization"))
    wipe(field.second);
}

}  // namespace

Headers::~Headers() {
  for (auto& field : fields_) wipe_credential(field);
}

void Headers::set(std::string_view name, std::string value) {
  std::erase_if(fields_, [&](Field& field) {
    if (!equals_ignoring_case(field.first, name)) return false;
    wipe_credential(field);
    return true;
  });
  fields_.emplace_back(std::string(name), std::move(value));
}

const std::string* Headers::find(std::string_view name) const noexcept {
  auto found = std::find_if(fields_.begin(), fields_.end(),
                            [&](const Field& field) { return equals_ignoring_case(field.first, name); });
  return found == fields_.end() ? nullptr : &found->second;
}

}  // namespace kubexx::transport
