#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kubexx/apiserver/exchange.hpp"
#include "kubexx/base/executor.hpp"

namespace kubexx::apiserver {

/// What a container wrote from a start to its end: the newest of it, up to a number of bytes.
struct ContainerRun {
  struct Line {
    WallTime time;
    std::string text;
  };
  std::deque<Line> lines;
  std::uint64_t first = 0;  ///< the number of lines.front(), counted from the start
  std::size_t bytes = 0;
  bool over = false;
};

/// What of a log is asked for.
struct LogQuery {
  bool follow = false;
  bool timestamps = false;
  bool previous = false;
  std::optional<WallTime> since;
  std::optional<std::uint64_t> tail_lines;
  std::optional<std::uint64_t> limit_bytes;
};

/// The logs of the containers and who follows them. Not thread-safe: its owner serializes; `schedule` must run its task
/// under the same lock.
///
/// A follower that reads slowly gets no more until it has caught up; what left the log meanwhile it does not get, as
/// with the files of a node.
class ContainerLogs {
 public:
  using Schedule = std::function<Timer(Duration, std::function<void()>)>;
  ContainerLogs(Schedule schedule, std::size_t bytes) : schedule_(std::move(schedule)), limit_(bytes) {}

  /// `pod`: "namespace/name". A container that starts again has what it wrote before as its previous log.
  void start(const std::string& pod, const std::string& container);
  void end(const std::string& pod, const std::string& container);
  void append(const std::string& pod, const std::string& container, std::string_view text, WallTime time);
  bool started(const std::string& pod, const std::string& container) const;
  /// The pod is gone: its logs go, and who follows them gets the rest.
  void forget(const std::string& pod);
  void clear();

  /// Null: there is none. A log that nobody wrote to is empty.
  std::shared_ptr<ContainerRun> find(const std::string& pod, const std::string& container, bool previous);
  /// The whole answer.
  static std::string read(const ContainerRun& run, const LogQuery& query);
  /// What is there now and what is written later go to the writer, which was started. Its id.
  std::uint64_t follow(std::shared_ptr<ContainerRun> run, const LogQuery& query, std::shared_ptr<ResponseWriter> out);
  void leave(std::uint64_t id);  ///< the peer is gone
  std::size_t followers() const noexcept { return followers_.size(); }
  /// Ends all that follow: cleanly, or cut. How many there were.
  std::size_t end_followers(bool cut);

 private:
  struct Logs {
    std::shared_ptr<ContainerRun> current;
    std::shared_ptr<ContainerRun> previous;
  };
  struct Follower {
    std::shared_ptr<ContainerRun> run;
    std::shared_ptr<ResponseWriter> out;
    bool timestamps = false;
    std::optional<WallTime> since;
    std::uint64_t next = 0;  ///< the number of the line that it gets next
    std::optional<std::uint64_t> left;
    Timer later;
  };
  void tell(const std::shared_ptr<ContainerRun>& run);
  void pump(std::uint64_t id);

  const Schedule schedule_;
  const std::size_t limit_;
  std::map<std::string, std::map<std::string, Logs>> pods_;
  std::map<std::uint64_t, Follower> followers_;
  std::uint64_t last_id_ = 0;
};

}  // namespace kubexx::apiserver
