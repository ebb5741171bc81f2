#include <mutex>
#include <utility>

#include "base/internal/enum_name.hpp"
#include "controller/controller_impl.hpp"

namespace kubexx::controller {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::pair<const void*, LiveControllers::Ask>> controllers;  // guarded by mutex
};

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

void LiveControllers::add(const void* controller, Ask ask) {
  const std::lock_guard lock(registry().mutex);
  registry().controllers.emplace_back(controller, std::move(ask));
}

void LiveControllers::remove(const void* controller) {
  const std::lock_guard lock(registry().mutex);
  std::erase_if(registry().controllers, [&](const auto& entry) { return entry.first == controller; });
}

std::vector<ControllerStatus> live_controllers() {
  std::vector<std::pair<const void*, LiveControllers::Ask>> controllers;
  {
    const std::lock_guard lock(registry().mutex);
    controllers = registry().controllers;
  }
  std::vector<ControllerStatus> all;
  for (const auto& [controller, ask] : controllers) ask(all);
  return all;
}

std::string_view to_string(ControllerState state) noexcept {
  static constexpr std::string_view kNames[] = {"not started", "syncing", "working", "draining", "ended"};
  return enum_name<ControllerState::Ended>(state, kNames);
}

}  // namespace kubexx::controller
