#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/informer/event_handler.hpp"

namespace kubexx::informer {

/// One call of a handler, waiting for its turn. Adds have `after`, deletes `before`, updates both.
struct Notification {
  enum class Kind : std::uint8_t { Add, Update, Delete };
  Kind kind = Kind::Add;
  EventCause cause = EventCause::Watch;
  bool initial = false;           ///< counts for the handler's has_synced
  bool final_state_known = true;  ///< of a delete
  bool repair = false;            ///< by a list of the very version that the cache had: one of the two was wrong
  bool sync = false;              ///< an update of nothing: only for handlers that are syncing
  meta::Object before;
  meta::Object after;
  std::string key;  ///< of a delete
};

inline void call_handler(ResourceEventHandler& handler, const Notification& n, const EventContext& context) {
  switch (n.kind) {
    case Notification::Kind::Add:
      return handler.on_add(n.after, n.initial, context);
    case Notification::Kind::Update:
      return handler.on_update(n.before, n.after, context);
    case Notification::Kind::Delete:
      return handler.on_delete(Deleted<meta::Object>(n.key, n.before, n.final_state_known), context);
  }
}

/// Notifications that follow each other. Listeners share them; nobody changes a block that is shared.
struct NotificationBlock {
  static constexpr std::size_t kFull = 64;

  void push(Notification notification) {
    if (notification.initial) ++initial;
    if (notification.sync) ++syncs;
    all.push_back(std::move(notification));
  }
  bool full() const noexcept { return all.size() >= kFull; }

  std::vector<Notification> all;
  std::size_t initial = 0;  // of all
  std::size_t syncs = 0;    // of all
};

/// An update of nothing: both have metadata and the same version, and are the same. A restored server may use a version
/// twice for different contents, so equal versions alone do not decide.
inline bool is_sync(const meta::Object& before, const meta::Object& after) {
  if (before.same_document(after)) return true;
  return before.has_metadata() && after.has_metadata() && before.resource_version() == after.resource_version() &&
         before == after;
}

}  // namespace kubexx::informer
