#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/reflector/lister_watcher.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::informer {

/// How a client is asked for lists and watches.
struct ClientSourceOptions {
  std::string namespace_ = {};                         ///< empty: all
  std::function<void(meta::ListOptions&)> tweak = {};  ///< selectors and the like, for lists and watches
  meta::Projection projection = {};                    ///< applied while decoding; default: without managedFields
  rest::Format format = rest::Format::Json;
  bool metadata_only = false;  ///< the server is asked for no more
  /// Of objects that come as metadata only; absent: discovery is asked.
  std::optional<meta::GroupVersionKind> kind = {};
  bool watchable = true;
};

/// Lists and watches a resource through a client: the source of an informer or reflector of one's own.
///
/// Threads: as ListerWatcher says. `tweak` is called on the strand.
/// Errors: what the client says is the end of that list or watch. A resource that is unknown to the server is looked
/// for in discovery every two seconds, while somebody waits for it (await_served).
/// Example:
///
///     auto source = informer::make_client_lister_watcher(client, {"", "v1", "pods"}, {.namespace_ = "default"});
///     auto pods = informer::SharedIndexInformer::create(
///         source, {.description = "pods", .executor = client.executor(), .handlers = client.handlers()});
///     pods->start(stop);
KUBEXX_EXPORT std::shared_ptr<reflector::ListerWatcher> make_client_lister_watcher(rest::Client client,
                                                                                   meta::GroupVersionResource resource,
                                                                                   ClientSourceOptions options = {});

}  // namespace kubexx::informer
