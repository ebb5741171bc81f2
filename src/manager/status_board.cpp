#include "manager/status_board.hpp"

#include <algorithm>

namespace kubexx::manager {

std::string_view to_string(ComponentState state) noexcept {
  switch (state) {
    case ComponentState::NotStarted:
      return "not started";
    case ComponentState::Standby:
      return "standby";
    case ComponentState::Starting:
      return "starting";
    case ComponentState::Running:
      return "running";
    case ComponentState::Stopping:
      return "stopping";
    case ComponentState::Ended:
      return "ended";
    case ComponentState::Failed:
      return "failed";
    case ComponentState::Stuck:
      return "stuck";
  }
  return "";
}

std::string_view to_string(ManagerState state) noexcept {
  switch (state) {
    case ManagerState::NotStarted:
      return "not started";
    case ManagerState::Starting:
      return "starting";
    case ManagerState::Running:
      return "running";
    case ManagerState::Stopping:
      return "stopping";
    case ManagerState::Ended:
      return "ended";
  }
  return "";
}

const ComponentStatus* ManagerStatus::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(components.begin(), components.end(), [&](const auto& each) { return each.name == name; });
  return found == components.end() ? nullptr : &*found;
}

std::size_t StatusBoard::add(std::string name, bool needs_leader, ComponentState state) {
  const std::lock_guard lock(mutex_);
  status_.components.push_back({std::move(name), state, now(), needs_leader, 0, {}});
  return status_.components.size() - 1;
}

void StatusBoard::set(std::size_t component, ComponentState state, std::optional<Error> error) {
  {
    const std::lock_guard lock(mutex_);
    auto& one = status_.components[component];
    one.state = state;
    one.since = now();
    if (state == ComponentState::Starting) ++one.runs;
    if (error) one.last_error = std::move(error);
  }
  changed_();
}

void StatusBoard::set(ManagerState state) {
  {
    const std::lock_guard lock(mutex_);
    status_.state = state;
    status_.since = now();
  }
  changed_();
}

void StatusBoard::set_reason(const Error& reason) {
  const std::lock_guard lock(mutex_);
  status_.reason = reason;
}

ManagerStatus StatusBoard::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

}  // namespace kubexx::manager
