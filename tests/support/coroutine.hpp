#pragma once

#include <coroutine>

#include "kubexx/base/error_sink.hpp"

namespace kubexx {

/// The least that a coroutine can be: it runs until its first co_await when it is called, and owns itself. The library
/// ships no coroutine type; this shows what a program's own has to do.
struct Coroutine {
  struct promise_type {
    Coroutine get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { report_error(current_exception_as_error(), "coroutine"); }
  };
};

}  // namespace kubexx
