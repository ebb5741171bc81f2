#include "c/turns.hpp"

#include <deque>
#include <utility>

#include "kubexx/base/error_sink.hpp"

namespace kubexx::c {
namespace {

struct PutOff {
  std::shared_ptr<Executor> executor;
  Task task;
};

struct Turns {
  int calls = 0;
  int callbacks = 0;
  std::deque<PutOff> put_off;
};

Turns& turns() noexcept {
  thread_local Turns of_this_thread;
  return of_this_thread;
}

/// In the outermost call: its thread may block, and drive its loop. What runs may put off more.
void run_what_was_put_off(Turns& here) {
  while (!here.put_off.empty()) {
    PutOff next = std::move(here.put_off.front());
    here.put_off.pop_front();
    call_isolated("free", next.task);
  }
}

/// A thread of the library's: it must get back to what called it before anything that waits for that can end.
void hand_over(Turns& here) {
  for (auto& each : std::exchange(here.put_off, {})) {
    call_isolated("free", [&] { each.executor->post(std::move(each.task)); });
  }
}

}  // namespace

Call::Call() noexcept {
  ++turns().calls;
}

Call::~Call() {
  Turns& here = turns();
  if (here.calls == 1 && here.callbacks == 0) run_what_was_put_off(here);
  --here.calls;
}

Callback::Callback() noexcept {
  ++turns().callbacks;
}

Callback::~Callback() {
  Turns& here = turns();
  if (--here.callbacks == 0 && here.calls == 0) hand_over(here);
}

bool in_callback() noexcept {
  return turns().callbacks > 0;
}

void outside_callbacks(std::shared_ptr<Executor> executor, Task task) {
  if (in_callback()) return at_end_of_call(std::move(executor), std::move(task));
  task();
}

void at_end_of_call(std::shared_ptr<Executor> executor, Task task) {
  turns().put_off.push_back({std::move(executor), std::move(task)});
}

}  // namespace kubexx::c
