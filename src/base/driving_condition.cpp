#include "kubexx/base/detail/driving_condition.hpp"

#include <algorithm>

#include "base/internal/insist.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::detail {
namespace {

Error for_ever(const char* why) {
  return Error::config(std::string("a blocking call on the thread that runs its executor would wait for ever: ") + why);
}

/// False: it cannot, or threw.
bool drive_once(Executor& executor, TimePoint until) noexcept {
  try {
    return executor.drive(until);
  } catch (...) {
    report_error(current_exception_as_error(), "executor");
    return false;
  }
}

void nudge(Executor& executor) noexcept {
  try {
    executor.post([] {});
  } catch (...) {
    report_error(current_exception_as_error(), "executor");
  }
}

}  // namespace

void Awaited::add(Executor* executor) {
  if (!executor || executor == own_ || !executor->runs_only_here()) return;
  several_ = several_ || (own_ && (own_->watches() || executor->watches()));
  if (!own_) own_ = executor;
}

Result<void> Awaited::possible() const {
  if (!own_) return {};
  if (several_) return for_ever("it depends on several loops of this thread");
  if (!drive_once(*own_, TimePoint::min())) return for_ever("nothing else can run there now");
  return {};
}

Result<bool> DrivingCondition::wait(const Awaited& awaited, std::unique_lock<std::mutex>& lock,
                                    const std::function<bool()>& ready, const std::stop_token& stop, TimePoint until) {
  if (awaited.own()) {
    if (ready()) return true;
    if (stop.stop_requested() || Clock::system().now() >= until) return false;
    if (awaited.several()) return for_ever("it depends on several loops of this thread");
    return drive(*awaited.own(), lock, ready, stop, until);
  }
  if (until == TimePoint::max()) return changed_.wait(lock, stop, ready);
  return changed_.wait_until(lock, stop, until, ready);
}

Result<bool> DrivingCondition::drive(Executor& executor, std::unique_lock<std::mutex>& lock,
                                     const std::function<bool()>& ready, const std::stop_token& stop, TimePoint until) {
  const std::stop_callback on_stop(stop, [&]() noexcept { nudge(executor); });
  struct Driven {
    Driven(std::vector<Executor*>& all, Executor& one) : all_(all), one_(&one) {
      insist([this] { all_.push_back(one_); });  // destructors wait here
    }
    ~Driven() { all_.erase(std::find(all_.begin(), all_.end(), one_)); }
    std::vector<Executor*>& all_;
    Executor* const one_;
  } const driven(driven_, executor);  // goes with the lock held
  while (!ready()) {
    if (stop.stop_requested() || Clock::system().now() >= until) return false;
    lock.unlock();
    const bool drove = drive_once(executor, until);
    lock.lock();
    if (!drove) {
      if (ready()) return true;
      return for_ever("nothing else can run there now");
    }
  }
  return true;
}

// A waiting thread that is this one comes back by itself.
void DrivingCondition::notify_all() noexcept {
  changed_.notify_all();
  for (Executor* const each : driven_) {
    if (!each->runs_only_here()) nudge(*each);
  }
}

}  // namespace kubexx::detail
