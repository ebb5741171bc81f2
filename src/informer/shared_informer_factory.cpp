#include "kubexx/informer/shared_informer_factory.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "base/internal/insist.hpp"
#include "base/internal/text.hpp"
#include "informer/ending.hpp"
#include "informer/scope.hpp"
#include "informer/shared_informer_impl.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/codec/resources.hpp"

namespace kubexx::informer {
namespace {

/// What informers are shared by.
struct Key {
  meta::GroupVersionResource resource;
  WholeScope scope;
  friend bool operator<(const Key& a, const Key& b) {
    return a.resource != b.resource ? a.resource < b.resource : a.scope < b.scope;
  }
};

struct Entry {
  std::shared_ptr<SharedIndexInformer> informer;  // null: it is being made
  std::thread::id maker;
  std::weak_ptr<void> lease;  // what its leases hold together
  bool pinned = false;        // somebody asked for it without a lease: it lives with the factory
  bool started = false;       // by start(), or by who asked for it first after that
};

}  // namespace

struct KUBEXX_HIDDEN SharedInformerFactory::Impl : std::enable_shared_from_this<Impl> {
  Impl(rest::Client c, FactoryOptions o, bool d) : client(std::move(c)), options(std::move(o)), dynamic(d) {}

  /// The typed description of a resource, built in or told by know(); null: there is none.
  const meta::ResourceInfo* find(const meta::GroupVersionResource& resource) const {
    if (const auto* built_in = codec::find_resource(resource)) return built_in;
    const std::lock_guard lock(mutex);
    const auto found = known.find(resource);
    return found == known.end() ? nullptr : found->second;
  }
  /// What a server would refuse again and again is refused here, once.
  Result<void> check(const meta::GroupVersionResource& resource) const {
    if (resource.resource.empty()) return Error::config("the name of a resource is needed");
    if (resource.version.empty()) return Error::config("a version is needed for " + resource.resource);
    if (!dynamic && !find(resource)) return Error::config("no informer found for " + resource.to_string());
    return {};
  }
  InformerOptions options_of(const meta::GroupVersionResource& resource) const {
    const auto own = options.by_kind.find(resource);
    auto of_kind = own == options.by_kind.end() ? options.defaults : with_defaults(own->second, options.defaults);
    if (of_kind.cache_directory.empty()) of_kind.cache_directory = options.cache_directory;
    return of_kind;
  }
  kubexx::detail::Awaited awaited() const { return {client.executor().get(), client.handlers().get()}; }
  /// The same with what this scope says, and what is known of the resource: a kind without namespaces is watched as a
  /// whole, whoever asks.
  InformerOptions options_of(const meta::GroupVersionResource& resource, const Scope& scope,
                             const meta::ResourceInfo* info) {
    auto of_kind = options_of(resource);
    of_kind.scope = with_defaults(scope, of_kind.scope);
    if (!info) info = find(resource);
    if (info && !info->namespaced) of_kind.scope.cluster_wide = true;
    return of_kind;
  }
  Key key_of(const meta::GroupVersionResource& resource, const Scope& scope) {
    return {resource, WholeScope(options_of(resource, scope, nullptr).scope)};
  }
  /// "agent/pods in x -l app=web": whose it is, and what it lacks or has against others of the resource.
  std::string name_of(const Key& key, const InformerOptions& of_kind) {
    auto name = of_kind.name.empty() ? key.resource.group_resource().to_string() : of_kind.name;
    if (!options.name.empty()) name = options.name + "/" + name;
    const WholeScope usual = key_of(key.resource, {}).scope;
    const auto& scope = key.scope;
    if (scope.namespaces != usual.namespaces && !scope.namespaces.front().empty()) {
      name += " in " + joined(scope.namespaces);
    }
    name += scope.selectors_text();
    if (scope.projection != usual.projection) name.append(" ").append(scope.projection.name());
    if (scope.metadata_only && !usual.metadata_only) name += " metadata only";
    return name;
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
        const auto there = [&] {
          const auto now = entries.find(key);
          return now == entries.end() || now->second.informer;
        };
        static_cast<void>(changed.wait(awaited(), lock, there).value());
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
      keep_scope_of(made, key.resource);
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
    auto taken = take(entry);
    const bool starts = running && !closed && !running->stop_requested() && !entry.informer->has_started();
    if (!starts) return taken;
    entry.started = true;
    const auto informer = entry.informer;
    const auto stop = *running;
    lock.unlock();
    informer->start(stop);
    return taken;
  }

  template <class Take>
  auto obtain(const meta::GroupVersionResource& resource, const Scope& scope, const meta::ResourceInfo* info,
              const Take& take) {
    auto wanted = options_of(resource, scope, info);
    const Key key{resource, WholeScope(wanted.scope)};
    // Whoever comes first, a dynamic factory asks for JSON.
    const auto* described = dynamic ? nullptr : info ? info : find(resource);
    const auto make = [&] {
      wanted.name = name_of(key, wanted);
      return detail::make_informer(client, resource, described, std::move(wanted));
    };
    return use(key, make, take);
  }
  static std::shared_ptr<SharedIndexInformer> pin(Entry& entry) {
    entry.pinned = true;
    return entry.informer;
  }

  /// From now on a change of the informer's scope is one of its key here.
  void keep_scope_of(const std::shared_ptr<SharedIndexInformer>& informer, const meta::GroupVersionResource& resource) {
    auto claim = [weak = weak_from_this(), informer = std::weak_ptr(informer), resource](const Scope& next) {
      const auto self = weak.lock();
      const auto asking = informer.lock();
      return self && asking ? self->move(*asking, {resource, WholeScope(next)}) : Result<void>();
    };
    const std::lock_guard lock(informer->impl_->mutex);
    informer->impl_->kept = {options_of(resource).scope, std::move(claim)};
  }
  Result<void> move(const SharedIndexInformer& informer, const Key& to) {
    const std::lock_guard lock(mutex);
    if (closed) return Error::canceled("the factory was shut down");
    const auto found = entry_of(&informer);
    if (found == entries.end()) return {};  // it was let go: nobody is given it any more
    if (!(found->first < to) && !(to < found->first)) return {};
    if (entries.contains(to)) {
      return Error::config("another informer of this factory has that scope: " +
                           to.resource.group_resource().to_string() + " " + to.scope.text());
    }
    auto node = entries.extract(found);
    node.key() = to;
    entries.insert(std::move(node));
    return {};
  }

  /// Under the lock.
  std::map<Key, Entry>::iterator entry_of(const SharedIndexInformer* informer) {
    return std::find_if(entries.begin(), entries.end(),
                        [&](const auto& each) { return each.second.informer.get() == informer; });
  }

  /// Takes an informer out, to be stopped, if there is one and `which` says yes. `find` finds it, under the lock.
  template <class Find, class Which>
  bool retire(const Find& find, const Which& which) {
    std::unique_lock lock(mutex);
    const auto found = find();
    if (found == entries.end() || !found->second.informer || !which(found->second)) return false;
    const auto place = ending->add(std::move(found->second.informer));
    entries.erase(found);
    lock.unlock();
    ending->let_go(place);
    return true;
  }

  /// What the leases of an informer hold together.
  struct Hold {
    Hold(std::weak_ptr<Impl> s, const SharedIndexInformer* i) : impl(std::move(s)), informer(i) {}
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() {
      const auto alive = impl.lock();
      if (!alive) return;
      alive->retire([&] { return alive->entry_of(informer); },
                    [](const Entry& now) { return !now.pinned && now.lease.expired(); });
    }
    const std::weak_ptr<Impl> impl;
    const SharedIndexInformer* const informer;  // to be compared with those that are there
  };
  Lease lease(Entry& entry) {  // under the lock
    auto hold = entry.lease.lock();
    if (!hold) entry.lease = hold = std::make_shared<Hold>(weak_from_this(), entry.informer.get());
    return Lease(entry.informer, std::move(hold));
  }

  rest::Client client;
  const FactoryOptions options;
  const bool dynamic;
  const std::shared_ptr<Ending> ending = std::make_shared<Ending>();
  mutable std::mutex mutex;
  kubexx::detail::DrivingCondition changed;                               // an informer was made, or not
  std::map<Key, Entry> entries;                                           // guarded by mutex
  std::map<meta::GroupVersionResource, const meta::ResourceInfo*> known;  // guarded by mutex
  std::optional<std::stop_token> running;                                 // guarded by mutex; of the last start()
  bool closed = false;                                                    // guarded by mutex
};

SharedInformerFactory::SharedInformerFactory(rest::Client client, FactoryOptions options)
    : SharedInformerFactory(std::move(client), std::move(options), false) {}
SharedInformerFactory::SharedInformerFactory(rest::Client client, FactoryOptions options, bool dynamic)
    : impl_(std::make_shared<Impl>(std::move(client), std::move(options), dynamic)) {}
SharedInformerFactory::~SharedInformerFactory() {
  try {
    shutdown();
  } catch (...) {
    report_error(current_exception_as_error(), "informer factory");
  }
}

std::shared_ptr<SharedIndexInformer> SharedInformerFactory::obtain(const meta::GroupVersionResource& resource,
                                                                   const Scope& scope, const meta::ResourceInfo* info) {
  if (info) know({&info, 1});
  return impl_->obtain(resource, scope, info, Impl::pin);
}

std::shared_ptr<SharedIndexInformer> SharedInformerFactory::informer_for(const meta::GroupVersionResource& resource,
                                                                         const NewInformerFunc& make) {
  const auto of_kind = impl_->options_of(resource, {}, nullptr);
  const auto make_one = [&] {
    auto made = make(impl_->client, of_kind);
    if (made && of_kind.transform && !made->has_transform() && !made->has_started()) {
      made->set_transform(of_kind.transform);
    }
    return made;
  };
  return impl_->use({resource, WholeScope(of_kind.scope)}, make_one, Impl::pin);
}

Result<GenericInformer> SharedInformerFactory::for_resource(const meta::GroupVersionResource& resource,
                                                            const Scope& scope) {
  if (auto good = impl_->check(resource); !good) return good.error();
  return GenericInformer(obtain(resource, scope, nullptr));
}

Result<Lease> SharedInformerFactory::lease(const meta::GroupVersionResource& resource, const Scope& scope) {
  if (auto good = impl_->check(resource); !good) return good.error();
  return impl_->obtain(resource, scope, nullptr, [&](Entry& entry) { return impl_->lease(entry); });
}

void SharedInformerFactory::know(std::span<const meta::ResourceInfo* const> resources) {
  const std::lock_guard lock(impl_->mutex);
  for (const auto* each : resources) impl_->known.emplace(each->gvr(), each);
}

bool SharedInformerFactory::stop_informer(const meta::GroupVersionResource& resource, const Scope& scope) {
  const Key key = impl_->key_of(resource, scope);
  return impl_->retire([&] { return impl_->entries.find(key); }, [](const Entry&) { return true; });
}

void SharedInformerFactory::start(std::stop_token stop) {
  std::vector<std::shared_ptr<SharedIndexInformer>> fresh;
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->closed) return;
    impl_->running = stop;
    for (auto& [key, entry] : impl_->entries) {
      const auto& informer = entry.informer;
      if (!informer || entry.started || informer->has_started() || informer->is_stopped()) continue;
      fresh.push_back(informer);
      entry.started = true;
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
  }
  insist([&] { all = informers(); });
  for (const auto& informer : all) informer->stop();
  for (const auto& informer : all) informer->join();
  impl_->ending->wait(impl_->awaited());
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
