#include "kubexx/election/shard_membership.hpp"

#include <mutex>

#include "base/internal/deadline.hpp"
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

  bool leave(Duration timeout) {
    struct Wait {
      std::mutex mutex;
      kubexx::detail::DrivingCondition changed;
      bool left = false;  // guarded by mutex
    };
    const auto wait = std::make_shared<Wait>();
    machine_->leave([wait] {
      const std::lock_guard lock(wait->mutex);
      wait->left = true;
      wait->changed.notify_all();
    });
    const kubexx::detail::Awaited awaited{executor_.get(), handlers_.get()};
    std::unique_lock lock(wait->mutex);
    const auto left = [&] { return wait->left; };
    const auto until = kubexx::detail::after(Clock::system().now(), timeout);
    auto met = wait->changed.wait(awaited, lock, left, {}, until);
    if (met && *met) return true;
    machine_->abandon();
    if (met) met = wait->changed.wait(awaited, lock, left);
    lock.unlock();
    if (!met) report_error(met.error(), "shards");
    return false;
  }
  Duration patience() const { return patience_; }
  const std::shared_ptr<ShardMachine>& machine() const { return machine_; }

 private:
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
