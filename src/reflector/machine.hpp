#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/internal/deadline.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/reflector/reflector.hpp"

namespace kubexx::reflector {

/// What a server answers with for people to read, in place of the objects.
inline bool is_table(std::string_view kind, std::string_view api_version) {
  return kind == "Table" && api_version.starts_with("meta.k8s.io/");
}

/// The state machine behind Reflector. Everything but `status` runs on the strand.
///
/// `generation` rises whenever what is under way is given up; receivers and timers carry the generation they were made
/// in and are ignored when it is over. That is how a call can be dropped from inside its own callback.
///
/// Sources, sinks and the functions of the options are code of the user. Whatever enters the machine does so through
/// `guarded`: an exception ends the round as an Error does.
struct Reflector::State {
  State(std::shared_ptr<ListerWatcher> source, std::shared_ptr<DeltaSink> sink, Strand strand,
        ReflectorOptions options);

  // machine.cpp
  void begin();
  void halt();
  void round();
  void end_round(const char* reason, const Error* error, bool tell_handler);
  void park(const Error& error);
  void back_off(const Error* cause, Task next);
  void drop_call();
  Timer after(Duration delay, Task task);  // ignored once the generation is over
  template <class F>
  void guarded(F&& step);
  template <class F>
  auto in_generation(F step);
  void enter(ReflectorState next);
  void note_error(const Error& error);
  void count_restart(const char* reason);
  void count_bytes(std::size_t received);
  template <class F>
  void change_status(F&& change);

  // listing.cpp
  std::string relist_version() const;
  void start_list();
  void list_page();
  void list_item(meta::Object item);
  void list_end(Result<meta::ListMeta> result);
  void list_failed(const Error& error);
  void poll();
  bool deliver(std::vector<meta::Object> objects, const std::string& version, bool by_watch_list);

  // watching.cpp
  void start_watch_list();
  void watch_list_failed(const Error* error);
  void watch_list_progress();
  void watch_list_stalled();
  bool watch_list_refused() const;
  void remember_refusal();
  void start_watch();
  void watch_opened();
  void watch_event(meta::WatchEvent event);
  void watch_list_event(meta::WatchEvent& event);
  void watch_end(const Error* error);
  void wait_for_server(const Error& error, Task again);
  void stream_error(const Error& error);
  void reopen(const char* reason);
  bool acceptable(const meta::WatchEvent& event);
  bool of_expected_kind(const meta::Object& object) const;
  void count_skipped();
  bool moves_on(std::string_view version) const;
  meta::ListOptions watch_options();
  void arm_resync();
  void check_version();
  void arm_version_check();
  void arm_verify();
  void open_stream(const meta::ListOptions& query, ReflectorState entering);
  Duration turn_of_watch();
  void enter_watching();

  const std::shared_ptr<ListerWatcher> source;
  const std::shared_ptr<DeltaSink> sink;
  const Strand strand;
  ReflectorOptions options;
  Random& random;
  std::weak_ptr<Reflector> self;

  std::uint64_t generation = 0;
  std::unique_ptr<Call> call;
  std::unique_ptr<Call> side_call;  // the version check beside a watch, or the wait of a parked reflector
  BackoffTimer backoff;
  std::vector<Timer> timers;  // of this generation
  bool started = false;
  bool stopped = false;

  std::string last_version;          // of the last whole state or event
  bool version_unavailable = false;  // the last list was refused for its version: ask for "" next
  bool versions_went_back = false;   // the next whole state is the most recent one, by a list

  // Neither restarts with a watch: watches end every few minutes.
  std::optional<TimePoint> next_resync;  // from the first whole state on
  TimePoint next_verify;                 // since the last whole state

  // the list under way
  std::vector<meta::Object> items;
  std::string list_version;   // asked for
  std::string first_version;  // answered by the first page
  std::string continue_token;
  meta::ListProgress progress;  // of a WatchList too
  bool list_skipped = false;    // something: said once a list
  bool list_retried = false;    // with "" after a refusal
  bool list_unlimited = false;  // after a page expired
  bool verifying = false;       // the list is to be of exactly the version we have
  bool zero_was_paged = false;  // a list at "0" came in pages: the server has no watch cache

  std::deque<TimePoint> recent_watches;  // when the last few were opened, the oldest first

  // the watch under way
  std::unordered_map<std::string, meta::Object> initial;  // of a WatchList before its bookmark
  std::vector<std::string> initial_order;
  bool in_initial = false;
  int short_streams = 0;
  bool opened = false;
  bool propagate = false;
  std::uint64_t stream_events = 0;
  bool stream_complained = false;  // of an event: said once a stream, which may have any number of them
  TimePoint stream_start;
  TimePoint opened_at;
  TimePoint last_progress;  // of a WatchList: when it was opened, or its last new object
  Timer progress_timer;
  TimePoint refused_until{};  // no WatchList before, whatever other reflectors of this server do
  std::optional<TimePoint> internal_error_since;
  TimePoint last_internal_error;
  bool watched = false;      // since the last whole state
  bool unwatchable = false;  // the server refused the watch verb
  bool resumed = false;      // this watch goes on where an earlier one ended

  mutable std::mutex mutex;
  ReflectorStatus status;  // written on the strand with mutex held

  Counter lists_counter;
  Counter watches_counter;
  Counter events_counter;
  Counter skipped_counter;
  Counter bytes_counter;
  std::map<std::string, Counter> restart_counters;
};

template <class F>
void Reflector::State::change_status(F&& change) {
  {
    const std::lock_guard lock(mutex);
    std::forward<F>(change)(status);
  }
  if (!options.on_status) return;
  call_isolated("reflector status", [this] { options.on_status(status); });  // only the strand writes it: no lock
}

template <class F>
void Reflector::State::guarded(F&& step) {
  try {
    std::forward<F>(step)();
  } catch (...) {
    // Not as the Error that may be inside: a 404 of somebody else would park us.
    const auto failure =
        Error::config("list and watch of " + options.type_description + ": " + current_exception_as_error().message());
    end_round("threw", &failure, true);
  }
}

/// `step` for the callback of a call or timer.
template <class F>
auto Reflector::State::in_generation(F step) {
  return [this, made_in = generation, weak = self, step = std::move(step)](auto&&... arguments) mutable {
    const auto alive = weak.lock();
    if (!alive || generation != made_in) return;
    guarded([&] { step(std::forward<decltype(arguments)>(arguments)...); });
  };
}

}  // namespace kubexx::reflector
