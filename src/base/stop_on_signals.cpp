#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <system_error>
#include <thread>

#include "base/internal/thread.hpp"
#include "kubexx/base/stop.hpp"

namespace kubexx {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
constexpr std::int64_t kSameWish = 500;  // milliseconds

// What the handler touches: lock-free and constant once the handlers stand.
std::atomic<std::int64_t> first_at{0};  // milliseconds of the monotonic clock; 0: no signal yet
std::atomic<int> first_signal{0};
std::atomic<int> wake_fd{-1};
std::atomic<pid_t> owner{0};
std::array<struct sigaction, kSignals.size()> previous{};

std::int64_t now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000 + 1;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  if (getpid() != owner.load()) {
    // A forked child has the handler but not the thread behind it; the event would reach its parent.
    ::signal(signal, SIG_DFL);
    raise(signal);
    errno = saved_errno;
    return;
  }
  const std::int64_t at = now();
  std::int64_t before_at = 0;
  if (!first_at.compare_exchange_strong(before_at, at)) {
    if (at - before_at >= kSameWish) _exit(128 + signal);
    errno = saved_errno;
    return;
  }
  first_signal = signal;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_fd.load(), &one, sizeof one);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] != signal) continue;
    const struct sigaction& before = previous[i];
    if (before.sa_flags & SA_SIGINFO) {
      before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
      before.sa_handler(signal);
    }
  }
  errno = saved_errno;
}

// Fires the token from a thread, because callbacks of a stop token may not run inside a signal handler.
class SignalStop {
 public:
  SignalStop() : fd_(eventfd(0, EFD_CLOEXEC)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "stop_on_signals: eventfd");
    wake_fd = fd_;
    owner = getpid();
    try {
      thread_ = detail::start_thread("kxx-signals", [this] { wait(); });
    } catch (...) {
      close(fd_);
      throw;
    }
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], nullptr, &previous[i]);
      const bool plain = !(previous[i].sa_flags & SA_SIGINFO);
      if (plain && previous[i].sa_handler == SIG_IGN) continue;
      if (kSignals[i] == SIGHUP && !(plain && previous[i].sa_handler == SIG_DFL)) continue;  // often means "reload"
      struct sigaction ours{};
      ours.sa_sigaction = on_signal;
      ours.sa_flags = SA_SIGINFO | SA_RESTART;
      sigemptyset(&ours.sa_mask);
      sigaction(kSignals[i], &ours, nullptr);
    }
  }

  ~SignalStop() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction now{};
      sigaction(kSignals[i], nullptr, &now);
      if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal) sigaction(kSignals[i], &previous[i], nullptr);
    }
    ending_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
    thread_.join();
    close(fd_);
  }

  std::stop_token token() const { return source_.get_token(); }

 private:
  void wait() {
    std::uint64_t count = 0;
    while (read(fd_, &count, sizeof count) < 0 && errno == EINTR) continue;
    if (!ending_) source_.request_stop();
  }

  const int fd_;
  std::stop_source source_;
  std::atomic<bool> ending_{false};
  std::jthread thread_;
};

}  // namespace

std::stop_token stop_on_signals() {
  static SignalStop instance;
  return instance.token();
}

int stop_signal() noexcept {
  return first_signal;
}

}  // namespace kubexx
