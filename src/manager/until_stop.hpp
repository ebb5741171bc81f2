#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "kubexx/base/async.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::manager {

/// The running half of an operation that begins with one function and ends, once a token fired, with another. On a
/// strand of its own.
struct UntilStop : std::enable_shared_from_this<UntilStop> {
  using Operation = Async<Result<void>>;
  using Done = Operation::Done;
  struct OnStop {
    std::weak_ptr<UntilStop> run;
    void operator()() const noexcept {
      if (const auto self = run.lock()) self->strand.post([self] { self->finish(); });
    }
  };

  UntilStop(Strand on, std::function<void(Done)> with, Done then)
      : strand(std::move(on)), end(std::move(with)), done(std::move(then)) {}

  void finish() {
    on_stop.reset();
    own.reset();
    end(std::move(done));
  }

  const Strand strand;
  const std::function<void(Done)> end;
  Done done;
  std::optional<std::stop_callback<OnStop>> on_stop;
  std::shared_ptr<UntilStop> own;  // until the token fired
};

/// `begin` and `end` are tasks of the executor. Where `begin` fails its Error is the result; else `end` gives it.
inline Async<Result<void>> until_stop(const std::shared_ptr<Executor>& executor, std::stop_token stop,
                                      std::function<Result<void>()> begin, std::function<void(UntilStop::Done)> end) {
  return UntilStop::Operation(executor, [strand = Strand(executor), stop = std::move(stop), begin = std::move(begin),
                                         end = std::move(end)](UntilStop::Done done) mutable {
    strand.post([strand, stop = std::move(stop), begin = std::move(begin), end = std::move(end),
                 done = std::move(done)]() mutable {
      Result<void> begun;
      try {
        begun = begin();
      } catch (...) {
        begun = current_exception_as_error();
      }
      if (!begun) return done(std::move(begun));
      const auto run = std::make_shared<UntilStop>(strand, std::move(end), std::move(done));
      run->own = run;
      run->on_stop.emplace(std::move(stop), UntilStop::OnStop{run});
    });
  });
}

}  // namespace kubexx::manager
