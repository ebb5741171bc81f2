#include "kubexx/meta/watch_event.hpp"

namespace kubexx::meta {

std::string_view to_string(WatchEventType type) noexcept {
  switch (type) {
    case WatchEventType::Added:
      return "ADDED";
    case WatchEventType::Modified:
      return "MODIFIED";
    case WatchEventType::Deleted:
      return "DELETED";
    case WatchEventType::Bookmark:
      return "BOOKMARK";
    case WatchEventType::Error:
      return "ERROR";
    case WatchEventType::Unknown:
      break;
  }
  return "UNKNOWN";
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
