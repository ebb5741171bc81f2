#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "kubexx/base/detail/completion.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/function.hpp"

namespace kubexx {

/// An operation that has not begun yet, with a T as its result. Dropped before it began, it does nothing.
///
/// It is begun in one of three ways, each of which uses it up: with a callback, by blocking, or by awaiting it in a
/// coroutine. What an operation needs it has copied when the function that made it returns; from its beginning to its
/// completion it holds what it works with, such as a client.
///
/// g++ 12 destroys what stands in braces inside a co_await expression twice, a fault of its own. Options need a name
/// there, or the operation does, as below.
///
/// Threads: the result is handed over once, as a task of executor(), never inside the call that begins. Code that may
/// block does not belong there: `on()` moves the completion to another executor.
/// Stop: by the token given to the function that made it; a stopped operation completes with Canceled. An executor that
/// is shut down drops completions as it drops tasks: wait() returns Canceled then, a callback is destroyed uncalled.
/// Errors: a callback that throws is reported to the error sink. Beginning twice throws std::logic_error.
/// Example:
///
///     pods.get_async("web").start([](const Result<corev1::Pod>& answer) { greet(answer.has_value()); });
///     auto answer = pods.get_async("web").wait();
///     auto operation = pods.get_async("web", {.stop = stop});
///     auto awaited = co_await std::move(operation);
template <class T>
class [[nodiscard]] Async {
 public:
  using value_type = T;
  /// What becomes of the result; called once.
  using Done = UniqueFunction<void(T)>;

  /// For those who make operations: `begin` starts the work, and has the result given to its argument once, on the
  /// executor, after it returned itself.
  Async(std::shared_ptr<Executor> executor, UniqueFunction<void(Done)> begin)
      : executor_(std::move(executor)), begin_(std::move(begin)) {
    if (!executor_ || !begin_) throw std::logic_error("Async: it needs an executor and a beginning");
  }
  /// An operation whose result is known already.
  static Async ready(std::shared_ptr<Executor> executor, T value) {
    auto on = executor;
    return Async(std::move(executor), [on = std::move(on), value = std::move(value)](Done done) mutable {
      on->post(detail::completing<T>(on, std::move(done), std::move(value)));
    });
  }

  Async(Async&&) noexcept = default;
  Async& operator=(Async&&) noexcept = default;
  Async(const Async&) = delete;
  Async& operator=(const Async&) = delete;
  ~Async() = default;

  /// Begins; `done` gets the result.
  void start(Done done) && {
    if (!done) throw std::logic_error("Async::start: the callback is empty");
    begin([done = std::move(done)](T value) mutable { call_isolated("completion", [&] { done(std::move(value)); }); });
  }

  /// Begins, and blocks this thread until the operation has completed and released what it held. On the thread that
  /// runs the executor alone it drives it meanwhile, or is an Error at once; not for tasks of an executor with threads,
  /// which the result may have to wait for.
  T wait() && {
    detail::Awaited awaited{executor_.get()};
    for (const auto& each : needed_) awaited.add(each.get());
    if (auto possible = awaited.possible(); !possible) return failed(possible.error());
    const auto executor = executor_;
    const auto needed = needed_;
    const auto waiting = std::make_shared<detail::WaitedValue<T>>();
    begin(detail::WaitedCompletion<T>(waiting));
    if (auto waited = waiting->until_released(awaited); !waited) return failed(waited.error());
    if (waiting->value) return std::move(*waiting->value);
    return failed(Error::canceled("the executor was shut down"));
  }

  /// The same operation, completing on another executor.
  Async on(std::shared_ptr<Executor> executor) && {
    if (executor == executor_) return std::move(*this);
    auto to = executor;
    auto needed = needed_;
    needed.push_back(executor_);
    Async moved(std::move(executor), [operation = std::move(*this), to = std::move(to)](Done done) mutable {
      std::move(operation).begin([to = std::move(to), done = std::move(done)](T value) mutable {
        to->post(detail::completing<T>(to, std::move(done), std::move(value)));
      });
    });
    moved.needed_ = std::move(needed);
    return moved;
  }

  /// For those who make operations: tasks of another executor have a part in it, so that wait() knows what it waits
  /// for.
  Async needs(std::shared_ptr<Executor> other) && {
    if (other && other != executor_) needed_.push_back(std::move(other));
    return std::move(*this);
  }

  /// The operation with `function(result)` as its result. The function runs on the executor, before the completion;
  /// what it throws becomes an Error where the new result can be one, and is reported otherwise.
  template <class F>
  auto map(F function) && -> Async<std::invoke_result_t<F&, T>> {
    using U = std::invoke_result_t<F&, T>;
    auto executor = executor_;
    auto needed = needed_;
    Async<U> mapped(std::move(executor), [operation = std::move(*this),
                                          function = std::move(function)](UniqueFunction<void(U)> next) mutable {
      std::move(operation).begin(detail::MappedCompletion<T, U, F>{std::move(next), std::move(function)});
    });
    mapped.needed_ = std::move(needed);
    return mapped;
  }

  /// What `co_await` of an operation uses.
  class Awaiter {
   public:
    explicit Awaiter(Async&& operation) noexcept : operation_(std::move(operation)) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) {
      auto operation = std::move(operation_);  // this may be gone before start() has returned
      std::move(operation).start([this, waiting](T value) {
        value_.emplace(std::move(value));
        waiting.resume();
      });
    }
    T await_resume() { return std::move(*value_); }

   private:
    Async operation_;
    std::optional<T> value_;
  };
  /// Begins, and resumes the coroutine on the executor.
  Awaiter operator co_await() && noexcept { return Awaiter(std::move(*this)); }

  /// On which it runs and completes.
  const std::shared_ptr<Executor>& executor() const noexcept { return executor_; }

 private:
  template <class>
  friend class Async;

  void begin(Done done) {
    if (!begin_) throw std::logic_error("Async: it has begun already");
    auto function = std::exchange(begin_, nullptr);
    function(std::move(done));
  }

  static T failed(const Error& error) {
    if constexpr (std::is_constructible_v<T, Error>) {
      return T(error);
    } else {
      detail::throw_error(error);
    }
  }

  std::shared_ptr<Executor> executor_;
  std::vector<std::shared_ptr<Executor>> needed_;  // beside the executor
  UniqueFunction<void(Done)> begin_;
};

}  // namespace kubexx
