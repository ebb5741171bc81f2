#include "walk/lock_count.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstring>

namespace {

// One for each thread that ever locked something. Nothing here may allocate or lock.
struct ThreadLocks {
  std::atomic<pthread_t> thread{};
  std::atomic<bool> used{false};
  std::atomic<std::uint64_t> locks{0};
  char name[16] = {};
};
std::array<ThreadLocks, 1024> threads;
std::atomic<std::size_t> next_thread{0};
thread_local ThreadLocks* mine = nullptr;

void count_lock() {
  if (mine == nullptr) {
    const auto number = next_thread.fetch_add(1);
    if (number >= threads.size()) return;
    mine = &threads[number];
    mine->thread = pthread_self();
    mine->used = true;
  }
  // A thread gets its name after its start.
  if (mine->locks.fetch_add(1, std::memory_order_relaxed) < 64) pthread_getname_np(pthread_self(), mine->name, 16);
}

template <class Function>
Function next_definition(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

namespace kubexx::test {

std::uint64_t locks_taken(std::string_view thread_name) {
  std::uint64_t sum = 0;
  for (const ThreadLocks& each : threads) {
    if (each.used && std::string_view(each.name).starts_with(thread_name)) sum += each.locks;
  }
  return sum;
}

bool this_thread_is(std::string_view thread_name) {
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  return std::string_view(name).starts_with(thread_name);
}

}  // namespace kubexx::test

extern "C" __attribute__((visibility("default"))) int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static const auto lock = next_definition<int (*)(pthread_mutex_t*)>("pthread_mutex_lock");
  count_lock();
  return lock(mutex);
}

extern "C" __attribute__((visibility("default"))) int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  static const auto lock = next_definition<int (*)(pthread_mutex_t*)>("pthread_mutex_trylock");
  count_lock();
  return lock(mutex);
}
