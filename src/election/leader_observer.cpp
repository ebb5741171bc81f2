#include "kubexx/election/leader_observer.hpp"

#include <mutex>
#include <optional>

#include "base/internal/condition_waits.hpp"
#include "election/leader_lease.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/informer/client_lister_watcher.hpp"
#include "kubexx/informer/shared_informer.hpp"

namespace kubexx::election {
namespace {

using informer::SharedIndexInformer;

const meta::GroupVersionResource kLeases{"coordination.k8s.io", "v1", "leases"};

std::shared_ptr<SharedIndexInformer> informer_of(const rest::Client& client, const LeaderObserverOptions& options) {
  informer::ClientSourceOptions source;
  source.namespace_ = options.namespace_;
  source.tweak = [name = options.name](meta::ListOptions& query) {
    query.field_selector = meta::FieldSelector::equals("metadata.name", name).to_string();
  };
  informer::InformerOptions wanted;
  wanted.name = "leader of " + options.namespace_ + "/" + options.name;
  wanted.description = "leases";
  wanted.resource = kLeases;
  wanted.executor = client.executor();
  wanted.handlers = client.handlers();
  wanted.metrics = client.metrics();
  return SharedIndexInformer::create(informer::make_client_lister_watcher(client, kLeases, std::move(source)),
                                     std::move(wanted));
}

/// What a Lease says, nothing of when.
LeaderView read(const meta::Object& lease) {
  LeaderView view;
  if (!lease) return view;
  const auto record = LeaseRecord::of(lease);
  view.holder = record.holder;
  view.transitions = record.transitions;
  view.resource_version = std::string(lease.resource_version());
  view.lease_duration = record.duration(Duration::zero());
  for (const auto& [key, value] : lease.annotations()) view.annotations[std::string(key)] = std::string(value.string());
  return view;
}

bool same_leader(const LeaderView& a, const LeaderView& b) {
  return a.holder == b.holder && a.transitions == b.transitions && a.annotations == b.annotations;
}

}  // namespace

std::string LeaderView::annotation(const std::string& key) const {
  const auto found = annotations.find(key);
  return holder.empty() || found == annotations.end() ? std::string() : found->second;
}

Result<void> LeaderObserverOptions::validate() const {
  if (namespace_.empty() || name.empty())
    return Error::config("leader observer: the lease needs a namespace and a name");
  return {};
}

/// Two handlers of one informer: the user's callback may block, and delays neither view() nor those who wait.
class KUBEXX_HIDDEN LeaderObserver::Impl : public std::enable_shared_from_this<Impl> {
 public:
  using Waits = ConditionWaits<LeaderView>;

  static std::shared_ptr<Impl> make(const rest::Client& client, LeaderObserverOptions options) {
    const auto made = std::make_shared<Impl>(client, std::move(options));
    made->waits_ = std::make_shared<Waits>(Strand(client.executor()));
    made->listen();
    return made;
  }

  Impl(const rest::Client& client, LeaderObserverOptions options)
      : options_(std::move(options)),
        key_(options_.namespace_ + "/" + options_.name),
        client_(client),
        informer_(informer_of(client, options_)) {}

  void start(const std::stop_token& stop) { informer_->start(stop); }
  void stop() { informer_->stop(); }

  /// Blocks, unless it has ended before.
  void close() {
    informer_->stop();
    if (informer_->has_started()) {
      const auto over = ended_->wait({client_.executor().get(), client_.handlers().get()});
      if (!over) report_error(over.error(), "leader observer");
    }
    waits_->close("the observer is gone");
  }

  LeaderView view() const {
    const auto status = informer_->status();
    const auto now = client_.executor()->clock().now();
    const std::lock_guard lock(mutex_);
    auto view = read(informer_->indexer()->find(key_));  // with the lock: who reads later sees no earlier version
    view.known = status.synced;
    view.watching = status.reflector.state == reflector::ReflectorState::Watching;
    view.age = status.lag;
    if (view.resource_version != seen_version_) {
      seen_version_ = view.resource_version;
      seen_ = now;
    }
    view.unrenewed_for = now - seen_;
    return view;
  }
  Async<Result<LeaderView>> until(std::function<bool(const LeaderView&)> condition, ElectionWaitOptions options) const {
    const auto ask = [weak = weak_from_this()] {
      const auto self = weak.lock();
      return self ? self->view() : LeaderView();
    };
    return waits_->until(when<LeaderView>(ask, std::move(condition)), {std::move(options.stop), options.timeout});
  }

 private:
  void listen() {
    const auto waits = waits_;
    informer::ResourceEventHandlerFuncs<meta::Object> wake;
    wake.on_add = [weak = weak_from_this()](const meta::Object&) { look(weak); };
    wake.on_update = [weak = weak_from_this()](const meta::Object&, const meta::Object&) { look(weak); };
    wake.on_delete = [weak = weak_from_this()](const informer::Deleted<meta::Object>&) { look(weak); };
    informer_->add_event_handler(std::move(wake)).release();
    observing_ = informer_->observe([waits] { waits->changed(); });  // synced, without a Lease perhaps
    informer_->on_end([waits, ended = ended_] {
      waits->close("the observer has ended");
      ended->tell();
    });
    if (options_.on_change) tell_user();
  }

  static void look(const std::weak_ptr<Impl>& weak) {
    const auto self = weak.lock();
    if (!self) return;
    static_cast<void>(self->view());  // from now on the Lease is unrenewed
    self->waits_->changed();
  }

  void tell_user() {
    const auto tell = [weak = weak_from_this()](const meta::Object& lease) {
      if (const auto self = weak.lock()) self->tell_if_other(lease);
    };
    informer::ResourceEventHandlerFuncs<meta::Object> handler;
    handler.on_add = [tell](const meta::Object& lease) { tell(lease); };
    handler.on_update = [tell](const meta::Object&, const meta::Object& lease) { tell(lease); };
    handler.on_delete = [tell](const informer::Deleted<meta::Object>&) { tell({}); };
    informer_->add_event_handler(std::move(handler)).release();
  }

  /// In the order of the handler's calls.
  void tell_if_other(const meta::Object& lease) {
    auto now = read(lease);
    if (told_ && same_leader(*told_, now)) return;
    told_ = now;
    now.known = true;
    now.watching = true;
    options_.on_change(now);
  }

  const LeaderObserverOptions options_;
  const std::string key_;
  const rest::Client client_;
  const std::shared_ptr<SharedIndexInformer> informer_;
  std::shared_ptr<Waits> waits_;
  std::shared_ptr<void> observing_;
  const std::shared_ptr<kubexx::detail::Ended> ended_ = std::make_shared<kubexx::detail::Ended>();
  std::optional<LeaderView> told_;  // of the user's handler

  mutable std::mutex mutex_;
  mutable std::string seen_version_;  // guarded by mutex_
  mutable TimePoint seen_;            // guarded by mutex_: when that version came
};

Result<std::unique_ptr<LeaderObserver>> LeaderObserver::create(rest::Client client, LeaderObserverOptions options) {
  if (auto valid = options.validate(); !valid) return valid.error();
  return std::unique_ptr<LeaderObserver>(new LeaderObserver(Impl::make(client, std::move(options))));
}

LeaderObserver::LeaderObserver(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

LeaderObserver::~LeaderObserver() {
  impl_->close();
}

void LeaderObserver::start(std::stop_token stop) {
  impl_->start(stop);
}

void LeaderObserver::stop() {
  impl_->stop();
}

LeaderView LeaderObserver::view() const {
  return impl_->view();
}

Async<Result<LeaderView>> LeaderObserver::until_async(std::function<bool(const LeaderView&)> condition,
                                                      ElectionWaitOptions options) const {
  return impl_->until(std::move(condition), std::move(options));
}

Result<LeaderView> LeaderObserver::wait_until(std::function<bool(const LeaderView&)> condition,
                                              ElectionWaitOptions options) const {
  return until_async(std::move(condition), std::move(options)).wait();
}

}  // namespace kubexx::election
