#pragma once

#include <poll.h>
#include <sched.h>

#include <new>
#include <utility>

#include "kubexx/base/function.hpp"

namespace kubexx {

/// Does a step that others count on, such as taking a task: while there is no memory for it, it is tried again, for
/// about two seconds; then the exception is the caller's. The step either happens or leaves everything as it was.
/// Better without a lock: whoever gives memory back may want it.
template <class Step>
void insist(Step&& step) {
  constexpr int kAtOnce = 64;
  constexpr int kTries = kAtOnce + 200;
  for (int tried = 1;; ++tried) {
    try {
      step();
      return;
    } catch (const std::bad_alloc&) {
      if (tried == kTries) throw;
    }
    if (tried <= kAtOnce) {
      sched_yield();
    } else {
      poll(nullptr, 0, 10);
    }
  }
}

/// A task that is not lost where there is no memory for it at once.
template <class F>
Task insisted_task(F body) {
  Task task;
  insist([&] { task = Task(std::move(body)); });  // moves it when it has the room
  return task;
}

}  // namespace kubexx
