#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "kubexx/base/backoff.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/base/error.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/informer/options.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::logs {

/// Where a line came from.
struct LogOrigin {
  std::string namespace_ = {};
  std::string pod = {};
  std::string uid = {};
  std::string container = {};
  /// Of the container, as the cache of pods knew it when the log was asked for: a server does not say whose log it
  /// sends, so that lines of a container that started again this moment may still have the count before.
  std::int64_t restarts = 0;
};

/// One line; borrowed, valid during the call.
struct LogLine {
  const LogOrigin& origin;
  WallTime time = {};          ///< when the runtime took it; one that has none has that of the line before it
  std::string_view text = {};  ///< the bytes as they are, without the end of the line
  bool continues = false;      ///< longer than LogStreamsOptions::max_line_bytes: the next one goes on with it
  bool after_gap = false;      ///< lines before it may be missing
};

/// Whose logs, from when on, and how many at once.
struct KUBEXX_EXPORT LogStreamsOptions {
  /// Which pods. By default the cache keeps of them what LogStreams needs, their labels and annotations.
  informer::Scope scope = {};
  /// Which of their containers; absent: all, those for the start and for debugging too. Sees a pod as the cache has it;
  /// must not block. One that throws is reported, and the container not wanted.
  std::function<bool(const meta::Object& pod, std::string_view container)> wants = {};

  /// One line at a time, in order for each container, on the client's executor for handlers; may block. What it throws
  /// is reported, and the next line comes.
  std::function<void(const LogLine&)> on_line = {};
  /// A log could not be read and is tried again; once a reason. Called as on_line is.
  std::function<void(const LogOrigin&, const Error&)> on_problem = {};

  /// Nothing older than this.
  std::optional<WallTime> since = {};
  /// Of containers that are there at the start: only so many of their last lines. Others are read from their beginning.
  std::optional<std::int64_t> tail_lines = {};

  std::size_t max_streams = 50;             ///< requests open at once; further containers wait for one to end
  std::size_t max_line_bytes = 64 << 10;    ///< what is longer comes in pieces
  std::size_t max_waiting_bytes = 1 << 18;  ///< of one container, for on_line; then its stream pauses
  /// Between attempts to go on with a log.
  Backoff backoff = {.initial = std::chrono::milliseconds(500)};
  /// How long the log of a pod that is gone is still read, if it does not end by itself.
  Duration drain = std::chrono::seconds(2);

  /// An Error for what cannot be.
  Result<void> validate() const;
};

/// How it goes, for people and probes.
struct LogStreamsStatus {
  bool synced = false;                   ///< the first list of pods is known, and what it has is counted here
  std::size_t containers = 0;            ///< that may bring further lines
  std::size_t open = 0;                  ///< logs that are being read, or wait a moment to go on
  std::size_t waiting = 0;               ///< containers that have to wait: max_streams are open
  std::size_t paused = 0;                ///< streams that on_line is too slow for
  std::size_t waiting_bytes = 0;         ///< of lines that on_line has not had
  std::uint64_t lines = 0;               ///< given to on_line
  std::uint64_t bytes = 0;               ///< their text
  std::uint64_t resumed = 0;             ///< how often a log that was cut went on
  std::uint64_t gaps = 0;                ///< how often lines may be missing
  std::optional<Error> last_error = {};  ///< why the pods are not known; absent: they are
};

/// The logs of all containers of the pods that match, as the pods come, start again and go.
///
/// A log that is cut goes on where it was: the server is asked from the second of the last line, and what was seen of
/// that is dropped. So every line comes once and in order, as long as the node still has what came after the last one.
/// Of a container that started again the end of the log before is read too. What cannot be known is said: a line after
/// which lines may be missing has `after_gap`, because the node had no more of its file, the container started again
/// twice, or the pod went before the rest was read. Lines with the same time and the same text cannot be told apart
/// where a node has thrown some of them away.
///
/// Memory is bounded for each container: lines that wait, the last 512 as hashes, and what the client reads ahead.
///
/// Threads: none of its own; it works on a program's own loop too. Members are safe from any thread.
/// Stop: the token given to start(), stop(), or the destructor, which waits until no callback runs (so not in one).
/// Lines that wait are dropped. It does not begin again.
/// Errors: create() refuses options that cannot work. What a server answers goes to on_problem and is tried again.
/// Example:
///
///     logs::LogStreamsOptions options;
///     options.scope.namespaces = {"shop"};
///     options.scope.label_selector = meta::LabelSelector::equals("app", "web");
///     options.on_line = [](const logs::LogLine& line) { greet(line.origin.pod, line.text); };
///     auto streams = logs::LogStreams::create(client, std::move(options));
///     if (!streams) complain(streams.error());
///     (*streams)->start(stop);
class KUBEXX_EXPORT LogStreams {
 public:
  /// An Error where the options cannot be.
  static Result<std::unique_ptr<LogStreams>> create(rest::Client client, LogStreamsOptions options);
  ~LogStreams();

  void start(std::stop_token stop = {});  ///< once; returns at once
  /// Ends all streams; no line is handed out after it returns.
  void stop();

  /// Other pods from now on; as SharedIndexInformer::set_scope().
  Result<void> set_scope(const informer::Scope& scope);
  LogStreamsStatus status() const;

 private:
  class Impl;
  explicit LogStreams(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::logs
