#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/internal/insisted_completion.hpp"
#include "kubexx/base/async.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx {

/// Those who wait until something is so, with a T to tell them. Conditions are asked on a strand, without a lock,
/// whenever the owner says that something changed.
///
/// Threads: safe from any thread, but for look().
template <class T>
class ConditionWaits : public std::enable_shared_from_this<ConditionWaits<T>> {
 public:
  using Operation = Async<Result<T>>;
  /// Absent: not yet. What it throws is the operation's Error.
  using Condition = std::function<std::optional<Result<T>>()>;
  /// How long: until the token fires (Canceled), at most so long (Timeout).
  struct Limits {
    std::stop_token stop = {};
    std::optional<Duration> timeout = {};
    std::string late = "it did not come in time";  ///< says the Timeout
  };

  explicit ConditionWaits(Strand strand) : strand_(std::move(strand)) {}

  Operation until(Condition condition, Limits limits) {
    return Operation(strand_.executor(), [self = this->shared_from_this(), condition = std::move(condition),
                                          limits = std::move(limits)](typename Operation::Done done) mutable {
      auto wait = std::make_shared<Wait>();
      wait->condition = std::move(condition);
      wait->done = std::move(done);
      self->strand_.post([self, wait = std::move(wait), limits = std::move(limits)] { self->begin(wait, limits); });
    });
  }

  void changed() {
    strand_.post([self = this->shared_from_this()] { self->look(); });
  }
  /// The same at once, for a task of the strand.
  void look() {
    if (!waits_.empty()) std::erase_if(waits_, [this](const auto& wait) { return met(*wait); });
  }
  /// Nothing will change until open() is called: who waits for something that is not so is told Canceled. `why` is a
  /// literal. For destructors: it happens, whatever memory there is.
  void close(std::string_view why) {
    strand_.post(insisted_task([self = this->shared_from_this(), why] {
      self->look();
      std::optional<Error> canceled;
      insist([&] { canceled = Error::canceled(std::string(why)); });
      self->closed_ = why;
      for (const auto& wait : std::exchange(self->waits_, {})) self->finish(*wait, *canceled);
    }));
  }
  void open() {
    strand_.post([self = this->shared_from_this()] { self->closed_.reset(); });
  }

 private:
  struct Wait;
  struct Stopper {
    std::weak_ptr<ConditionWaits> waits;
    std::weak_ptr<Wait> wait;
    Strand strand;
    void operator()() const noexcept {
      strand.post([waits = waits, wait = wait] {
        const auto self = waits.lock();
        const auto stopped = wait.lock();
        if (self && stopped) self->give_up(stopped, Error::canceled());
      });
    }
  };
  struct Wait {
    Condition condition;
    typename Operation::Done done;
    Timer timer;
    std::optional<std::stop_callback<Stopper>> on_stop;
  };

  void begin(const std::shared_ptr<Wait>& wait, const Limits& limits) {
    if (met(*wait)) return;
    if (closed_) return finish(*wait, Error::canceled(std::string(*closed_)));
    waits_.push_back(wait);
    wait->on_stop.emplace(limits.stop, Stopper{this->weak_from_this(), wait, strand_});
    if (!limits.timeout) return;
    wait->timer = strand_.post_after(
        *limits.timeout, [weak = this->weak_from_this(), late = std::weak_ptr(wait), message = limits.late] {
          const auto self = weak.lock();
          const auto waiting = late.lock();
          if (self && waiting) self->give_up(waiting, Error::timeout(message));
        });
  }

  /// Asks, and hands the answer over when there is one.
  bool met(Wait& wait) {
    try {
      auto answer = wait.condition();
      if (!answer) return false;
      finish(wait, std::move(*answer));
    } catch (...) {
      finish(wait, current_exception_as_error());
    }
    return true;
  }

  void give_up(const std::shared_ptr<Wait>& wait, const Error& why) {
    if (std::erase(waits_, wait) > 0) finish(*wait, why);
  }

  void finish(Wait& wait, Result<T> result) {
    wait.timer.cancel();
    wait.on_stop.reset();
    const auto& executor = strand_.executor();
    executor->post(insisted_completion<Result<T>>(executor, std::move(wait.done), std::move(result)));
  }

  const Strand strand_;
  // The strand's.
  std::vector<std::shared_ptr<Wait>> waits_;
  std::optional<std::string_view> closed_;
};

/// The condition for who asks whether something is true of a status, and wants to see the status then.
template <class Status>
typename ConditionWaits<Status>::Condition when(std::function<Status()> ask,
                                                std::function<bool(const Status&)> condition) {
  return [ask = std::move(ask), condition = std::move(condition)]() -> std::optional<Result<Status>> {
    std::optional<Result<Status>> now(ask());  // made in place: g++ 14 takes a temporary's end for a use of nothing
    if (!condition(**now)) now.reset();
    return now;
  };
}

}  // namespace kubexx
