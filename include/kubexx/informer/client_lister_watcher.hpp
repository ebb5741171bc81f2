#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kubexx/meta/json.hpp"
#include "kubexx/reflector/lister_watcher.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::informer {

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

/// Lists and watches a resource through a client.
std::shared_ptr<reflector::ListerWatcher> make_client_lister_watcher(rest::Client client,
                                                                     meta::GroupVersionResource resource,
                                                                     ClientSourceOptions options = {});

}  // namespace kubexx::informer
