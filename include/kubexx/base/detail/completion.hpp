#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "kubexx/base/detail/blocking_wait.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/function.hpp"

namespace kubexx::detail {

/// The task that hands a result over, for `executor` or a strand of it, which lives until then even if everybody else
/// has dropped it. What the completion holds goes with it, also when the task itself is kept.
template <class T>
Task completing(std::shared_ptr<Executor> executor, UniqueFunction<void(T)> done, T value) {
  return [executor = std::move(executor), done = std::move(done), value = std::move(value)]() mutable {
    auto once = std::move(done);
    executor.reset();  // first: who waits for the completion is to be the last owner
    once(std::move(value));
  };
}

/// The completion behind Async::map. The function is destroyed before the completion that follows it.
template <class T, class U, class F>
struct MappedCompletion {
  UniqueFunction<void(U)> next;
  F function;

  void operator()(T value) {
    std::optional<U> mapped;
    if constexpr (std::is_constructible_v<U, Error>) {
      try {
        mapped.emplace(function(std::move(value)));
      } catch (...) {
        mapped.emplace(current_exception_as_error());
      }
    } else {
      mapped.emplace(function(std::move(value)));
    }
    next(std::move(*mapped));
  }
};

/// The completion behind Async::wait.
template <class T>
class WaitedCompletion {
 public:
  explicit WaitedCompletion(std::shared_ptr<WaitedValue<T>> waiting) noexcept : waiting_(std::move(waiting)) {}
  WaitedCompletion(WaitedCompletion&&) noexcept = default;
  WaitedCompletion& operator=(WaitedCompletion&&) = delete;
  ~WaitedCompletion() {
    if (waiting_) waiting_->release();
  }
  void operator()(T result) { waiting_->value.emplace(std::move(result)); }

 private:
  std::shared_ptr<WaitedValue<T>> waiting_;
};

}  // namespace kubexx::detail
