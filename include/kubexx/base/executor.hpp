#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/function.hpp"

namespace kubexx {

/// A pending post_after. Copies refer to the same timer; dropping every copy does not cancel it.
class KUBEXX_EXPORT Timer {
 public:
  Timer() = default;
  /// The task will not start any more, and what it captured is released. No effect once it started.
  void cancel() noexcept;
  bool pending() const noexcept;

  /// For implementations of Executor: the returned task runs the given one unless the returned timer is canceled first.
  static std::pair<Timer, Task> wrap(Task task);

 private:
  friend class Strand;
  struct Impl;
  explicit Timer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

/// Runs tasks soon or later. The whole library runs on one: ours (ElasticExecutor), or the program's own loop.
///
/// An implementation on a program's own loop also overrides runs_only_here(): without it a blocking call of the library
/// on the loop's thread waits for ever for tasks that would run there. With drive() too such calls work; without, each
/// is an Error at once. LoopExecutor (loop_executor.hpp) has all of it.
///
/// Threads: every member is safe from any thread. Tasks may run concurrently; order comes from Strand.
/// Stop: an implementation waits in its destructor for the tasks it is running: they may post to it until they return.
/// Tasks that it drops are destroyed, not kept.
/// Errors: a task that throws is reported to the process-wide error sink (error_sink.hpp) and the executor goes on.
/// Posting an empty task throws std::logic_error.
/// Example:
///
///     auto executor = std::make_shared<ThreadExecutor>();
///     executor->post([] { greet("soon"); });
///     Timer later = executor->post_after(5s, [] { greet("later"); });
///     later.cancel();
class KUBEXX_EXPORT Executor {
 public:
  virtual ~Executor() = default;
  /// Runs the task soon.
  virtual void post(Task task) = 0;
  /// A delay of zero or less is a post.
  virtual Timer post_after(Duration delay, Task task) = 0;
  virtual const Clock& clock() const = 0;
  /// How many tasks of a Strand run in a row before others get their turn.
  virtual std::size_t strand_turn() const noexcept { return 64; }

  /// Whether tasks run on the calling thread and on no other.
  virtual bool runs_only_here() const noexcept { return false; }
  /// Called where runs_only_here(), perhaps inside a task: runs what is ready, or waits until something is, but not
  /// beyond `until` (TimePoint::max(): however long). False: it cannot, and nothing ran.
  virtual bool drive(TimePoint until);
  /// Whether it waits for descriptors too. The transport of a client whose executor does joins it and has no thread.
  virtual bool watches() const noexcept { return false; }
  /// Where it watches(): calls `on_ready` whenever the descriptor is readable, never twice at the same time, until the
  /// returned handle goes, which has to be before the descriptor is closed; a call that runs in another thread at that
  /// moment is not waited for. It must neither block nor wait. Throws std::system_error when the descriptor cannot be
  /// waited for, std::logic_error where nobody watches.
  [[nodiscard]] virtual std::shared_ptr<void> watch(int fd, std::function<void()> on_ready);

  /// A post by a task that is about to return: whoever runs that may run this next, and nobody else is woken for it.
  virtual void post_soon(Task task) { post(std::move(task)); }
  /// The task goes on after all: what it posted so must not wait for it.
  virtual void goes_on() {}
};

/// Tasks posted to one Strand run in order, one at a time, on its executor. A handle: copies are the same strand.
///
/// Tasks still queued when the last handle goes run nevertheless, if somebody else keeps the executor; capture weak
/// pointers where that matters. After some tasks in a row a strand lets others run.
///
/// Threads: safe from any thread.
/// Stop: with its executor, which drops what waits.
/// Errors: a task that throws is reported to the error sink, and the next one runs. An empty task, or no executor,
/// throws std::logic_error.
/// Example:
///
///     Strand strand(executor);
///     strand.post([] { greet("first"); });
///     strand.post([] { greet("then"); });
class KUBEXX_EXPORT Strand {
 public:
  explicit Strand(std::shared_ptr<Executor> executor);
  /// Runs the task after those that were posted before it, never beside one of them.
  void post(Task task) const;
  /// For a task of this strand: runs when that is over, before any other and without a turn of its own. Elsewhere it is
  /// a post.
  void defer(Task task) const;
  Timer post_after(Duration delay, Task task) const;
  bool running_in_this_thread() const noexcept;
  std::size_t depth() const;  ///< tasks posted and not finished
  const Clock& clock() const;
  const std::shared_ptr<Executor>& executor() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// A fixed number of threads with a timer heap. The constructors of both executors throw std::system_error when the
/// system has no thread for them. The destructor drops pending timers and queued tasks, lets running
/// tasks finish and joins. Run by one of its own tasks, it does not wait for that task; better not to need that.
class KUBEXX_EXPORT ThreadExecutor final : public Executor {
 public:
  /// How many threads there are and what they are called.
  struct Options {
    std::size_t threads = 2;
    std::string name = "kxx-exec";  ///< thread names; at most 12 characters are kept
  };
  ThreadExecutor();
  explicit ThreadExecutor(Options options);
  ~ThreadExecutor() override;
  void post(Task task) override;
  Timer post_after(Duration delay, Task task) override;
  const Clock& clock() const override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// Threads that come and go with the work, for tasks that may block (user callbacks). A task waits at most a few
/// milliseconds for a blocked thread before another one is started; idle threads end after `linger`. While
/// `eager_threads` of them compute, tasks wait: more threads would not be faster. It is destroyed as ThreadExecutor is.
///
/// prompt() is an executor on the same threads for tasks that do not block: two of them run at once, and none waits for
/// those that may block. It watches descriptors: a thread that finds one readable reads it, runs the prompt tasks that
/// this makes, and the ones that may block that those make, without waking another; meanwhile others watch.
///
/// One thread more, of its own, watches over them. Where the system has no thread to spare, that is reported once and
/// the one thread runs the tasks; with a prompt() the prompt ones, and those that may block wait for another.
class KUBEXX_EXPORT ElasticExecutor final : public Executor {
 public:
  /// How many threads there may be, how long an idle one stays, and what they are called.
  struct Options {
    std::size_t eager_threads = 4;                     ///< started at once when there is work
    std::size_t max_threads = 1024;                    ///< beyond that, tasks wait
    Duration patience = std::chrono::milliseconds(2);  ///< how long a task waits before a further thread is started
    Duration linger = std::chrono::milliseconds(500);
    std::string name = "kxx-work";
  };
  ElasticExecutor();
  explicit ElasticExecutor(Options options);
  ~ElasticExecutor() override;
  void post(Task task) override;
  Timer post_after(Duration delay, Task task) override;
  const Clock& clock() const override;
  void post_soon(Task task) override;
  std::size_t threads() const;  ///< that came with the work, alive now
  /// The same one each time, from then on with two threads that stay. It may outlive this one. Throws
  /// std::system_error when its thread cannot be started.
  std::shared_ptr<Executor> prompt();

 private:
  class Prompt;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// Runs everything on the caller's thread, in an order that depends on the seed alone: the executor of tests and of
/// the simulation. Posting is allowed from anywhere; running is one thread's.
class KUBEXX_EXPORT ManualExecutor final : public Executor {
 public:
  /// Seed 0 runs tasks in the order they were posted; any other seed picks among the ready ones at random.
  explicit ManualExecutor(std::uint64_t seed = 0);
  ~ManualExecutor() override;
  void post(Task task) override;
  Timer post_after(Duration delay, Task task) override;
  const Clock& clock() const override;
  /// One: it chooses among strands after every task, so that seeds explore more orders.
  std::size_t strand_turn() const noexcept override { return 1; }
  FakeClock& fake_clock() noexcept;

  bool run_one();                ///< one ready task; false if there was none
  std::size_t run_until_idle();  ///< until no task is ready; how many ran
  /// Moves the clock in steps from timer to timer, running what becomes due, and returns when all of it has run.
  void advance(Duration by);
  /// Moves the clock to the next timer and runs what is due; false when no timer is pending.
  bool advance_to_next_timer();
  std::size_t pending_timers() const;
  /// Drops what waits to run and whatever is posted from now on, as the destructor does. It frees tasks that hold the
  /// executor themselves.
  void shut_down();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx
