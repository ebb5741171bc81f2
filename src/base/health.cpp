#include "kubexx/base/health.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "base/internal/enum_name.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx {

namespace {

bool usable_check_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
           c == '.';
  });
}

bool serves(HealthProbe check, HealthProbe asked) {
  return (static_cast<unsigned>(check) & static_cast<unsigned>(asked)) != 0;
}

thread_local const void* running_check = nullptr;  // the one this thread is in

}  // namespace

std::string_view to_string(HealthState state) noexcept {
  static constexpr std::string_view kNames[] = {"ok", "standby", "failed"};
  return enum_name<HealthState::Failed>(state, kNames);
}

Health::Health(const Result<void>& result) {
  if (!result) *this = Health(result.error());
}

Health::Health(const Error& error) : state_(HealthState::Failed), reason_(error.message()) {}

Health Health::standby(std::string reason) {
  Health made;
  made.state_ = HealthState::Standby;
  made.reason_ = std::move(reason);
  return made;
}

struct KUBEXX_HIDDEN HealthChecks::Impl {
  explicit Impl(const Clock& c) : clock(c) {}
  const Clock& clock;
  std::mutex mutex;
  std::vector<std::shared_ptr<HealthRegistration::Entry>> entries;  // guarded by mutex
};

struct KUBEXX_HIDDEN HealthRegistration::Entry {
  std::string name;
  HealthProbe probe = HealthProbe::Both;
  HealthCheck check;
  std::weak_ptr<HealthChecks::Impl> checks;

  std::mutex mutex;
  std::condition_variable idle;
  bool removed = false;     // guarded by mutex
  std::size_t running = 0;  // guarded by mutex

  bool enter() {
    const std::lock_guard lock(mutex);
    if (!removed) ++running;
    return !removed;
  }
  void leave() {
    const std::lock_guard lock(mutex);
    if (--running == 0) idle.notify_all();
  }

  HealthResult run(const Clock& clock) {
    HealthResult result;
    result.name = name;
    const TimePoint begin = clock.now();
    const void* outer = std::exchange(running_check, this);
    Health found;
    try {
      found = check();
    } catch (...) {
      found = current_exception_as_error();
    }
    running_check = outer;
    result.state = found.state();
    result.reason = found.reason();
    result.duration = clock.now() - begin;
    return result;
  }
};

HealthRegistration& HealthRegistration::operator=(HealthRegistration&& other) noexcept {
  if (this != &other) {
    remove();
    entry_ = std::move(other.entry_);
  }
  return *this;
}

HealthRegistration::~HealthRegistration() {
  remove();
}

void HealthRegistration::remove() noexcept {
  const auto entry = std::exchange(entry_, nullptr);
  if (!entry) return;
  if (const auto checks = entry->checks.lock()) {
    const std::lock_guard lock(checks->mutex);
    std::erase(checks->entries, entry);
  }
  std::unique_lock lock(entry->mutex);
  entry->removed = true;
  if (running_check != entry.get()) entry->idle.wait(lock, [&] { return entry->running == 0; });
}

void HealthRegistration::release() noexcept {
  entry_.reset();
}

HealthChecks::HealthChecks(const Clock& clock) : impl_(std::make_shared<Impl>(clock)) {}
HealthChecks::~HealthChecks() = default;

HealthRegistration HealthChecks::add(std::string name, HealthProbe probe, HealthCheck check) {
  if (!usable_check_name(name)) throw std::logic_error("health check \"" + name + "\": not a name for one");
  if (!check) throw std::logic_error("health check " + name + ": the function is empty");
  auto entry = std::make_shared<HealthRegistration::Entry>();
  entry->name = std::move(name);
  entry->probe = probe;
  entry->check = std::move(check);
  entry->checks = impl_;
  {
    const std::lock_guard lock(impl_->mutex);
    for (const auto& other : impl_->entries) {
      if (other->name == entry->name) throw std::logic_error("health check " + entry->name + ": is there already");
    }
    impl_->entries.push_back(entry);
  }
  HealthRegistration registration;
  registration.entry_ = std::move(entry);
  return registration;
}

std::vector<HealthResult> HealthChecks::run(HealthProbe probe,
                                            const std::function<bool(std::string_view)>& wanted) const {
  std::vector<std::shared_ptr<HealthRegistration::Entry>> entries;
  {
    const std::lock_guard lock(impl_->mutex);
    entries = impl_->entries;
  }
  std::vector<HealthResult> results;
  for (const auto& entry : entries) {
    if (!serves(entry->probe, probe) || (wanted && !wanted(entry->name)) || !entry->enter()) continue;
    struct Leave {
      HealthRegistration::Entry& entry;
      ~Leave() { entry.leave(); }
    } leave{*entry};
    results.push_back(entry->run(impl_->clock));
  }
  return results;
}

std::size_t HealthChecks::size() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->entries.size();
}

}  // namespace kubexx
