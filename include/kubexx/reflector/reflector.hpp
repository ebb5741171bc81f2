#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kubexx/base/backoff.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/base/trace.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/list_progress.hpp"
#include "kubexx/reflector/delta_sink.hpp"
#include "kubexx/reflector/lister_watcher.hpp"
#include "kubexx/reflector/owner.hpp"

namespace kubexx::reflector {

/// An error that ended a round of list and watch, and whose it is. Valid during the call.
struct WatchError {
  const Error& error;
  const std::string& name;                     ///< of the reflector, which is that of its informer
  const meta::GroupVersionResource& resource;  ///< empty where the source is not of a client
  std::uint64_t attempt = 0;                   ///< rounds since the last whole state, this one included
};

/// Told of Errors that lists and watches are answered with, in place of a log line. Must not block.
using WatchErrorHandler = std::function<void(const WatchError& failed)>;

/// Where a Reflector stands; docs/reflector.md has the table of what leads where.
enum class ReflectorState : std::uint8_t {
  Idle,
  Listing,
  WatchListing,
  Opening,  ///< a watch, not answered yet
  Watching,
  BackingOff,
  Parked,   ///< the whole resource is unknown to the server: until it is served again
  Polling,  ///< between lists of a resource without the watch verb
  Stopped,
};
KUBEXX_EXPORT std::string_view to_string(ReflectorState state) noexcept;

/// A picture of a reflector for people and probes.
struct ReflectorStatus {
  ReflectorState state = ReflectorState::Idle;
  bool synced_once = false;      ///< a whole state was handed to the sink
  bool used_watch_list = false;  ///< the last whole state came by WatchList
  std::string last_sync_resource_version = {};
  std::optional<Error> last_error = {};  ///< of the last failed step; cleared by the next whole state
  std::uint64_t attempts = 0;            ///< rounds since the last whole state, the running one included
  std::uint64_t lists = 0;               ///< list rounds begun (not pages)
  std::uint64_t watches = 0;             ///< watches opened, WatchLists included
  std::uint64_t events = 0;
  std::uint64_t skipped = 0;         ///< objects of another kind or without metadata, bookmarks without a version
  std::uint64_t received_bytes = 0;  ///< of lists and watches, where the source can tell
  std::map<std::string, std::uint64_t> restarts = {};  ///< watch ends by reason: closed, short, expired, throttled, ...
  std::optional<TimePoint> last_activity = {};         ///< last event, bookmark or whole state
  std::size_t initial_items = 0;                       ///< items of the list under way, for progress
};

/// What it asks for, how long it waits, and what it says to whom.
struct ReflectorOptions {
  std::string name = {};                     ///< for logs and metrics; default: file:line of the construction
  std::string type_description = {};         ///< "pods", "/v1, Kind=Foo"; default "<unspecified>"
  meta::GroupVersionResource resource = {};  ///< for the watch error handler; may be empty
  /// Objects of another kind are skipped and counted; in lists they may have none. Absent: every kind is taken.
  std::optional<meta::GroupVersionKind> expected_kind = {};
  /// Whether an object is wanted, asked once for each that comes, before anything is kept of it; absent: all are. One
  /// that is not wanted any more is removed. Must not block; one that throws wants the object.
  std::function<bool(const meta::Object&)> admit = {};
  /// The first whole state is of this version or a newer one: somebody has seen it already. Empty: any will do.
  std::string not_older_than = {};
  /// The version of what the sink has already, from an earlier run: watched from there at once. A list comes only if
  /// the server refuses that version or has lower ones. Empty: the sink has nothing.
  std::string resume_from = {};
  /// From the first whole state on, whatever watches and lists come between; 0: never.
  Duration resync_period = Duration::zero();
  std::function<bool()> should_resync = {};  ///< asked at each tick; absent: yes
  Duration min_watch_timeout =
      std::chrono::minutes(5);        ///< smaller values are ignored; each watch gets 1 to 2 times it
  std::int64_t page_size = 0;         ///< 0: by the rules of list versions
  meta::ListLimits list_limits = {};  ///< of one list in all its pages, and of one WatchList; more is an error
  Backoff backoff = {};               ///< of lists, throttled watches and servers that refuse everything
  Duration max_internal_error_retry = Duration::zero();  ///< how long 500s in a stream are answered by re-watching
  bool watch_list = true;
  /// A WatchList that brings no new object for so long, or takes ten times as long in all, is given up for a list.
  Duration watch_list_progress = std::chrono::seconds(30);
  int watch_list_streams = 5;                              ///< streams that end before their bookmark: likewise
  Duration watch_list_reprobe = std::chrono::minutes(10);  ///< how long a refusal is remembered
  Duration version_check = std::chrono::minutes(5);        ///< how often a restored server is looked for; 0: never
  /// A list of the version the cache has, on purpose: what differs is put right. 0: never.
  Duration verify_every = Duration::zero();
  Duration poll_interval = std::chrono::minutes(5);  ///< between lists of a resource without watch; at least a second
  WatchErrorHandler watch_error_handler = {};        ///< absent: a log line
  std::shared_ptr<Owner> owner = {};                 ///< asked and told as its header says; may be null
  std::shared_ptr<MetricsRegistry> metrics = {};     ///< null: no metrics
  Random* random = nullptr;                          ///< null: Random::process()
  std::shared_ptr<Tracer> tracer = {};               ///< of its lists and watches; null: set_tracer's
};

/// Keeps a sink equal to a resource on the server: lists (or WatchLists) once, then watches, and starts over when it
/// must.
///
/// - A whole state is handed over by one `replace`; from then on each event is one call, in the server's order.
/// - A watch that closes is reopened at once from the last version, though there are at most four watches a second. One
///   that is cut, refused or closed at once is resumed there too, after at most a second while the last minute had a
///   watch that worked; 429 is waited out without a new list. Everything else waits a backoff and lists at the last
///   version, so state never goes back in time. Only a list that is refused as too old or too new goes to "" (most
///   recent).
/// - A server whose versions went back (a restored etcd) is noticed at each re-watch and every `version_check`, and
///   leads to a full list.
///
/// Threads: a state machine on its strand; the accessors are safe from any thread. It starts no thread.
/// Stop: stop() cancels what is under way; the sink is not called afterwards. Destroying a running one, on any thread,
/// does the same; what it asked of the source ends on the strand soon after.
/// Errors: go to the watch error handler and the status; nothing is thrown, but by run() on a loop's thread that cannot
/// be driven. What the source or the sink throws ends the round as an error does; what other functions throw is
/// reported to the error sink and changes nothing.
/// Example:
///
///     auto store = std::make_shared<store::Store>();
///     auto reflector = reflector::Reflector::create(
///         source, informer::make_store_sink(store), strand,
///         {.name = "pods", .owner = informer::make_store_owner(store)});
///     reflector->start();
class KUBEXX_EXPORT Reflector : public std::enable_shared_from_this<Reflector> {
 public:
  /// It does nothing before start().
  static std::shared_ptr<Reflector> create(std::shared_ptr<ListerWatcher> source, std::shared_ptr<DeltaSink> sink,
                                           Strand strand, ReflectorOptions options, const char* file = __builtin_FILE(),
                                           int line = __builtin_LINE());
  ~Reflector();

  /// Begins with the first list.
  void start();
  /// From any thread. `stopped` runs on the strand when nothing is under way any more.
  void stop(Task stopped = {});
  /// start, wait for the token, stop: for a program that gives it a thread. Needs an executor with threads. A token
  /// that has fired already: nothing is asked of the source.
  void run(std::stop_token stop);
  /// Ends the running watch and lists anew, as after an expired version.
  void relist();

  /// The version of what the sink has; empty before the first list.
  std::string last_sync_resource_version() const;
  /// A picture for people and probes.
  ReflectorStatus status() const;
  /// Of which it speaks in logs and metrics: its own name, and what it lists.
  const std::string& name() const noexcept;
  const std::string& type_description() const noexcept;

 private:
  struct Impl;
  explicit Reflector(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::reflector
