#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kubexx/base/async.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/election/wait_options.hpp"

namespace kubexx::election {

/// Those who wait until something is true of a Status. Conditions are asked on a strand, without a lock, whenever the
/// owner says that something changed.
///
/// Threads: safe from any thread.
template <class Status>
class ConditionWaits : public std::enable_shared_from_this<ConditionWaits<Status>> {
 public:
  using Condition = std::function<bool(const Status&)>;
  using Operation = Async<Result<Status>>;

  /// `ask` says how it is now; called on the strand.
  ConditionWaits(const std::shared_ptr<Executor>& executor, std::function<Status()> ask)
      : strand_(executor), ask_(std::move(ask)) {}

  Operation until(Condition condition, ElectionWaitOptions options) {
    return Operation(strand_.executor(), [self = this->shared_from_this(), condition = std::move(condition),
                                          options = std::move(options)](typename Operation::Done done) mutable {
      auto wait = std::make_shared<Wait>();
      wait->condition = std::move(condition);
      wait->done = std::move(done);
      self->strand_.post([self, wait = std::move(wait), options = std::move(options)] { self->begin(wait, options); });
    });
  }

  void changed() {
    strand_.post([self = this->shared_from_this()] { self->look(); });
  }
  /// Nothing will change until open() is called: who waits for something that is not so is told Canceled.
  void close(std::string why) {
    strand_.post([self = this->shared_from_this(), why = std::move(why)]() mutable {
      self->look();
      self->closed_ = std::move(why);
      for (const auto& wait : std::exchange(self->waits_, {})) self->finish(*wait, Error::canceled(*self->closed_));
    });
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

  void begin(const std::shared_ptr<Wait>& wait, const ElectionWaitOptions& options) {
    if (met(*wait)) return;
    if (closed_) return finish(*wait, Error::canceled(*closed_));
    waits_.push_back(wait);
    wait->on_stop.emplace(options.stop, Stopper{this->weak_from_this(), wait, strand_});
    if (!options.timeout) return;
    wait->timer = strand_.post_after(*options.timeout, [weak = this->weak_from_this(), late = std::weak_ptr(wait)] {
      const auto self = weak.lock();
      const auto waiting = late.lock();
      if (self && waiting) self->give_up(waiting, Error::timeout("it did not come in time"));
    });
  }

  void look() {
    std::erase_if(waits_, [this](const auto& wait) { return met(*wait); });
  }

  /// Asks, and hands the answer over when it is yes; what the condition throws is the operation's Error.
  bool met(Wait& wait) {
    try {
      auto now = ask_();
      if (!wait.condition(now)) return false;
      finish(wait, std::move(now));
    } catch (...) {
      finish(wait, current_exception_as_error());
    }
    return true;
  }

  void give_up(const std::shared_ptr<Wait>& wait, const Error& why) {
    if (std::erase(waits_, wait) > 0) finish(*wait, why);
  }

  void finish(Wait& wait, Result<Status> result) {
    wait.timer.cancel();
    wait.on_stop.reset();
    const auto& executor = strand_.executor();
    executor->post(kubexx::detail::completing<Result<Status>>(executor, std::move(wait.done), std::move(result)));
  }

  const Strand strand_;
  const std::function<Status()> ask_;
  // The strand's.
  std::vector<std::shared_ptr<Wait>> waits_;
  std::optional<std::string> closed_;
};

}  // namespace kubexx::election
