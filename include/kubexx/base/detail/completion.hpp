#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "kubexx/base/detail/blocking_wait.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/function.hpp"

namespace kubexx::detail {

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
