#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/internal/log_lines.hpp"
#include "kubexx/base/backoff.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/logs/log_streams.hpp"
#include "kubexx/meta/stream.hpp"
#include "logs/container_state.hpp"
#include "logs/line_batch.hpp"
#include "logs/log_cursor.hpp"

namespace kubexx::logs {

class LogSource;

/// Whose sources they are: what a source needs of the world. Called on the strand.
class SourceHost {
 public:
  virtual ~SourceHost() = default;
  /// Answers with granted(), perhaps later.
  virtual void want_slot(const std::shared_ptr<LogSource>& source) = 0;
  /// The slot, or the place among those that wait for one.
  virtual void leave_slot(LogSource& source) = 0;
  virtual std::unique_ptr<meta::Call> open(const LogOrigin& origin, const client::LogOptions& query,
                                           rest::ByteCallbacks callbacks) = 0;
  virtual void deliver(const std::shared_ptr<LogSource>& source, LineBatch batch) = 0;
  virtual void problem(const std::shared_ptr<const LogOrigin>& origin, const Error& error) = 0;
  virtual void changed(const LogSource& source) = 0;  ///< what is said of it: paused, finished
  virtual void count_resumed() = 0;
  virtual void count_gap() = 0;
  /// It brings nothing more and may go.
  virtual void ended(LogSource& source) = 0;
};

/// What a source must know of the options.
struct SourceOptions {
  std::optional<WallTime> since = {};
  std::optional<std::int64_t> tail_lines = {};
  std::size_t max_line_bytes = 64 << 10;
  std::size_t max_waiting_bytes = 1 << 18;
  Backoff backoff = {};
  Duration drain = {};
};

/// Reads the log of one container of one pod, from run to run (a run is from a start of the container to its end):
///
///     resting    nothing to read now: not started yet, or read to its end
///     queued     there is something, and no slot
///     reading    a request is under way
///     pausing    it ended too early: a moment until the next
///     draining   the pod is gone, what is still sent is read
///
/// The cache of pods may not know yet that the container started again. Then the log that is answered is that of the
/// next run, and the last line does not come again in it: before anything of it counts, the previous log is looked at.
/// If the line is there, the run was over; if not, lines are missing.
///
/// Threads: everything on the strand.
class LogSource : public std::enable_shared_from_this<LogSource> {
 public:
  LogSource(SourceHost& host, const Strand& strand, LogOrigin origin, SourceOptions options);

  void update(const ContainerState& state);  ///< what is known of the container now
  void remove();                             ///< the pod is gone, or not wanted any more
  void granted();
  void consumed(std::size_t bytes);  ///< the user had so much of what was delivered
  void close();                      ///< at once

  /// Nothing more will come of it.
  bool finished() const noexcept { return closed_ || (state_.last && complete_ && !behind()); }
  bool paused() const noexcept { return held_; }
  const LogOrigin& origin() const noexcept { return *origin_; }

 private:
  enum class Want { Nothing, Current, Previous };
  bool behind() const noexcept { return run_ && *run_ < state_.restarts; }
  bool ahead() const noexcept { return run_ && *run_ > state_.restarts; }
  Want plan();
  void begin_run(std::int64_t run);
  void lose();
  void go_on();
  void ask(Want want);
  client::LogOptions query(Want want) const;
  void on_open();
  void on_bytes(std::string_view bytes);
  bool on_line(std::string_view text, bool whole);
  void on_end(const Error* error);
  void conclude(const Error* error);
  void doubt();
  bool settle_doubt(const Error* error);
  void wait();
  void send();
  void leave_slot();

  SourceHost& host_;
  const Strand strand_;
  const SourceOptions options_;
  std::shared_ptr<const LogOrigin> origin_;
  BackoffTimer backoff_;
  LogCursor cursor_;
  ContainerState state_;

  std::optional<std::int64_t> run_;  // that is read; absent: none yet
  bool complete_ = false;            // it was read to its end
  bool first_ = true;                // no run before it was read
  bool opened_ = false;              // a server began to send it
  bool seen_ = false;                // lines of it came
  bool cut_ = true;                  // the last request did not end by itself
  bool lost_ = false;                // the next line comes after a gap
  bool doubted_ = false;             // it may be over: the previous log will say
  bool gap_is_real_ = false;         // it is not

  bool slot_ = false;
  bool queued_ = false;
  bool gone_ = false;
  bool closed_ = false;
  bool held_ = false;
  int failures_ = 0;  // in a row
  std::size_t waiting_bytes_ = 0;
  std::string told_;  // the last problem
  Timer timer_;

  // The request under way.
  std::unique_ptr<meta::Call> call_;
  Want asked_ = Want::Nothing;
  bool asked_to_end_ = false;  // the run was known to be over: its end is the log's
  std::optional<client::LogLines> lines_;
  bool mid_line_ = false;
  bool stray_ = false;  // it is not the log that was read before
  bool took_ = false;   // some of its lines were new
  WallTime line_time_{};
  std::optional<LineBatch> batch_;
};

}  // namespace kubexx::logs
