#include "base/internal/thread.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/internal/insist.hpp"

namespace kubexx::detail {

namespace {

/// Threads that were the last owner of what joins them, and cannot join themselves: others do, when the process ends.
/// One that comes later still, from a task that outlived main(), is on its last steps; nobody waits for those.
class LateJoins {
 public:
  static LateJoins& of_process() {
    static LateJoins& never_destroyed = *new LateJoins;
    return never_destroyed;
  }
  void add(std::jthread thread) {
    const std::lock_guard lock(mutex_);
    if (over_) return thread.detach();
    insist([&] { threads_.push_back(std::move(thread)); });
  }

 private:
  LateJoins() {
    static_cast<void>(std::atexit([] { of_process().join_all(); }));
  }
  void join_all() {
    std::vector<std::jthread> threads;  // joined by their destructors, after the lock is gone
    const std::lock_guard lock(mutex_);
    over_ = true;
    threads.swap(threads_);
  }

  std::mutex mutex_;
  std::vector<std::jthread> threads_;  // guarded by mutex_
  bool over_ = false;                  // guarded by mutex_
};

class BlockedSignals {
 public:
  BlockedSignals() noexcept {
    sigset_t set;
    sigfillset(&set);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&set, fault);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

std::jthread start_thread(const std::string& name, Task body) {
  constexpr std::size_t kLongestName = 15;
  BlockedSignals blocked;  // the new thread inherits the mask
  try {
    return std::jthread([name = name.substr(0, kLongestName), body = std::move(body)]() mutable {
      pthread_setname_np(pthread_self(), name.c_str());
      body();
      body.reset();
    });
  } catch (const std::system_error& e) {
    throw std::system_error(e.code(), "a thread cannot be started");
  }
}

void join_thread(std::jthread thread) {
  if (thread.get_id() == std::this_thread::get_id()) {
    LateJoins::of_process().add(std::move(thread));
  } else if (thread.joinable()) {
    thread.join();
  }
}

void join_threads(std::vector<std::jthread> threads) {
  for (std::jthread& thread : threads) join_thread(std::move(thread));
}

ThreadId this_thread_id() noexcept {
  return gettid();
}

bool thread_asleep(ThreadId id) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", id);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  char text[64];
  const ssize_t size = read(fd, text, sizeof text);
  close(fd);
  // "id (name) state ...": the name is at most 15 characters and may hold anything.
  const std::string_view stat(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t name_end = stat.rfind(')');
  return name_end == std::string_view::npos || name_end + 2 >= stat.size() || stat[name_end + 2] != 'R';
}

}  // namespace kubexx::detail
