#include "kubexx/delta/synchronized_queue.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "kubexx/base/detail/adaptive_mutex.hpp"
#include "kubexx/base/detail/spin.hpp"

namespace kubexx::delta {

/// Producers of single changes only note them in `staged`, under a mutex of their own; whoever holds the main mutex
/// moves them to the queue before it looks at it. So a producer and the consumer rarely meet, and what happens is the
/// same as if each change had gone to the queue at once.
struct KUBEXX_HIDDEN SynchronizedQueue::Impl {
  Impl(PlainQueue plain, Intake functions)
      : intake(std::move(functions)),
        queue(std::move(plain)),
        // Whether a deletion is worth queueing is decided by what is known when it comes.
        stages_deletions(std::holds_alternative<OrderedQueue>(queue)) {}

  Result<void> enqueue(DeltaType type, meta::Object object);
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version, bool repairs);
  void stage(Delta delta);
  bool take(Taken& into);
  bool wait(const std::stop_token& stop);

  // With mutex held.
  void merge_staged();
  void put(Delta delta);
  template <class Visit>
  auto visit(Visit&& with) {
    return std::visit(std::forward<Visit>(with), queue);
  }
  bool leave_empty() {  // true: it was empty before
    if (!is_empty.load()) return false;
    const std::lock_guard lock(staged_mutex);
    return is_empty.exchange(false);
  }

  /// Runs a change under the lock, then tells who waits for it.
  template <class Change>
  void change(Change make) {
    bool became_ready = false;
    bool is_synced = false;
    {
      const std::lock_guard lock(mutex);
      merge_staged();
      visit(make);
      visit([&](auto& plain) {
        populated.store(plain.is_populated(), std::memory_order_release);
        became_ready |= !plain.empty() && leave_empty();
        is_synced = plain.has_synced();
      });
    }
    if (became_ready) tell_ready();
    if (is_synced) latch_synced();
  }

  /// The same for what brings a version: where nothing is left to take, the consumer has reached it.
  template <class Change>
  void change_version(Change make) {
    bool nothing_to_take = false;
    change([&](auto& plain) {
      make(plain);
      nothing_to_take = plain.empty();
    });
    if (nothing_to_take) tell_ready();
  }

  void tell_ready() {
    wake();
    if (ready_hook) ready_hook();
  }
  void latch_synced() {
    if (!synced.exchange(true) && synced_hook) synced_hook();
  }
  void wake() {
    if (waiters.load() == 0) return;
    {
      const std::lock_guard lock(waiting_mutex);
    }
    condition.notify_all();
  }

  const Intake intake;
  std::function<void()> ready_hook;
  std::function<void()> synced_hook;
  std::atomic<bool> closed{false};
  std::atomic<bool> synced{false};
  std::atomic<bool> populated{false};  // set under mutex

  AdaptiveMutex mutex;  // before staged_mutex
  PlainQueue queue;     // guarded by mutex
  Deltas merging;       // guarded by mutex; empty between uses
  const bool stages_deletions;

  alignas(64) AdaptiveMutex staged_mutex;
  Deltas staged;                        // guarded by staged_mutex
  std::atomic<bool> has_staged{false};  // written under staged_mutex
  std::atomic<bool> is_empty{true};     // written under staged_mutex: neither queued nor staged

  std::atomic<int> waiters{0};
  std::mutex waiting_mutex;
  std::condition_variable_any condition;
};

namespace {

constexpr std::size_t kStagedLimit = 1024;  // then the producer moves them itself

}  // namespace

void SynchronizedQueue::Impl::put(Delta delta) {
  visit([&](auto& plain) {
    auto key = delta.take_key();
    auto object = delta.take_object();
    if (delta.type() == DeltaType::Added) return plain.add(std::move(key), std::move(object));
    if (delta.type() == DeltaType::Updated) return plain.update(std::move(key), std::move(object));
    plain.remove(std::move(key), std::move(object));
  });
}

void SynchronizedQueue::Impl::merge_staged() {
  if (!has_staged.load(std::memory_order_acquire)) return;
  {
    const std::lock_guard lock(staged_mutex);
    merging.swap(staged);
    has_staged.store(false, std::memory_order_relaxed);
  }
  for (Delta& delta : merging) put(std::move(delta));
  merging.clear();
}

void SynchronizedQueue::Impl::stage(Delta delta) {
  bool became_ready = false;
  bool full = false;
  {
    const std::lock_guard lock(staged_mutex);
    staged.push_back(std::move(delta));
    full = staged.size() >= kStagedLimit;
    if (staged.size() == 1) {
      has_staged.store(true, std::memory_order_release);
      became_ready = is_empty.load(std::memory_order_relaxed);
      if (became_ready) is_empty.store(false);
    }
  }
  if (became_ready) tell_ready();
  if (full && mutex.try_lock()) {
    const std::lock_guard lock(mutex, std::adopt_lock);
    merge_staged();
  }
}

Result<void> SynchronizedQueue::Impl::enqueue(DeltaType type, meta::Object object) {
  auto keyed = intake.take(std::move(object));
  if (!keyed) return keyed.error();
  Delta delta(type, std::move(keyed->key), std::move(keyed->object));
  const bool may_wait = type != DeltaType::Deleted || stages_deletions;
  if (may_wait && populated.load(std::memory_order_acquire)) {  // the first of all decides when the queue is synced
    stage(std::move(delta));
  } else {
    change([&](auto&) { put(std::move(delta)); });
  }
  return {};
}

Result<void> SynchronizedQueue::Impl::replace(std::vector<meta::Object> objects, std::string resource_version,
                                              bool repairs) {
  auto keyed = intake.take(std::move(objects));
  if (!keyed) return keyed.error();
  change_version([&](auto& plain) { plain.replace(std::move(*keyed), std::move(resource_version), repairs); });
  return {};
}

bool SynchronizedQueue::Impl::take(Taken& into) {
  const std::lock_guard lock(mutex);
  merge_staged();
  return visit([&](auto& plain) {
    if (!plain.take(into)) return false;
    if (!plain.empty()) return true;
    const std::lock_guard staged_lock(staged_mutex);
    if (staged.empty()) is_empty.store(true);
    return true;
  });
}

bool SynchronizedQueue::Impl::wait(const std::stop_token& stop) {
  const auto has_items = [&] { return !is_empty.load(); };
  // A busy producer is back before a sleep would begin.
  if (spin_until([&] { return has_items() || closed.load() || stop.stop_requested(); })) return has_items();
  std::unique_lock lock(waiting_mutex);
  waiters.fetch_add(1);
  condition.wait(lock, stop, [&] { return has_items() || closed.load(); });
  waiters.fetch_sub(1);
  return has_items();
}

SynchronizedQueue::SynchronizedQueue(PlainQueue queue, Intake intake)
    : impl_(std::make_unique<Impl>(std::move(queue), std::move(intake))) {}
SynchronizedQueue::~SynchronizedQueue() = default;

Result<void> SynchronizedQueue::add(meta::Object object) {
  return impl_->enqueue(DeltaType::Added, std::move(object));
}

Result<void> SynchronizedQueue::update(meta::Object object) {
  return impl_->enqueue(DeltaType::Updated, std::move(object));
}

Result<void> SynchronizedQueue::remove(meta::Object object) {
  return impl_->enqueue(DeltaType::Deleted, std::move(object));
}

Result<void> SynchronizedQueue::replace(std::vector<meta::Object> objects, std::string resource_version) {
  return impl_->replace(std::move(objects), std::move(resource_version), false);
}

Result<void> SynchronizedQueue::repair(std::vector<meta::Object> objects, std::string resource_version) {
  return impl_->replace(std::move(objects), std::move(resource_version), true);
}

Result<void> SynchronizedQueue::resync() {
  impl_->change([](auto& plain) { plain.resync(); });
  return {};
}

void SynchronizedQueue::bookmark(std::string_view resource_version) {
  impl_->change_version([&](auto& plain) { plain.bookmark(resource_version); });
}

Result<bool> SynchronizedQueue::try_pop(const Process& process) {
  Taken taken;
  if (!impl_->take(taken)) return false;
  auto done = detail::run(process, taken);
  bool is_synced = false;
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->visit([&](auto& plain) {
      plain.finish(taken);
      is_synced = plain.has_synced();
    });
  }
  if (is_synced) impl_->latch_synced();
  if (!done) return done.error();
  return true;
}

Result<void> SynchronizedQueue::add_if_not_present(Deltas deltas) {
  Result<void> put;
  impl_->change([&](auto& plain) { put = plain.add_if_not_present(std::move(deltas)); });
  return put;
}

Result<void> SynchronizedQueue::pop(const Process& process, std::stop_token stop) {
  while (true) {
    Result<bool> popped = try_pop(process);
    if (!popped) return popped.error();
    if (*popped) return {};
    if (!impl_->wait(stop)) return Error::canceled("the queue is closed or stopped");
  }
}

void SynchronizedQueue::on_ready(std::function<void()> hook) {
  impl_->ready_hook = std::move(hook);
}

void SynchronizedQueue::on_synced(std::function<void()> hook) {
  impl_->synced_hook = std::move(hook);
  if (has_synced() && impl_->synced_hook) impl_->synced_hook();
}

bool SynchronizedQueue::has_synced() const {
  return impl_->synced.load(std::memory_order_acquire);
}

std::size_t SynchronizedQueue::size() const {
  const std::lock_guard lock(impl_->mutex);
  impl_->merge_staged();
  return impl_->visit([](auto& plain) { return plain.size(); });
}

void SynchronizedQueue::close() {
  impl_->closed.store(true);
  impl_->tell_ready();
}

bool SynchronizedQueue::is_closed() const {
  return impl_->closed.load();
}

}  // namespace kubexx::delta
