#include "c/turns.hpp"

#include <utility>

#include "base/internal/insist.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::c {
namespace {

struct PutOff {
  std::shared_ptr<Executor> executor;
  Task task;
  std::unique_ptr<PutOff> next;
};

/// Of a thread. Without a destructor: one of a thread's object is registered with memory, and where there is none the C
/// library ends the process. Nothing is left here when the outermost call or callback has ended.
struct Turns {
  int calls = 0;
  int callbacks = 0;
  PutOff* first = nullptr;  // owned, as everything behind it
  PutOff* last = nullptr;
};

constinit thread_local Turns of_this_thread;

std::unique_ptr<PutOff> take_first(Turns& here) noexcept {
  std::unique_ptr<PutOff> taken(here.first);
  if (taken) here.first = taken->next.release();
  if (here.first == nullptr) here.last = nullptr;
  return taken;
}

/// In the outermost call: its thread may block, and drive its loop. What runs may put off more.
void run_what_was_put_off(Turns& here) {
  while (const auto next = take_first(here)) call_isolated("free", next->task);
}

/// A thread of the library's: it must get back to what called it before anything that waits for that can end.
void hand_over(Turns& here) {
  while (const auto next = take_first(here)) {
    call_isolated("free", [&] { next->executor->post(std::move(next->task)); });
  }
}

}  // namespace

Entry::Entry() noexcept {
  ++of_this_thread.calls;
}

Entry::~Entry() {
  Turns& here = of_this_thread;
  if (here.calls == 1 && here.callbacks == 0) run_what_was_put_off(here);
  --here.calls;
}

Callback::Callback() noexcept {
  ++of_this_thread.callbacks;
}

Callback::~Callback() {
  Turns& here = of_this_thread;
  if (--here.callbacks == 0 && here.calls == 0) hand_over(here);
}

bool in_callback() noexcept {
  return of_this_thread.callbacks > 0;
}

void outside_callbacks(std::shared_ptr<Executor> executor, Task task) {
  if (in_callback()) return at_end_of_call(std::move(executor), std::move(task));
  task();
}

void at_end_of_call(std::shared_ptr<Executor> executor, Task task) {
  Turns& here = of_this_thread;
  PutOff* added = nullptr;
  insist([&] { added = new PutOff{std::move(executor), std::move(task), nullptr}; });
  if (here.last == nullptr) {
    here.first = added;
  } else {
    here.last->next.reset(added);
  }
  here.last = added;
}

}  // namespace kubexx::c
