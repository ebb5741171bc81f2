#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "kubexx/base/executor.hpp"
#include "kubexx/base/export.hpp"

namespace kubexx {

/// An executor without a thread: a program drives it from its own loop. A rest::Client that is given one starts no
/// thread at all, and one descriptor is all that the program waits for.
///
/// A task that blocks blocks the loop. A blocking call of the library on the loop's thread, inside a task or not,
/// drives the loop until it has its answer: other tasks run meanwhile, and a call that they make ends before the one it
/// interrupted. Deeper than 64 such calls inside each other, and inside a callback of watch(), it is an Error instead.
///
/// Threads: post, post_after and watch from any thread, which makes fd() readable. run_ready() and run_until() belong
/// to one thread: the one that made the loop, until another calls them. Two at the same time are a std::logic_error.
/// Stop: the destructor drops what waits to run. A task that holds the loop itself keeps it; shut_down() frees such
/// ones.
/// Errors: the constructor throws std::system_error when the system has no descriptor for it. A task that throws is
/// reported to the error sink.
/// Example:
///
///     auto loop = std::make_shared<kubexx::LoopExecutor>();
///     auto client = kubexx::rest::Client::create(config, {.executor = loop});
///     // In the program's loop, when loop->fd() is readable:
///     loop->run_ready();
class KUBEXX_EXPORT LoopExecutor final : public Executor {
 public:
  LoopExecutor();
  ~LoopExecutor() override;
  LoopExecutor(const LoopExecutor&) = delete;
  LoopExecutor& operator=(const LoopExecutor&) = delete;

  /// Readable while run_ready() has something to do, timers included. For poll, epoll (level-triggered) and their like;
  /// nobody reads it.
  int fd() const noexcept;
  /// Runs what is ready without blocking: what joined by watch(), and of the tasks that were ready when it began at
  /// most
  /// 64. How many ran. What is left keeps fd() readable.
  std::size_t run_ready();
  /// When run_ready() has a task to run at the latest: in the past if there is one, nothing if none waits. Loops that
  /// watch fd() need not ask.
  std::optional<TimePoint> next_due() const;
  /// For programs without another loop: runs and waits until done(), asked after each turn. False: stop or time came
  /// first.
  bool run_until(const std::function<bool()>& done, const std::stop_token& stop = {},
                 std::optional<Duration> timeout = {});

  /// Calls `on_ready` in run_ready().
  [[nodiscard]] std::shared_ptr<void> watch(int fd, std::function<void()> on_ready) override;

  /// Drops what waits to run, what is watched, and whatever is posted from now on, as the destructor does.
  void shut_down();

  void post(Task task) override;
  Timer post_after(Duration delay, Task task) override;
  const Clock& clock() const override;
  /// Fewer than others run: the program's loop has its own work.
  std::size_t strand_turn() const noexcept override { return 16; }
  bool runs_only_here() const noexcept override;
  bool drive(TimePoint until) override;
  bool watches() const noexcept override { return true; }

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx
