#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/internal/insisted_completion.hpp"
#include "base/internal/trace_span.hpp"
#include "kubexx/base/async.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/meta/stream.hpp"

namespace kubexx::rest {

/// The running half of an Async that consists of one call, on a strand of its own. It ends once: with what finish() is
/// given, with Canceled when the token fires first, or with Timeout.
///
/// The call holds the client, and whoever drops the client next, perhaps at the end of the process, wants to be its
/// last owner and to end what it still does, an exec plugin for example. So the call is gone when the result is handed
/// over. Until then the call owns the operation, and the operation the call.
template <class T>
class Operation : public std::enable_shared_from_this<Operation<T>> {
 public:
  /// `start(operation)` runs on the strand, unless the token fired before; it returns the call, which owns the
  /// operation and finishes it, or has finished it already and returns null.
  template <class Start>
  static Async<T> make(const std::shared_ptr<Executor>& executor, std::stop_token stop, Start start) {
    return Async<T>(executor, [executor, stop = std::move(stop), start = std::move(start),
                               inside = TraceScope::current()](typename Async<T>::Done done) mutable {
      const auto self =
          std::shared_ptr<Operation>(new Operation(Strand(std::move(executor)), std::move(stop), std::move(done)));
      self->strand_.post([self, start = std::move(start), inside = std::move(inside)]() mutable {
        const TraceScope scope(std::move(inside));
        self->begin(start);
      });
    });
  }

  const Strand& strand() const noexcept { return strand_; }

  // On the strand.
  void finish(T result) {
    if (std::exchange(over_, true)) return;
    on_stop_.reset();
    deadline_.cancel();
    call_.reset();
    // Not at once: this task, and others that wait here, may hold the call.
    strand_.post(insisted_completion<T>(strand_.executor(), std::move(done_), std::move(result)));
  }
  void limit(Duration timeout, std::string message) {
    deadline_ = strand_.post_after(timeout, [weak = this->weak_from_this(), message = std::move(message)] {
      if (const auto self = weak.lock()) self->finish(Error::timeout(message));
    });
  }

 private:
  struct Stopper {
    std::weak_ptr<Operation> operation;
    Strand strand;
    void operator()() noexcept {
      strand.post([weak = operation] {
        if (const auto self = weak.lock()) self->finish(Error::canceled());
      });
    }
  };

  Operation(Strand strand, std::stop_token stop, typename Async<T>::Done done)
      : strand_(std::move(strand)), stop_(std::move(stop)), done_(std::move(done)) {}

  template <class Start>
  void begin(Start& start) {
    if (stop_.stop_requested()) return finish(Error::canceled());
    on_stop_.emplace(stop_, Stopper{this->weak_from_this(), strand_});
    try {
      auto call = start(this->shared_from_this());
      if (!over_) call_ = std::move(call);
    } catch (...) {
      finish(current_exception_as_error());
    }
  }

  const Strand strand_;
  const std::stop_token stop_;
  // The strand's.
  typename Async<T>::Done done_;
  std::unique_ptr<meta::Call> call_;
  Timer deadline_;
  bool over_ = false;
  std::optional<std::stop_callback<Stopper>> on_stop_;
};

}  // namespace kubexx::rest
