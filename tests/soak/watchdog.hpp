#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "kubexx/base/clock.hpp"

namespace kubexx::soak {

/// Ends the process when nothing has moved for too long: a run that hangs says where, instead of nothing.
///
/// Threads: step() from any thread; what is to be done at the end is done on a thread of its own.
class Watchdog {
 public:
  /// `hung` gets what was under way; then the process ends with status 1.
  Watchdog(Duration patience, std::function<void(const std::string& step)> hung);

  /// From now on this is under way; a text that lives as long as the process.
  void step(const char* what);

 private:
  void watch(const std::stop_token& stop);

  const Duration patience_;
  const std::function<void(const std::string& step)> hung_;
  std::atomic<const char*> step_{"start"};
  std::atomic<Duration::rep> since_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace kubexx::soak
