#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/internal/deadline.hpp"
#include "base/internal/insist.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/reflector/reflector.hpp"
#include "reflector/states.hpp"

namespace kubexx::reflector {

/// What a server answers with for people to read, in place of the objects.
inline bool is_table(std::string_view kind, std::string_view api_version) {
  return kind == "Table" && api_version.starts_with("meta.k8s.io/");
}

/// The ways a stream ends that mean no more than its end: the server or something between went away or had enough.
bool is_clean_end(const Error* error);

/// The state machine behind Reflector. Everything but read_status() runs on the strand.
///
/// `generation` rises whenever a state is left or a list goes on to its next page; sinks and timers carry the
/// generation they were made in and are ignored when it is over.
///
/// Sources, sinks and the functions of the options are code of the user. Whatever enters the machine does so through
/// `guarded`: an exception ends the round as an Error does.
struct KUBEXX_HIDDEN Reflector::Impl {
  Impl(std::shared_ptr<ListerWatcher> source, std::shared_ptr<DeltaSink> sink, Strand strand, ReflectorOptions options);

  // machine.cpp
  void begin();
  void resume();
  void confirm();
  void halt();
  void relist();
  void round();
  void next_round(bool server_was_away);
  void end_round(const char* reason, const Error* error, bool tell_handler);
  void park(const Error& error);
  void back_off(const Error* cause, Task next);
  void wait(Duration delay, Task next);
  Timer after(Duration delay, Task task);  // ignored once the generation is over
  template <class S>
  S& enter(S next);
  template <class F>
  void guarded(F&& step);
  template <class F>
  static void in_generation(const std::weak_ptr<Reflector>& reflector, std::uint64_t made_in, F&& step);
  class Incoming;
  using End = void (*)(Impl& machine, const Result<meta::ListMeta>& end);
  std::shared_ptr<meta::StreamSink> incoming(End end);
  OwnCall own(std::unique_ptr<meta::Call> call) const { return {strand, std::move(call)}; }
  bool of_expected_kind(const meta::Object& object) const;
  meta::Object prefer_known(meta::Object fresh);
  bool may_reuse() const;
  bool admitted(const meta::Object& object) const;

  // status.cpp
  ReflectorStatus read_status() const;
  void changed();
  void tell_rollback();
  void note_error(const Error& error);
  void count_restart(const char* reason, const Error* error = nullptr);
  void count_skipped();
  void count_bytes(std::size_t received);
  void count_event();
  void set_version(std::string version);

  // tracing.cpp
  TraceSpan begin_span(SpanKind kind, const char* mode) const;
  void end_span(const char* reason, const Error* error);  // that of the state
  void end_list_span(std::size_t objects, const std::string& version);
  TraceSpan* span() noexcept;  // of the state; null: it has none

  // listing.cpp
  std::string relist_version() const;
  void start_list(Listing next);
  void list_page();
  void list_item(meta::Object item);
  void list_end(const Result<meta::ListMeta>& result);
  void list_failed(const Error& error);
  void poll();
  bool deliver(std::vector<meta::Object> objects, const std::string& version, bool by_watch_list);

  // watch_listing.cpp
  bool wants_watch_list() const;
  void start_watch_list(int closed_before);
  void watch_list_event(WatchListing& listing, meta::WatchEvent& event);
  void watch_list_complete(WatchListing& listing, std::string version);
  void watch_list_failed(const Error* error);
  void watch_list_progress();
  void watch_list_stalled();
  void remember_refusal();

  // watching.cpp
  void start_watch();
  void open_stream(const meta::ListOptions& query);
  void stream_opened();
  void stream_event(meta::WatchEvent event);
  void stream_end(const Result<meta::ListMeta>& end);
  void enter_watching();
  void apply(Stream& stream, meta::WatchEvent event);
  void watch_end(const Error* error);
  void watch_error(const Error& error);
  void watch_again(const char* reason, const Error& error, Duration delay);
  void list_at_once(const Error& error);
  void wait_for_server(const Error& error, Task again);
  Stream* stream() noexcept;  // of the state; null: it has none
  bool acceptable(Stream& stream, const meta::WatchEvent& event);
  void remember(const Stream& ended);
  bool watches_work() const;
  meta::ListOptions watch_options();
  Duration turn_of_watch();

  // periods.cpp
  OwnTimer arm_resync();
  void resync();
  OwnTimer arm_version_check();
  OwnTimer arm_verify();
  void check_version();
  void version_answered(const Result<meta::ListMeta>& answer);

  const std::shared_ptr<ListerWatcher> source;
  const std::shared_ptr<DeltaSink> sink;
  const Strand strand;
  ReflectorOptions options;
  Random& random;
  std::weak_ptr<Reflector> self;

  State state;
  std::uint64_t generation = 0;
  std::uint64_t unconfirmed_tries = 0;  // that failed
  BackoffTimer backoff;

  /// Where we are in the server's history.
  struct Versions {
    bool unavailable = false;  // the last list was refused for its version: ask for "" next
    bool went_back = false;    // the next whole state is the most recent one, by a list
    bool reused = false;       // objects of the state that is being read were known and not read
    bool in_doubt = false;     // somebody asked for the next whole state: nothing is taken for known
    bool unconfirmed = false;  // it is that of an earlier run, and the server has not said yet that it knows it
  } versions;

  /// Neither restarts with a watch: watches end every few minutes.
  struct Due {
    std::optional<TimePoint> resync;  // from the first whole state on
    TimePoint verify;                 // since the last whole state
  } due;

  /// What this server was found to be like.
  struct Server {
    bool zero_was_paged = false;  // a list at "0" came in pages: it has no watch cache
    bool unwatchable = false;     // it refused the watch verb
    TimePoint refused_until{};    // no WatchList before, whatever other reflectors of this server do
  } server;

  /// Watches so far, as far as the next one depends on them.
  struct Watches {
    explicit Watches(BackoffTimer wait) : resume(std::move(wait)) {}
    BackoffTimer resume;                   // the wait before going on at a known version, while watches work
    std::optional<TimePoint> last_worked;  // when the last one ended that had worked
    std::deque<TimePoint> recent;          // when the last few were opened, the oldest first
    bool since_whole_state = false;        // there was one
    std::optional<TimePoint> internal_error_since;
    TimePoint last_internal_error{};
  } watches;

  // Status, counted where it happens. The strand alone writes: it reads without the mutex.
  mutable std::mutex mutex;
  ReflectorStatus seldom;    // written with mutex held; what is counted below is not in it
  std::string last_version;  // written with mutex held; of the last whole state or event
  std::atomic<std::uint64_t> events{0};
  std::atomic<std::uint64_t> skipped{0};
  std::atomic<std::uint64_t> received_bytes{0};
  std::atomic<std::size_t> initial_items{0};
  std::atomic<Duration::rep> last_activity{0};  // 0: none yet

  Counter lists_counter;
  Counter watches_counter;
  Counter events_counter;
  Counter skipped_counter;
  Counter bytes_counter;
  std::map<std::string, Counter> restart_counters;
};

/// The one way into a state. What the one before had is gone.
template <class S>
S& Reflector::Impl::enter(S next_state) {
  if (const auto* ended = std::get_if<Watching>(&state)) remember(ended->stream);
  ++generation;
  state.emplace<S>(std::move(next_state));
  changed();
  return std::get<S>(state);
}

template <class F>
void Reflector::Impl::guarded(F&& step) {
  try {
    std::forward<F>(step)();
  } catch (...) {
    const auto thrown = current_exception_as_error();
    try {
      // Not as the Error that may be inside: a 404 of somebody else would park us.
      const auto failure = Error::config("list and watch of " + options.type_description + ": " + thrown.message());
      end_round("threw", &failure, true);
    } catch (const std::bad_alloc&) {  // for words and figures; the next round comes all the same
      insist([this] { back_off(nullptr, [this] { round(); }); });
    }
  }
}

/// A callback of a call or a timer, if what it was made for is still there.
template <class F>
void Reflector::Impl::in_generation(const std::weak_ptr<Reflector>& reflector, std::uint64_t made_in, F&& step) {
  const auto alive = reflector.lock();
  if (!alive || alive->impl_->generation != made_in) return;
  alive->impl_->guarded([&] { step(*alive->impl_); });
}

}  // namespace kubexx::reflector
