#include "kubexx/election/leader_elector.hpp"

#include <stdexcept>

#include "election/leader_machine.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::election {
Result<void> LeaderElectionOptions::validate() const {
  if (namespace_.empty() || name.empty())
    return Error::config("leader election: the lease needs a namespace and a name");
  if (identity.empty()) return Error::config("leader election: the identity must not be empty");
  if (retry_period <= Duration::zero()) return Error::config("leader election: retry_period must be positive");
  if (lease_duration <= renew_deadline) {
    return Error::config("leader election: lease_duration must be longer than renew_deadline");
  }
  if (static_cast<double>(renew_deadline.count()) <= kRetryJitter * static_cast<double>(retry_period.count())) {
    return Error::config("leader election: renew_deadline must be longer than 1.2 times retry_period");
  }
  return {};
}

/// Runs one machine after the other, blocking.
class LeaderElector::Impl {
 public:
  Impl(rest::Client client, LeaderElectionOptions options, LeaderCallbacks callbacks)
      : client_(std::move(client)), options_(std::move(options)), callbacks_(std::move(callbacks)) {}

  void run(const std::stop_token& stop) {
    const kubexx::detail::Awaited awaited{client_.executor().get(), client_.handlers().get()};
    awaited.possible().value();
    struct Wait {
      std::mutex mutex;
      kubexx::detail::DrivingCondition changed;
      bool ended = false;  // guarded by mutex
    };
    const auto wait = std::make_shared<Wait>();
    const auto machine = std::make_shared<LeaderMachine>(client_, options_, callbacks_);
    {
      const std::lock_guard lock(mutex_);
      if (running_) throw std::logic_error("LeaderElector::run: it runs already");
      running_ = true;
      machine_ = machine;
    }
    machine->start([wait] {
      const std::lock_guard lock(wait->mutex);
      wait->ended = true;
      wait->changed.notify_all();
    });
    const auto ended = [&] {
      const std::stop_callback on_stop(stop, [&] { machine->stop(); });
      std::unique_lock lock(wait->mutex);
      return wait->changed.wait(awaited, lock, [&] { return wait->ended; });
    }();
    if (!ended) machine->stop();
    {
      const std::lock_guard lock(mutex_);
      running_ = false;
    }
    static_cast<void>(ended.value());
    if (callbacks_.on_stopped_leading) call_isolated("on_stopped_leading", callbacks_.on_stopped_leading);
  }

  std::shared_ptr<const LeaderMachine> machine() const {
    const std::lock_guard lock(mutex_);
    return machine_;
  }

 private:
  const rest::Client client_;
  const LeaderElectionOptions options_;
  const LeaderCallbacks callbacks_;
  mutable std::mutex mutex_;
  std::shared_ptr<const LeaderMachine> machine_;  // guarded by mutex_; the last one
  bool running_ = false;                          // guarded by mutex_
};

Result<std::unique_ptr<LeaderElector>> LeaderElector::create(rest::Client client, LeaderElectionOptions options,
                                                             LeaderCallbacks callbacks) {
  if (auto valid = options.validate(); !valid) return valid.error();
  if (!callbacks.on_started_leading) return Error::config("leader election: on_started_leading is needed");
  return std::unique_ptr<LeaderElector>(
      new LeaderElector(std::make_shared<Impl>(std::move(client), std::move(options), std::move(callbacks))));
}

LeaderElector::LeaderElector(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
LeaderElector::~LeaderElector() = default;

void LeaderElector::run(std::stop_token stop) {
  impl_->run(stop);
}

bool LeaderElector::is_leader() const {
  const auto machine = impl_->machine();
  return machine && machine->is_leader();
}

std::string LeaderElector::leader() const {
  const auto machine = impl_->machine();
  return machine ? machine->leader() : std::string();
}

Result<void> LeaderElector::check(Duration tolerance) const {
  const auto machine = impl_->machine();
  return machine ? machine->check(tolerance) : Result<void>();
}

void LeaderHealth::watch(std::shared_ptr<const LeaderElector> elector) {
  const std::lock_guard lock(mutex_);
  elector_ = std::move(elector);
}

Result<void> LeaderHealth::check() const {
  std::shared_ptr<const LeaderElector> elector;
  {
    const std::lock_guard lock(mutex_);
    elector = elector_;
  }
  return elector ? elector->check(tolerance_) : Result<void>();
}

}  // namespace kubexx::election
