#pragma once

#include "kubexx/informer/shared_processor.hpp"

namespace kubexx::informer {

inline void call_handler(ResourceEventHandler& handler, const Notification& n, const EventContext& context) {
  switch (n.kind) {
    case Notification::Kind::Add:
      return handler.on_add(n.after, n.initial, context);
    case Notification::Kind::Update:
      return handler.on_update(n.before, n.after, context);
    case Notification::Kind::Delete:
      return handler.on_delete(Deleted<meta::Object>(n.key.text(), n.before, n.final_state_known), context);
  }
}

/// An update of nothing: both have metadata and the same version, and are the same. A restored server may use a version
/// twice for different contents, so equal versions alone do not decide.
inline bool is_sync(const meta::Object& before, const meta::Object& after) {
  if (before.same_document(after)) return true;
  return before.has_metadata() && after.has_metadata() && before.resource_version() == after.resource_version() &&
         before == after;
}

}  // namespace kubexx::informer
