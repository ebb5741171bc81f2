#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KUBEXX_NO_THREAD_SHORTAGE 1  // a sanitizer has a pthread_create of its own
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KUBEXX_NO_THREAD_SHORTAGE 1
#endif
#endif

namespace kubexx::test {

inline std::atomic<int> threads_left{-1};  ///< negative: as many as there are

/// While it lives, so many threads can be started and no more. In one source of a program only: it replaces
/// pthread_create.
class ThreadShortage {
 public:
  explicit ThreadShortage(int left = 0) { threads_left = left; }
  ~ThreadShortage() { threads_left = -1; }
  ThreadShortage(const ThreadShortage&) = delete;
  ThreadShortage& operator=(const ThreadShortage&) = delete;
};

}  // namespace kubexx::test

#ifndef KUBEXX_NO_THREAD_SHORTAGE
extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*body)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  int left = kubexx::test::threads_left.load();
  while (left > 0 && !kubexx::test::threads_left.compare_exchange_weak(left, left - 1)) {
  }
  return left == 0 ? EAGAIN : real(thread, attributes, body, argument);
}
#endif

/// At the beginning of a test that uses it.
#ifdef KUBEXX_NO_THREAD_SHORTAGE
#define KUBEXX_NEEDS_THREAD_SHORTAGE() GTEST_SKIP() << "a sanitizer has a pthread_create of its own"
#else
#define KUBEXX_NEEDS_THREAD_SHORTAGE() static_cast<void>(0)
#endif
