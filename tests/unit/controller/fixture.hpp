#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kubexx/controller/controller_core.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::controller {

inline const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
inline const meta::GroupVersionResource kSecrets{"", "v1", "secrets"};

/// A scripted source, its informer on the manual executor, and what its server would say.
struct Source {
  explicit Source(const std::shared_ptr<ManualExecutor>& executor, meta::GroupVersionResource resource = kConfigMaps) {
    informer::InformerOptions options;
    options.description = resource.resource;
    options.resource = std::move(resource);
    options.executor = executor;
    options.handlers = executor;
    options.reflector.emplace();
    options.reflector->version_check = Duration::zero();
    options.reflector->watch_list = false;
    informer = informer::SharedIndexInformer::create(script, std::move(options));
  }
  void send(meta::WatchEventType type, meta::Object object) const { script->stream().send({type, std::move(object)}); }

  std::shared_ptr<reflector::Script> script = std::make_shared<reflector::Script>();
  std::shared_ptr<informer::SharedIndexInformer> informer;
};

/// The same as reflector::config_map, with an owner that controls it.
inline meta::Object owned_by(const std::string& name, const std::string& version, const std::string& owner,
                             const std::string& kind = "ConfigMap", const std::string& api_version = "v1") {
  auto draft = reflector::config_map(name, version).edit();
  auto reference = draft["metadata"]["ownerReferences"].append();
  reference["apiVersion"].set(api_version);
  reference["kind"].set(kind);
  reference["name"].set(owner);
  reference["uid"].set("u-" + owner);
  reference["controller"].set(true);
  return draft.to_object();
}

}  // namespace kubexx::controller
