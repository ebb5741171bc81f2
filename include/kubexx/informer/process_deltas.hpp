#pragma once

#include "kubexx/base/export.hpp"
#include "kubexx/delta/delta.hpp"
#include "kubexx/informer/event_handler.hpp"
#include "kubexx/informer/shared_processor.hpp"
#include "kubexx/store/store.hpp"

namespace kubexx::informer {

/// Where applied changes are announced: after the store has them.
class KUBEXX_EXPORT Announcer {
 public:
  virtual ~Announcer() = default;
  /// Called for each change that the store has by now, in their order.
  virtual void announce(Notification notification) = 0;
};

/// What an informer does with the changes that its queue hands over; for a Controller of one's own. Applies them to the
/// store, oldest first and in one go where they stand side by side, and then announces them. What is in the store
/// decides whether something is an add or an update; the type of the change does not. The deltas are used up.
///
/// Threads: one at a time for a store and an announcer. It must not block where a Controller calls it.
/// Errors: an object without a key ends it, and what came before it stays applied and announced.
/// Example:
///
///     class Printing final : public informer::Announcer {
///       void announce(informer::Notification told) override { greet(told.key.text()); }
///     };
///     Printing printing;
///     auto store = std::make_shared<store::Indexer>();
///     delta::Deltas deltas{delta::Delta(delta::DeltaType::Added, pod)};
///     auto done = informer::process_deltas(deltas, true, *store, printing);
KUBEXX_EXPORT Result<void> process_deltas(delta::Deltas& deltas, bool is_in_initial_list, store::Indexer& store,
                                          Announcer& announcer);
/// The same with one handler, which is called at once. What it throws is reported to the error sink.
KUBEXX_EXPORT Result<void> process_deltas(delta::Deltas& deltas, bool is_in_initial_list, store::Indexer& store,
                                          ResourceEventHandler& handler);

}  // namespace kubexx::informer
