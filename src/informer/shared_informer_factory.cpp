#include "kubexx/informer/shared_informer_factory.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "kubexx/codec/resources.hpp"

namespace kubexx::informer {
namespace detail {

std::shared_ptr<SharedIndexInformer> make_informer(const rest::Client& client,
                                                   const meta::GroupVersionResource& resource,
                                                   const meta::ResourceInfo* info, const Scope& scope,
                                                   const FactoryOptions& options, const store::Indexers& indexers) {
  std::vector<std::string> namespaces{scope.namespace_.empty() ? options.namespace_ : scope.namespace_};
  if (scope.namespace_.empty() && !options.namespaces.empty()) namespaces = options.namespaces;
  if (scope.cluster_wide || (info && !info->namespaced)) namespaces = {""};
  std::sort(namespaces.begin(), namespaces.end());
  namespaces.erase(std::unique(namespaces.begin(), namespaces.end()), namespaces.end());
  ClientSourceOptions source;
  source.projection = options.projection;
  source.metadata_only = options.metadata_only;
  source.format = info && info->protobuf ? rest::Format::Protobuf : rest::Format::Json;
  source.tweak = [scope, tweak = options.tweak_list_options](meta::ListOptions& query) {
    if (!scope.label_selector.empty()) query.label_selector = scope.label_selector;
    if (!scope.field_selector.empty()) query.field_selector = scope.field_selector;
    if (tweak) tweak(query);
  };

  InformerOptions made;
  made.resource = resource;
  made.description = resource.group_resource().to_string();
  made.name = (options.name.empty() ? "" : options.name + "/") + made.description;
  if (!scope.namespace_.empty()) made.name += " in " + scope.namespace_;
  std::string selectors;
  if (!scope.label_selector.empty()) selectors += " -l " + scope.label_selector;
  if (!scope.field_selector.empty()) selectors += " --field-selector " + scope.field_selector;
  made.name += selectors;
  std::string where;
  for (const auto& each : namespaces) where += (where.empty() ? "" : ",") + each;
  made.scope = where.empty() ? selectors.substr(selectors.empty() ? 0 : 1) : "in " + where + selectors;
  const auto custom = options.custom_resync.find(resource);
  made.resync_period = custom == options.custom_resync.end() ? options.resync_period : custom->second;
  made.indexers = indexers;
  if (info && !options.metadata_only) made.expected_kind = info->gvk();
  made.transform = options.transform;
  made.queue = options.queue;
  made.mutation_detector = options.mutation_detector;
  made.reflector.backoff = options.backoff;
  made.reflector.watch_list = options.watch_list;
  made.reflector.verify_every = options.verify_every;
  made.reflector.watch_error_handler = options.watch_error_handler;
  made.executor = client.executor();
  made.handlers = client.handlers();
  made.metrics = client.metrics();
  std::vector<std::shared_ptr<reflector::ListerWatcher>> sources;
  for (auto& each : namespaces) {
    source.namespace_ = std::move(each);
    sources.push_back(make_client_lister_watcher(client, resource, source));
  }
  return SharedIndexInformer::create(reflector::merge_sources(std::move(sources)), std::move(made));
}

}  // namespace detail

struct SharedInformerFactory::State {
  State(rest::Client c, FactoryOptions o, bool d) : client(std::move(c)), options(std::move(o)), dynamic(d) {}

  using Key = std::pair<meta::GroupVersionResource, Scope>;
  struct Entry {
    std::shared_ptr<SharedIndexInformer> informer;
    std::weak_ptr<void> lease;  // set: lives as long as it
    bool leased = false;
  };

  std::shared_ptr<SharedIndexInformer> obtain(const meta::GroupVersionResource& resource, const Scope& scope,
                                              const meta::ResourceInfo* info) {
    const std::lock_guard lock(mutex);
    auto& entry = entries[{resource, scope}];
    if (!entry.informer) {
      entry.informer = detail::make_informer(client, resource, info, scope, options, store::namespace_indexers());
      entry.leased = false;
    }
    return entry.informer;
  }

  rest::Client client;
  const FactoryOptions options;
  const bool dynamic;
  mutable std::mutex mutex;
  std::map<Key, Entry> entries;                               // guarded by mutex
  std::vector<std::shared_ptr<SharedIndexInformer>> retired;  // guarded by mutex; stopped, to be joined
  bool closed = false;                                        // guarded by mutex
};

SharedInformerFactory::SharedInformerFactory(rest::Client client)
    : SharedInformerFactory(std::move(client), FactoryOptions()) {}
SharedInformerFactory::SharedInformerFactory(rest::Client client, FactoryOptions options)
    : SharedInformerFactory(std::move(client), std::move(options), false) {}
SharedInformerFactory::SharedInformerFactory(rest::Client client, FactoryOptions options, bool dynamic)
    : state_(std::make_shared<State>(std::move(client), std::move(options), dynamic)) {}
SharedInformerFactory::~SharedInformerFactory() {
  shutdown();
}

std::shared_ptr<SharedIndexInformer> SharedInformerFactory::obtain(const meta::GroupVersionResource& resource,
                                                                   const Scope& scope, const meta::ResourceInfo* info) {
  return state_->obtain(resource, scope, info);
}

std::shared_ptr<SharedIndexInformer> SharedInformerFactory::informer_for(const meta::GroupVersionResource& resource,
                                                                         const NewInformerFunc& make) {
  {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->entries.find({resource, {}});
    if (found != state_->entries.end() && found->second.informer) return found->second.informer;
  }
  const auto custom = state_->options.custom_resync.find(resource);
  auto made = make(state_->client,
                   custom == state_->options.custom_resync.end() ? state_->options.resync_period : custom->second);
  const std::lock_guard lock(state_->mutex);
  auto& entry = state_->entries[{resource, {}}];
  if (!entry.informer) entry.informer = std::move(made);
  return entry.informer;
}

Result<GenericInformer> SharedInformerFactory::for_resource(const meta::GroupVersionResource& resource,
                                                            const Scope& scope) {
  const meta::ResourceInfo* info = nullptr;
  if (!state_->dynamic) {
    info = codec::find_resource(resource);
    if (!info) return Error::config("no informer found for " + resource.to_string());
  }
  return GenericInformer(Informer<meta::Object>(obtain(resource, scope, info)));
}

Result<Lease> SharedInformerFactory::lease(const meta::GroupVersionResource& resource, const Scope& scope) {
  const auto* info = codec::find_resource(resource);
  if (!info && !state_->dynamic) return Error::config("no informer found for " + resource.to_string());
  auto informer = obtain(resource, scope, info);
  const std::lock_guard lock(state_->mutex);
  auto& entry = state_->entries[{resource, scope}];
  auto hold = entry.lease.lock();
  if (!hold) {
    hold = std::shared_ptr<void>(nullptr, [weak = std::weak_ptr<State>(state_), resource, scope](void*) {
      const auto state = weak.lock();
      if (!state) return;
      std::shared_ptr<SharedIndexInformer> last;
      {
        const std::lock_guard inner(state->mutex);
        const auto found = state->entries.find({resource, scope});
        if (found == state->entries.end() || !found->second.leased || !found->second.lease.expired()) return;
        last = std::move(found->second.informer);
        state->entries.erase(found);
        if (last) state->retired.push_back(last);
      }
      if (last) last->stop();
    });
    entry.lease = hold;
    entry.leased = true;
  }
  return Lease(std::move(informer), std::move(hold));
}

bool SharedInformerFactory::stop_informer(const meta::GroupVersionResource& resource, const Scope& scope) {
  std::shared_ptr<SharedIndexInformer> informer;
  {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->entries.find({resource, scope});
    if (found == state_->entries.end()) return false;
    informer = std::move(found->second.informer);
    state_->entries.erase(found);
    if (informer) state_->retired.push_back(informer);
  }
  if (!informer) return false;
  informer->stop();
  return true;
}

void SharedInformerFactory::start(std::stop_token stop) {
  std::vector<std::shared_ptr<SharedIndexInformer>> fresh;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->closed) return;
    std::erase_if(state_->retired, [](const auto& informer) { return informer->status().stopped; });
    for (const auto& [key, entry] : state_->entries) {
      if (entry.informer && !entry.informer->has_started()) fresh.push_back(entry.informer);
    }
  }
  for (const auto& informer : fresh) informer->start(stop);
}

SyncResult SharedInformerFactory::wait_for_cache_sync(std::stop_token stop, const SyncOptions& options) const {
  std::vector<std::shared_ptr<SharedIndexInformer>> started;
  for (const auto& informer : informers()) {
    if (informer->has_started()) started.push_back(informer);
  }
  return informer::wait_for_cache_sync(std::move(stop), started, options);
}

void SharedInformerFactory::shutdown() {
  std::vector<std::shared_ptr<SharedIndexInformer>> all;
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
    for (const auto& [key, entry] : state_->entries) {
      if (entry.informer) all.push_back(entry.informer);
    }
    all.insert(all.end(), state_->retired.begin(), state_->retired.end());
  }
  for (const auto& informer : all) informer->stop();
  for (const auto& informer : all) informer->join();
}

std::vector<std::shared_ptr<SharedIndexInformer>> SharedInformerFactory::informers() const {
  std::vector<std::shared_ptr<SharedIndexInformer>> all;
  const std::lock_guard lock(state_->mutex);
  for (const auto& [key, entry] : state_->entries) {
    if (entry.informer) all.push_back(entry.informer);
  }
  return all;
}

const rest::Client& SharedInformerFactory::client() const noexcept {
  return state_->client;
}
const FactoryOptions& SharedInformerFactory::options() const noexcept {
  return state_->options;
}

}  // namespace kubexx::informer
