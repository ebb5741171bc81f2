#pragma once

#include "informer/notification.hpp"
#include "kubexx/delta/delta.hpp"
#include "kubexx/store/store.hpp"

namespace kubexx::informer {

/// Where applied changes are announced: after the store has them.
class Announcer {
 public:
  virtual ~Announcer() = default;
  virtual void announce(Notification notification) = 0;
};

/// Applies changes to the store, oldest first, store before announcement. What is in the store decides whether
/// something is an add or an update; the type of the change does not.
Result<void> apply_deltas(delta::Deltas& deltas, bool is_in_initial_list, store::Indexer& store, Announcer& announcer);
/// The same for a batch of changes of different keys: all of them are in the store before the first announcement.
Result<void> apply_batch(delta::Deltas& deltas, bool is_in_initial_list, store::Indexer& store, Announcer& announcer);

}  // namespace kubexx::informer
