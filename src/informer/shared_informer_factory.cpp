#include "kubexx/informer/shared_informer_factory.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "informer/ending.hpp"
#include "kubexx/codec/resources.hpp"
#include "kubexx/meta/field_selector.hpp"
#include "kubexx/meta/label_selector.hpp"

namespace kubexx::informer {
namespace {

/// What an informer of this scope lists, in order and each once; one empty name is all of them.
std::vector<std::string> namespaces_of(const Scope& scope, const FactoryOptions& options) {
  std::vector<std::string> names{scope.namespace_.empty() ? options.namespace_ : scope.namespace_};
  if (scope.namespace_.empty() && !options.namespaces.empty()) names = options.namespaces;
  const bool all = std::find(names.begin(), names.end(), "") != names.end();
  if (scope.cluster_wide || all) return {""};
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Duration resync_of(const meta::GroupVersionResource& resource, const FactoryOptions& options) {
  const auto custom = options.custom_resync.find(resource);
  return custom == options.custom_resync.end() ? options.resync_period : custom->second;
}

}  // namespace

namespace detail {

std::shared_ptr<SharedIndexInformer> make_informer(const rest::Client& client,
                                                   const meta::GroupVersionResource& resource,
                                                   const meta::ResourceInfo* info, const Scope& given,
                                                   const FactoryOptions& options, const store::Indexers& indexers) {
  Scope scope = given;
  if (info && !info->namespaced) scope.cluster_wide = true;
  auto namespaces = namespaces_of(scope, options);
  ClientSourceOptions source;
  source.projection = options.projection;
  source.metadata_only = options.metadata_only;
  if (const auto* known = info ? info : codec::find_resource(resource)) source.kind = known->gvk();
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
  if (namespaces != namespaces_of({}, options) && !namespaces[0].empty()) made.name += " in " + scope.namespace_;
  std::string selectors;
  if (!scope.label_selector.empty()) selectors += " -l " + scope.label_selector;
  if (!scope.field_selector.empty()) selectors += " --field-selector " + scope.field_selector;
  made.name += selectors;
  std::string where;
  for (const auto& each : namespaces) where += (where.empty() ? "" : ",") + each;
  made.scope = where.empty() ? selectors.substr(selectors.empty() ? 0 : 1) : "in " + where + selectors;
  made.resync_period = resync_of(resource, options);
  made.indexers = indexers;
  if (info) made.expected_kind = info->gvk();
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
  made.reflector.tracer = client.tracer();
  std::vector<std::shared_ptr<reflector::ListerWatcher>> sources;
  for (auto& each : namespaces) {
    source.namespace_ = std::move(each);
    sources.push_back(make_client_lister_watcher(client, resource, source));
  }
  return SharedIndexInformer::create(reflector::merge_sources(std::move(sources)), std::move(made));
}

}  // namespace detail

namespace {

/// What informers are shared by: scopes that mean the same have the same.
struct Key {
  meta::GroupVersionResource resource;
  std::vector<std::string> namespaces;
  std::string label_selector;
  std::string field_selector;
  friend auto operator<=>(const Key&, const Key&) = default;  // NOLINT(modernize-use-nullptr): finds one in <=>
};

struct Entry {
  std::shared_ptr<SharedIndexInformer> informer;  // null: it is being made
  std::thread::id maker;
  std::weak_ptr<void> lease;  // what its leases hold together
  bool pinned = false;        // somebody asked for it without a lease: it lives with the factory
};

}  // namespace

struct SharedInformerFactory::Impl : std::enable_shared_from_this<Impl> {
  Impl(rest::Client c, FactoryOptions o, bool d) : client(std::move(c)), options(std::move(o)), dynamic(d) {}

  /// The typed API's description; null: it has none.
  const meta::ResourceInfo* find(const meta::GroupVersionResource& resource) const {
    return codec::find_resource(resource);
  }
  /// What a server would refuse again and again is refused here, once.
  Result<void> check(const meta::GroupVersionResource& resource, const Scope& scope) const {
    if (resource.resource.empty()) return Error::config("the name of a resource is needed");
    if (resource.version.empty()) return Error::config("a version is needed for " + resource.resource);
    if (!dynamic && !find(resource)) return Error::config("no informer found for " + resource.to_string());
    return check(scope);
  }
  static Result<void> check(const Scope& scope) {
    if (auto labels = meta::LabelSelector::parse(scope.label_selector); !labels) {
      return Error::config("label selector \"" + scope.label_selector + "\": " + labels.error().message());
    }
    if (auto fields = meta::FieldSelector::parse(scope.field_selector); !fields) {
      return Error::config("field selector \"" + scope.field_selector + "\": " + fields.error().message());
    }
    return {};
  }
  /// With what is known of the resource: a kind without namespaces is watched as a whole, whoever asks.
  Scope whole(const meta::GroupVersionResource& resource, Scope scope, const meta::ResourceInfo* info) {
    if (!info) info = find(resource);
    const std::lock_guard lock(mutex);
    if (info && !info->namespaced) without_namespaces.insert(resource);
    if (without_namespaces.contains(resource)) scope.cluster_wide = true;
    return scope;
  }
  Key key_of(const meta::GroupVersionResource& resource, const Scope& whole_scope) const {
    return {resource, namespaces_of(whole_scope, options), whole_scope.label_selector, whole_scope.field_selector};
  }

  /// take(entry), under the lock, of the entry of this key; make() makes its informer, without the lock, while others
  /// who want it wait.
  template <class Make, class Take>
  auto use(const Key& key, const Make& make, const Take& take) {
    std::optional<Ending::Position> stopped;
    std::unique_lock lock(mutex);
    for (auto found = entries.find(key); found != entries.end(); found = entries.find(key)) {
      Entry& entry = found->second;
      if (!entry.informer) {
        if (entry.maker == std::this_thread::get_id()) {
          throw std::logic_error("the function that makes an informer asks the factory for it");
        }
        changed.wait(lock);
        continue;
      }
      if (closed || !entry.informer->is_stopped()) return take(entry);
      stopped = ending->add(std::move(entry.informer));
      entries.erase(found);
      break;
    }
    entries[key].maker = std::this_thread::get_id();
    lock.unlock();
    std::shared_ptr<SharedIndexInformer> made;
    try {
      if (stopped) ending->let_go(*stopped);
      made = make();
      if (!made) throw std::logic_error("the function that makes an informer returned none");
    } catch (...) {
      lock.lock();
      entries.erase(key);
      changed.notify_all();
      throw;
    }
    lock.lock();
    Entry& entry = entries[key];
    entry.informer = std::move(made);
    changed.notify_all();
    return take(entry);
  }

  template <class Take>
  auto obtain(const meta::GroupVersionResource& resource, const Scope& scope, const meta::ResourceInfo* info,
              const Take& take) {
    const Scope wanted = whole(resource, scope, info);
    // Whoever comes first, a dynamic factory asks for JSON.
    const auto* described = dynamic ? nullptr : info ? info : find(resource);
    const auto make = [&] {
      return detail::make_informer(client, resource, described, wanted, options, store::namespace_indexers());
    };
    return use(key_of(resource, wanted), make, take);
  }
  static std::shared_ptr<SharedIndexInformer> pin(Entry& entry) {
    entry.pinned = true;
    return entry.informer;
  }

  /// Takes an informer out, to be stopped, if `which` says yes.
  template <class Which>
  bool retire(const Key& key, const Which& which) {
    std::unique_lock lock(mutex);
    const auto found = entries.find(key);
    if (found == entries.end() || !found->second.informer || !which(found->second)) return false;
    const auto place = ending->add(std::move(found->second.informer));
    entries.erase(found);
    lock.unlock();
    ending->let_go(place);
    return true;
  }

  /// What the leases of an informer hold together.
  struct Hold {
    Hold(std::weak_ptr<Impl> s, Key k, std::weak_ptr<SharedIndexInformer> i)
        : impl(std::move(s)), key(std::move(k)), informer(std::move(i)) {}
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() {
      const auto alive = impl.lock();
      if (!alive) return;
      alive->retire(key, [this](const Entry& now) {
        const bool same = !now.informer.owner_before(informer) && !informer.owner_before(now.informer);
        return same && !now.pinned && now.lease.expired();
      });
    }
    const std::weak_ptr<Impl> impl;
    const Key key;
    const std::weak_ptr<SharedIndexInformer> informer;
  };
  Lease lease(const Key& key, Entry& entry) {  // under the lock
    auto hold = entry.lease.lock();
    if (!hold) entry.lease = hold = std::make_shared<Hold>(weak_from_this(), key, entry.informer);
    return Lease(entry.informer, std::move(hold));
  }

  rest::Client client;
  const FactoryOptions options;
  const bool dynamic;
  const std::shared_ptr<Ending> ending = std::make_shared<Ending>();
  mutable std::mutex mutex;
  std::condition_variable changed;                          // an informer was made, or not
  std::map<Key, Entry> entries;                             // guarded by mutex
  std::set<meta::GroupVersionResource> without_namespaces;  // guarded by mutex
  bool closed = false;                                      // guarded by mutex
};

SharedInformerFactory::SharedInformerFactory(rest::Client client)
    : SharedInformerFactory(std::move(client), FactoryOptions()) {}
SharedInformerFactory::SharedInformerFactory(rest::Client client, FactoryOptions options)
    : SharedInformerFactory(std::move(client), std::move(options), false) {}
SharedInformerFactory::SharedInformerFactory(rest::Client client, FactoryOptions options, bool dynamic)
    : impl_(std::make_shared<Impl>(std::move(client), std::move(options), dynamic)) {}
SharedInformerFactory::~SharedInformerFactory() {
  shutdown();
}

std::shared_ptr<SharedIndexInformer> SharedInformerFactory::obtain(const meta::GroupVersionResource& resource,
                                                                   const Scope& scope, const meta::ResourceInfo* info) {
  Impl::check(scope).value();
  return impl_->obtain(resource, scope, info, Impl::pin);
}

std::shared_ptr<SharedIndexInformer> SharedInformerFactory::informer_for(const meta::GroupVersionResource& resource,
                                                                         const NewInformerFunc& make) {
  const auto make_one = [&] {
    auto made = make(impl_->client, resync_of(resource, impl_->options));
    if (made && impl_->options.transform && !made->has_transform() && !made->has_started()) {
      made->set_transform(impl_->options.transform);
    }
    return made;
  };
  return impl_->use(impl_->key_of(resource, impl_->whole(resource, {}, nullptr)), make_one, Impl::pin);
}

Result<GenericInformer> SharedInformerFactory::for_resource(const meta::GroupVersionResource& resource,
                                                            const Scope& scope) {
  if (auto good = impl_->check(resource, scope); !good) return good.error();
  return GenericInformer(Informer<meta::Object>(obtain(resource, scope, nullptr)));
}

Result<Lease> SharedInformerFactory::lease(const meta::GroupVersionResource& resource, const Scope& scope) {
  if (auto good = impl_->check(resource, scope); !good) return good.error();
  const Key key = impl_->key_of(resource, impl_->whole(resource, scope, nullptr));
  return impl_->obtain(resource, scope, nullptr, [&](Entry& entry) { return impl_->lease(key, entry); });
}

bool SharedInformerFactory::stop_informer(const meta::GroupVersionResource& resource, const Scope& scope) {
  const Key key = impl_->key_of(resource, impl_->whole(resource, scope, nullptr));
  return impl_->retire(key, [](const Entry&) { return true; });
}

void SharedInformerFactory::start(std::stop_token stop) {
  std::vector<std::shared_ptr<SharedIndexInformer>> fresh;
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->closed) return;
    for (const auto& [key, entry] : impl_->entries) {
      const auto& informer = entry.informer;
      if (informer && !informer->has_started() && !informer->is_stopped()) fresh.push_back(informer);
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
    const std::lock_guard lock(impl_->mutex);
    impl_->closed = true;
    for (const auto& [key, entry] : impl_->entries) {
      if (entry.informer) all.push_back(entry.informer);
    }
  }
  for (const auto& informer : all) informer->stop();
  for (const auto& informer : all) informer->join();
  impl_->ending->wait();
}

std::vector<std::shared_ptr<SharedIndexInformer>> SharedInformerFactory::informers() const {
  std::vector<std::shared_ptr<SharedIndexInformer>> all;
  const std::lock_guard lock(impl_->mutex);
  for (const auto& [key, entry] : impl_->entries) {
    if (entry.informer) all.push_back(entry.informer);
  }
  return all;
}

const rest::Client& SharedInformerFactory::client() const noexcept {
  return impl_->client;
}
const FactoryOptions& SharedInformerFactory::options() const noexcept {
  return impl_->options;
}

}  // namespace kubexx::informer
