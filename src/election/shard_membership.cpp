#include "kubexx/election/shard_membership.hpp"

#include <mutex>

#include "election/shard_machine.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/election/leader_elector.hpp"

namespace kubexx::election {

Result<void> ShardOptions::validate() const {
  if (group.empty()) return Error::config("shards: the group must not be empty");
  if (identity.empty() || identity.find(',') != std::string::npos) {
    return Error::config("shards: the identity must be a name");
  }
  if (group.size() + 1 + identity.size() > 253) return Error::config("shards: group and identity are too long");
  LeaderElectionOptions same;
  same.namespace_ = namespace_;
  same.name = group;
  same.identity = identity;
  same.lease_duration = lease_duration;
  same.renew_deadline = renew_deadline;
  same.retry_period = retry_period;
  return same.validate().context("shards");
}

class KUBEXX_HIDDEN ShardMembership::Impl {
 public:
  Impl(rest::Client client, ShardOptions options, ShardCallbacks callbacks)
      : executor_(client.executor()),
        handlers_(client.handlers()),
        patience_(options.renew_deadline),
        machine_(std::make_shared<ShardMachine>(std::move(client), std::move(options), std::move(callbacks))) {}

  /// The time is of the executor's clock, as that of everything here.
  bool leave(Duration timeout) {
    struct Wait {
      std::mutex mutex;
      kubexx::detail::DrivingCondition changed;
      bool left = false;  // guarded by mutex
      bool late = false;  // guarded by mutex
    };
    const auto wait = std::make_shared<Wait>();
    machine_->leave([wait] {
      const std::lock_guard lock(wait->mutex);
      wait->left = true;
      wait->changed.notify_all();
    });
    Timer limit = executor_->post_after(timeout, [wait, machine = machine_] {
      {
        const std::lock_guard lock(wait->mutex);
        wait->late = !wait->left;
      }
      machine->abandon();
    });
    std::unique_lock lock(wait->mutex);
    const auto met = wait->changed.wait(awaited(), lock, [&] { return wait->left; });
    const bool in_time = met && !wait->late;
    lock.unlock();
    limit.cancel();
    if (!met) {
      machine_->abandon();
      report_error(met.error(), "shards");
    }
    return in_time;
  }
  void await_callbacks() {
    const auto last = std::make_shared<kubexx::detail::Ended>();
    machine_->after_callbacks([last] { last->tell(); });
    if (const auto over = last->wait(awaited()); !over) report_error(over.error(), "shards");
  }
  Duration patience() const { return patience_; }
  const std::shared_ptr<ShardMachine>& machine() const { return machine_; }

 private:
  kubexx::detail::Awaited awaited() const { return {executor_.get(), handlers_.get()}; }

  const std::shared_ptr<Executor> executor_;
  const std::shared_ptr<Executor> handlers_;
  const Duration patience_;
  const std::shared_ptr<ShardMachine> machine_;
};

Result<std::unique_ptr<ShardMembership>> ShardMembership::create(rest::Client client, ShardOptions options,
                                                                 ShardCallbacks callbacks) {
  if (auto valid = options.validate(); !valid) return valid.error();
  return std::unique_ptr<ShardMembership>(
      new ShardMembership(std::make_unique<Impl>(std::move(client), std::move(options), std::move(callbacks))));
}

ShardMembership::ShardMembership(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ShardMembership::~ShardMembership() {
  leave(impl_->patience());
  impl_->await_callbacks();
}

void ShardMembership::start() {
  impl_->machine()->start();
}
bool ShardMembership::leave(Duration timeout) {
  return impl_->leave(timeout);
}
bool ShardMembership::owns(std::string_view key) const {
  return impl_->machine()->ledger()->owns(key);
}
ShardWork ShardMembership::begin(std::string_view key) {
  return impl_->machine()->ledger()->begin(key);
}
ShardSet ShardMembership::owned() const {
  return impl_->machine()->ledger()->owned();
}
std::vector<std::string> ShardMembership::members() const {
  return impl_->machine()->members();
}

}  // namespace kubexx::election
