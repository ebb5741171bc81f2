#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/client/until.hpp"
#include "kubexx/store/store.hpp"

namespace kubexx::informer {

/// Looks at the whole state, once it is there: whether there is nothing to wait for.
using Precondition = std::function<Result<bool>(const store::Indexer&)>;

/// Waits as client::until does, over an informer of its own instead of a watch: it needs no version to begin at and
/// survives whatever an informer survives. `options` give selectors, stop and timeout.
///
/// The precondition (may be absent) is asked when the first list is in the cache; true ends the waiting with no event.
/// Then the conditions see every object of that list as ADDED, and what follows. A deletion that was only inferred is
/// DELETED with the last known state.
///
/// Threads: blocks, or drives the loop whose thread it is; conditions and the precondition run on the calling thread.
/// The informer has ended when it returns.
/// Stop: `options.stop` ends it with Canceled, `options.timeout` with Timeout.
/// Errors: those, and what a condition or the precondition returns. What they throw is thrown. A server that refuses
/// does not end it: the informer tries again.
/// Example:
///
///     const auto gone = [](const meta::WatchEvent& event) -> Result<bool> {
///       return event.type == meta::WatchEventType::Deleted;
///     };
///     auto last = informer::until_with_sync(
///         pods.untyped(), {.field_selector = "metadata.name=web", .timeout = 30s},
///         [](const store::Indexer& now) -> Result<bool> { return now.size() == 0; }, {gone});
KUBEXX_EXPORT Result<std::optional<meta::WatchEvent>> until_with_sync(const client::ResourceApi& api,
                                                                      const client::ListOptions& options,
                                                                      const Precondition& precondition,
                                                                      std::vector<client::Condition> conditions);

}  // namespace kubexx::informer
