#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::events {

/// What an event may say beyond its object, type, reason and message.
struct EventDetails {
  std::string action{};      ///< what was done ("Scaling"); the events.k8s.io API needs one: the reason when empty
  meta::Object related{};    ///< a second object the event is about
  std::string field_path{};  ///< the part of the object, as "spec.containers{web}"
  std::vector<std::pair<std::string, std::string>> annotations{};
};

/// Tells the world what happened to an object, as Events of the cluster. A handle from EventBroadcaster::recorder(),
/// cheap to copy; a default one does nothing, so code can take a recorder without asking whether there is one.
///
/// Threads: safe from any thread; never blocks.
/// Errors: it never fails. An event that cannot be recorded (an object without kind or name, a type other than Normal
/// and Warning, a full queue, a broadcaster that was shut down) is counted in kubexx_events_total{result="dropped"} and
/// logged.
/// Example:
///
///     events::EventBroadcaster broadcaster(client);
///     const auto recorder = broadcaster.recorder("shop");
///     recorder.event(pod, "Normal", "Synced", "the shop is in order", {.action = "Syncing"});
class KUBEXX_EXPORT EventRecorder {
 public:
  EventRecorder() = default;
  /// For tests: hands every event to `take` on the caller's thread, as the object that would be created in core/v1.
  static EventRecorder to(std::function<void(const meta::Object& event)> take, const Clock& clock = Clock::system());

  /// Says something of an object: "Normal" or "Warning", a word for programs, a sentence for people. Never blocks.
  void event(const meta::Object& about, std::string_view type, std::string_view reason, std::string_view message,
             const EventDetails& details = {}) const;

 private:
  friend class EventBroadcaster;
  struct Impl;
  explicit EventRecorder(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace kubexx::events
