#include "base/loop_executor_impl.hpp"

#include "base/internal/insist.hpp"
#include "base/internal/watch_handle.hpp"

namespace kubexx {
namespace {

constexpr int kDeepestDrive = 64;  // so many calls inside each other still leave most of a stack

}  // namespace

bool Executor::drive(TimePoint) {
  return false;
}

std::shared_ptr<void> Executor::watch(int, std::function<void()>) {
  throw std::logic_error("Executor: it does not wait for descriptors");
}

LoopExecutor::LoopExecutor() : impl_(std::make_shared<Impl>()) {}

LoopExecutor::~LoopExecutor() {
  shut_down();
}

void LoopExecutor::shut_down() {
  std::unique_ptr<BurstQueue<Task>> dropped_ready;
  insist([&] { dropped_ready = std::make_unique<BurstQueue<Task>>(); });  // an empty one needs memory too
  detail::TimerHeap dropped_timers;
  std::map<std::uint64_t, Impl::Watched> dropped_watched;
  const std::lock_guard lock(impl_->mutex);
  impl_->stopping = true;
  dropped_ready->swap(impl_->ready);
  std::swap(dropped_timers, impl_->timers);
  dropped_watched.swap(impl_->watched);
  for (const auto& [id, watched] : dropped_watched) epoll_ctl(impl_->epoll.get(), EPOLL_CTL_DEL, watched.fd, nullptr);
  // What goes here, after the lock, may still post: such tasks are dropped too.
}

int LoopExecutor::fd() const noexcept {
  return impl_->epoll.get();
}

std::size_t LoopExecutor::run_ready() {
  const Impl::Inside inside(impl_);
  return inside->turn(TimePoint::min());
}

std::optional<TimePoint> LoopExecutor::next_due() const {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->ready.empty()) return TimePoint::min();
  return impl_->timers.next();
}

bool LoopExecutor::drive(TimePoint until) {
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->stopping) return false;
  }
  if (impl_->in_watch || impl_->depth.load() >= kDeepestDrive) return false;
  const Impl::Inside inside(impl_);
  inside->turn(until);
  return true;
}

bool LoopExecutor::run_until(const std::function<bool()>& done, const std::stop_token& stop,
                             std::optional<Duration> timeout) {
  const TimePoint until = detail::after(clock().now(), timeout.value_or(Duration::max()));
  const std::stop_callback on_stop(stop, [this]() noexcept {
    try {
      post([] {});
    } catch (...) {
      report_error(current_exception_as_error(), "loop");
    }
  });
  const Impl::Inside inside(impl_);  // from one turn to the next nobody need make the descriptor readable
  while (!done()) {
    if (stop.stop_requested() || clock().now() >= until || !drive(until)) return false;
  }
  return true;
}

std::shared_ptr<void> LoopExecutor::watch(int fd, std::function<void()> on_ready) {
  if (!on_ready) throw std::logic_error("LoopExecutor: nothing is to be called");
  auto handle = std::make_shared<detail::WatchHandle<Impl>>();
  auto shared = std::make_shared<std::function<void()>>(std::move(on_ready));
  const std::lock_guard lock(impl_->mutex);
  if (impl_->stopping) return handle;
  const std::uint64_t id = ++impl_->last_watch;
  impl_->watched.emplace(id, Impl::Watched{fd, std::move(shared)});
  try {
    impl_->add(fd, id);
  } catch (...) {
    impl_->watched.erase(id);
    throw;
  }
  handle->id = id;
  handle->impl = impl_;
  return handle;
}

void LoopExecutor::post(Task task) {
  if (!task) throw std::logic_error("LoopExecutor: an empty task was posted");
  insist([&] {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->stopping) return;  // the task goes with the parameter, after the lock
    impl_->ready.push_back(std::move(task));
    impl_->signal_locked();
  });
}

Timer LoopExecutor::post_after(Duration delay, Task task) {
  if (!task) throw std::logic_error("LoopExecutor: an empty task was posted");
  auto [timer, run] = Timer::wrap(std::move(task));
  if (delay <= Duration::zero()) {
    post(std::move(run));
    return timer;
  }
  const TimePoint when = detail::after(clock().now(), delay);
  insist([&, &waiting = timer, &body = run] {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->stopping) return;  // `run` was declared before the lock and releases the task after it
    impl_->timers.make_room();
    if (impl_->timers.push(when, waiting, std::move(body)) && !impl_->awake) impl_->arm_locked(when);
  });
  return timer;
}

const Clock& LoopExecutor::clock() const {
  return Clock::system();
}

bool LoopExecutor::runs_only_here() const noexcept {
  return impl_->owner.load() == std::this_thread::get_id();
}

}  // namespace kubexx
