#include "election/shard_ledger.hpp"

namespace kubexx::election {

bool ShardLedger::has(std::size_t slot) const {
  return guard_ && owned_.has(slot) && !guard_->closed();
}

ShardWork ShardLedger::begin(std::string_view key) {
  const auto slot = ShardSet::slot_of(key);
  const std::lock_guard lock(mutex_);
  if (!has(slot)) return {};
  ++active_[slot];
  return {shared_from_this(), slot, LeaderGuard(guard_)};
}

void ShardLedger::finish(std::size_t slot) noexcept {
  std::function<void()> tell;
  {
    const std::lock_guard lock(mutex_);
    if (--active_[slot] == 0 && awaited_.has(slot)) tell = tell_;
  }
  if (tell) tell();
}

bool ShardLedger::owns(std::string_view key) const {
  const auto slot = ShardSet::slot_of(key);
  const std::lock_guard lock(mutex_);
  return has(slot);
}

ShardSet ShardLedger::owned() const {
  const std::lock_guard lock(mutex_);
  return guard_ && !guard_->closed() ? owned_ : ShardSet();
}

void ShardLedger::set_guard(std::shared_ptr<LeaderGuard::Impl> guard) {
  const std::lock_guard lock(mutex_);
  guard_ = std::move(guard);
}

void ShardLedger::set_owned(const ShardSet& slots) {
  const std::lock_guard lock(mutex_);
  owned_ = slots;
}

bool ShardLedger::idle(const ShardSet& slots) {
  const std::lock_guard lock(mutex_);
  awaited_ = slots;
  for (std::size_t slot = 0; slot < kShardSlots; ++slot) {
    if (slots.has(slot) && active_[slot] > 0) return false;
  }
  awaited_ = {};
  return true;
}

void ShardLedger::on_idle(std::function<void()> tell) {
  const std::lock_guard lock(mutex_);
  tell_ = std::move(tell);
}

ShardWork::ShardWork(std::shared_ptr<ShardLedger> ledger, std::size_t slot, LeaderGuard guard)
    : ledger_(std::move(ledger)), slot_(slot), guard_(std::move(guard)) {}

ShardWork::ShardWork(ShardWork&& other) noexcept
    : ledger_(std::exchange(other.ledger_, nullptr)), slot_(other.slot_), guard_(std::move(other.guard_)) {}

ShardWork& ShardWork::operator=(ShardWork&& other) noexcept {
  if (this != &other) {
    finish();
    ledger_ = std::exchange(other.ledger_, nullptr);
    slot_ = other.slot_;
    guard_ = std::move(other.guard_);
  }
  return *this;
}

ShardWork::~ShardWork() {
  finish();
}

void ShardWork::finish() noexcept {
  if (const auto ledger = std::exchange(ledger_, nullptr)) ledger->finish(slot_);
}

}  // namespace kubexx::election
