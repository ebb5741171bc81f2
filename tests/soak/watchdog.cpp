#include "soak/watchdog.hpp"

#include <cstdlib>

#include "kubexx/base/stop.hpp"

namespace kubexx::soak {
namespace {

Duration::rep ticks_now() {
  return Clock::system().now().time_since_epoch().count();
}

}  // namespace

Watchdog::Watchdog(Duration patience, std::function<void(const std::string& step)> hung)
    : patience_(patience), hung_(std::move(hung)), since_(ticks_now()) {
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

void Watchdog::step(const char* what) {
  step_ = what;
  since_ = ticks_now();
}

void Watchdog::watch(const std::stop_token& stop) {
  while (!wait_for_stop(stop, std::chrono::seconds(1))) {
    if (Duration(ticks_now() - since_) < patience_) continue;
    hung_(step_.load());
    std::_Exit(1);
  }
}

}  // namespace kubexx::soak
