#pragma once

#include <cstdint>
#include <string_view>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// What happened to an object, as a watch says it.
enum class WatchEventType : std::uint8_t { Added, Modified, Deleted, Bookmark, Error, Unknown };
KUBEXX_EXPORT std::string_view to_string(WatchEventType type) noexcept;  ///< "ADDED", ...
/// From "ADDED" and the like; Unknown for other texts.
KUBEXX_EXPORT WatchEventType parse_watch_event_type(std::string_view text) noexcept;

/// One event of a watch. For Error the object is a Status.
struct KUBEXX_EXPORT WatchEvent {
  WatchEventType type = WatchEventType::Unknown;
  Object object = {};

  /// A bookmark whose annotation k8s.io/initial-events-end is exactly "true".
  bool is_initial_events_end() const noexcept;
};

/// On the bookmark that ends the first state of a WatchList.
inline constexpr std::string_view kInitialEventsEndAnnotation = "k8s.io/initial-events-end";

}  // namespace kubexx::meta
