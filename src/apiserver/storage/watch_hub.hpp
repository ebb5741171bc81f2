#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "apiserver/http/frame_cache.hpp"
#include "apiserver/http/negotiate.hpp"
#include "apiserver/storage/filter.hpp"
#include "apiserver/storage/storage.hpp"
#include "kubexx/apiserver/exchange.hpp"
#include "kubexx/apiserver/faults.hpp"
#include "kubexx/base/executor.hpp"

namespace kubexx::apiserver {

/// One open watch.
struct Watcher {
  std::uint64_t id = 0;
  std::shared_ptr<const Resource> resource;
  Filter filter;
  Negotiated form;
  std::string namespace_;
  std::string user_agent;
  std::shared_ptr<ResponseWriter> out;
  std::uint64_t after = 0;  ///< events up to this version are not for it, or behind it
  bool bookmarks = false;
  bool header_sent = false;  ///< of a table
  int stalls = 0;
  int dropping_bookmarks = 0;
  Duration delay{};
  std::deque<std::pair<TimePoint, SharedBytes>> held;  ///< frames that a stall or delay keeps back
  std::size_t held_bytes = 0;
  std::size_t asked = 0;  ///< unread bytes of the state or history it began with: not held against it
  bool truncate_next = false;
  Timer timeout;
  Timer bookmark_timer;
  Timer release_timer;
};

bool selects(const WatchFilter& filter, const Watcher& watcher);

/// Hands events to the watches. Not thread-safe: its owner serializes; `schedule` must run its task under the same
/// lock.
class WatchHub {
 public:
  using Action = std::function<void()>;
  using Schedule = std::function<Timer(Duration, Action)>;
  struct Limits {
    std::size_t backlog = 0;  ///< unread, of one watcher
    std::size_t unread = 0;   ///< of all together
    Duration bookmark_interval{};
  };
  WatchHub(Storage& storage, const Clock& clock, Schedule schedule, Limits limits)
      : storage_(storage), clock_(clock), schedule_(std::move(schedule)), limits_(limits) {}

  /// Takes part in events from now on. `timeout` ends it cleanly.
  void add(const std::shared_ptr<Watcher>& watcher, Duration timeout);
  /// The state now as ADDED events.
  void send_state(Watcher& watcher);
  /// Everything after its version that the history has.
  void replay(Watcher& watcher);
  void send_bookmark(Watcher& watcher, bool initial_events_end);
  void send_error(Watcher& watcher, const meta::Object& status);

  void publish(const std::shared_ptr<const Event>& event);
  void finish(std::uint64_t id);
  void abort(std::uint64_t id);
  void forget(std::uint64_t id);  ///< the peer is gone
  std::size_t size() const noexcept { return watchers_.size(); }
  /// The most that the watches had unread since this was asked before.
  std::size_t take_peak() { return frames_.take_peak(); }
  std::vector<std::shared_ptr<Watcher>> matching(const WatchFilter& filter) const;
  std::vector<std::shared_ptr<Watcher>> of(const Bucket& bucket) const;
  /// Sends what a stall or delay held back, as far as it is due.
  void release(const std::shared_ptr<Watcher>& watcher);
  void write(Watcher& watcher, SharedBytes frame);
  std::uint64_t next_id() noexcept { return ++last_id_; }

 private:
  void deliver(Watcher& watcher, const Event& event);
  void send(Watcher& watcher, SharedBytes frame);
  void arm_bookmark(const std::shared_ptr<Watcher>& watcher, Duration delay);
  /// `version`: of the event; `left`: the object is the one before it.
  SharedBytes frame(Watcher& watcher, std::string_view type, const meta::Object& object, std::uint64_t version,
                    bool left);
  std::string encode(const Watcher& watcher, std::string_view type, const meta::Object& object, bool header) const;
  void relieve();
  std::shared_ptr<Watcher> take(std::uint64_t id);

  Storage& storage_;
  const Clock& clock_;
  const Schedule schedule_;
  const Limits limits_;
  FrameCache frames_;
  std::vector<SharedBytes> fresh_;  // kept for the other watchers of the same event
  std::map<std::uint64_t, std::shared_ptr<Watcher>> watchers_;
  std::unordered_map<const Bucket*, std::vector<std::shared_ptr<Watcher>>> by_bucket_;
  std::uint64_t last_id_ = 0;
};

}  // namespace kubexx::apiserver
