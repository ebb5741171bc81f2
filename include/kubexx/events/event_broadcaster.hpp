#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kubexx/base/async.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/random.hpp"
#include "kubexx/events/event_recorder.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::events {

/// Which of the two kinds of Event is written.
enum class EventApi : std::uint8_t {
  Core,    ///< v1: repeated events are counted, similar ones combined, floods filtered
  Events,  ///< events.k8s.io/v1: repeated events become a series
};

/// Where Events go, how many wait, and how they are combined.
struct EventBroadcasterOptions {
  EventApi api = EventApi::Core;
  std::size_t queue = 1000;  ///< events waiting to be written; further ones are dropped
  int tries = 12;            ///< of one write, when the server does not answer
  Duration retry_delay = std::chrono::seconds(10);
  Duration attempt_timeout = std::chrono::seconds(30);
  Duration flush = std::chrono::seconds(5);  ///< how long the destructor writes what waits
  std::size_t remembered = 4096;             ///< events known as repeatable, the least recent go first

  // Core
  int similar = 10;  ///< different messages of one reason within `similar_for` are combined from this many on
  Duration similar_for = std::chrono::minutes(10);
  int burst = 25;                             ///< events of one type about one object...
  Duration refill = std::chrono::minutes(5);  ///< ...and one more each time this has passed
  // Events
  Duration series_finish = std::chrono::minutes(6);    ///< a series without events for so long has ended
  Duration series_refresh = std::chrono::minutes(30);  ///< a running series is brought up to date this often

  LogLevel log_level = LogLevel::Debug;  ///< of a line for every event; Off: none
  /// Called with every event, before any is combined or filtered, in order, on the client's executor for handlers.
  std::function<void(const meta::Object& event)> on_event{};
  Random* random = nullptr;
};

/// Writes the events of its recorders to the API server, one at a time and in order.
///
/// An event that repeats (same object, reason, message, source) patches the first one's count; many that differ only in
/// their message are combined into one; what still comes too fast about one object is left out. Writes that get no
/// answer are tried again; those the server refuses are given up.
///
/// Threads: safe from any thread. Runs on the executor of the client, in no thread of its own.
/// Stop: shutdown_async(), or shutdown() and the destructor, which block and are not for the client's executor: what
/// waits is written, each with one try, within the given time; the rest is dropped and counted. After a shutdown has
/// completed the destructor does not block.
/// Errors: events are never worth failing for: kubexx_events_total{result=...} and the log say what became of them.
/// Example:
///
///     events::EventBroadcaster broadcaster(client);
///     auto recorder = broadcaster.recorder("widget-controller");
class KUBEXX_EXPORT EventBroadcaster {
 public:
  explicit EventBroadcaster(rest::Client client, EventBroadcasterOptions options = {});
  ~EventBroadcaster();
  EventBroadcaster(const EventBroadcaster&) = delete;
  EventBroadcaster& operator=(const EventBroadcaster&) = delete;

  /// `component` names the program in the events; `instance` the process, by default this host.
  EventRecorder recorder(std::string component, std::string instance = {}) const;

  /// True when everything recorded before was written or refused in time. The first decides how long that is; later
  /// ones complete with it.
  Async<bool> shutdown_async(Duration flush);
  bool shutdown(Duration flush);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::events
