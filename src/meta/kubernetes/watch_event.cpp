#include "kubexx/meta/watch_event.hpp"

#include "base/internal/enum_name.hpp"

namespace kubexx::meta {

std::string_view to_string(WatchEventType type) noexcept {
  static constexpr std::string_view kNames[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "UNKNOWN"};
  return enum_name<WatchEventType::Unknown>(type, kNames, "UNKNOWN");
}

WatchEventType parse_watch_event_type(std::string_view text) noexcept {
  if (text == "ADDED") return WatchEventType::Added;
  if (text == "MODIFIED") return WatchEventType::Modified;
  if (text == "DELETED") return WatchEventType::Deleted;
  if (text == "BOOKMARK") return WatchEventType::Bookmark;
  if (text == "ERROR") return WatchEventType::Error;
  return WatchEventType::Unknown;
}

bool WatchEvent::is_initial_events_end() const noexcept {
  return type == WatchEventType::Bookmark && object.annotations()[kInitialEventsEndAnnotation].string() == "true";
}

}  // namespace kubexx::meta
