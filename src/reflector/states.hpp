#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/internal/trace_span.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/meta/list_progress.hpp"
#include "kubexx/meta/stream.hpp"
#include "kubexx/reflector/reflector.hpp"

/// The states of a reflector, each with what is its own: leaving one destroys its data, ends its calls and its timers.
///
///   from          what happens                                                    to
///   Idle          start                                                           a round
///                 start where an earlier run ended                                Watching
///   WatchListing  its bookmark                                                    Watching, on the same stream
///                 closed early (five times); refused for its version (once)       WatchListing
///                 refused or throttled by the server                              BackingOff, then WatchListing
///                 not understood, stalled, failed                                 Listing
///   Listing       a page; pages that expired, a version that was refused (once)   Listing
///                 its end                                                         Watching, without the verb Polling
///                 failed                                                          BackingOff, then a round
///   Watching      closed after it worked; an internal error inside its window     Watching
///                 throttled; refused, cut or short while watches work             BackingOff, then Watching
///                 the watch verb is refused                                       Polling
///                 time to verify                                                  Listing
///                 the server's versions went back                                 a round
///                 expired before an earlier run was confirmed                     a round
///                 expired, undecodable, anything else                             BackingOff, then a round
///   Polling       the interval is over                                            a round
///   Parked        the resource is served again                                    a round
///   BackingOff    the wait is over                                                as said where it began
///   any           404 of the whole resource                                       Parked, or BackingOff and a round
///                 an exception of the source or the sink                          BackingOff, then a round
///                 relist()                                                        a round
///                 stop()                                                          Stopped
///
/// A round begins with WatchListing where that is wanted, possible and not refused lately, else with Listing.
/// docs/reflector.md has the same table for readers.
namespace kubexx::reflector {

/// A call that ends with its holder, on the strand but not at once: that may be inside the call's own callback.
class OwnCall {
 public:
  OwnCall() = default;
  OwnCall(const Strand& strand, std::unique_ptr<meta::Call> call) : strand_(strand), call_(std::move(call)) {}
  OwnCall(OwnCall&&) noexcept = default;
  OwnCall& operator=(OwnCall&& other) noexcept {
    std::swap(strand_, other.strand_);
    std::swap(call_, other.call_);
    return *this;
  }
  ~OwnCall() {
    if (call_) strand_->post([ended = std::move(call_)] {});
  }
  /// At once, for code that is in none of its callbacks: nothing comes from it any more.
  void end() { call_.reset(); }
  explicit operator bool() const noexcept { return call_ != nullptr; }

 private:
  std::optional<Strand> strand_;
  std::unique_ptr<meta::Call> call_;
};

/// A timer that is canceled with its holder.
class OwnTimer {
 public:
  OwnTimer() = default;
  explicit OwnTimer(Timer timer) : timer_(std::move(timer)) {}
  OwnTimer(OwnTimer&& other) noexcept : timer_(std::exchange(other.timer_, {})) {}
  OwnTimer& operator=(OwnTimer&& other) noexcept {
    timer_.cancel();
    timer_ = std::exchange(other.timer_, {});
    return *this;
  }
  ~OwnTimer() { timer_.cancel(); }

 private:
  Timer timer_;
};

struct Idle {};

struct Listing {
  bool verifying = false;          // the list is to be of exactly the version we have
  bool retried = false;            // with "" after a refusal
  bool unlimited = false;          // after a page expired
  bool skipped = false;            // something: said once a list
  std::string version = {};        // asked for
  std::string first_version = {};  // answered by the first page
  std::string continue_token = {};
  std::vector<meta::Object> items = {};
  meta::ListProgress progress = meta::ListProgress();
  TraceSpan span = {};
  OwnCall call = {};
};

/// What a WatchList and a watch have in common.
struct Stream {
  TimePoint begun = {};
  bool open = false;
  bool propagate = false;   // versions of its events are those of the state
  bool complained = false;  // of an event: said once a stream, which may have any number of them
  std::uint64_t events = 0;
  OwnTimer turn = {};  // until it may be opened
  TraceSpan span = {};
  OwnCall call = {};
};

struct WatchListing {
  int closed_before = 0;  // streams of this round that ended before their bookmark
  TimePoint opened_at = {};
  TimePoint last_progress = {};  // when it was opened, or its last new object
  std::unordered_map<std::string, meta::Object> initial = {};
  std::vector<std::string> order = {};  // of the keys
  meta::ListProgress progress = meta::ListProgress();
  OwnTimer deadline = {};
  Stream stream = {};
};

struct Watching {
  bool resumed = false;  // it goes on where an earlier one ended
  OwnTimer resync = {};
  OwnTimer verify = {};
  OwnTimer version_check = {};
  OwnCall asking = {};            // for the server's version
  std::string version_then = {};  // ours when it was asked
  Stream stream = {};
};

struct Polling {
  OwnTimer resync = {};
  OwnTimer next = {};
};

struct BackingOff {
  OwnTimer next = {};
};

struct Parked {
  OwnCall waiting = {};
};

struct Stopped {};

using State = std::variant<Idle, Listing, WatchListing, Watching, Polling, BackingOff, Parked, Stopped>;

ReflectorState to_reflector_state(const State& state) noexcept;

}  // namespace kubexx::reflector
