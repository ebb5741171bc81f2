#include "simulation/replica.hpp"

#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const controller::Subject kSubject{{"", "ConfigMap"}};

workqueue::RateLimiter limiter() {
  return workqueue::RateLimiter::exponential(milliseconds(50), seconds(20));
}
/// Of a key that fails for half a minute: after 50 ms, 100 ms, … up to 20 s. With each cause that may begin anew, in
/// another replica.
constexpr std::uint64_t kTriesForACause = 12;

informer::FactoryOptions of_one_namespace() {
  informer::FactoryOptions options;
  options.defaults.scope.namespaces = {"default"};
  // What is made and removed between two lists is never told: a controller that wants it back looks again by itself.
  options.defaults.resync_period = std::chrono::minutes(5);
  return options;
}

std::shared_ptr<informer::SharedIndexInformer> informer_of(informer::SharedInformerFactory& factory,
                                                           const meta::GroupVersionResource& resource) {
  return factory.for_resource(resource).value().shared();
}

meta::Object wanted_secret(const meta::Object& map) {
  meta::Draft draft;
  draft["apiVersion"].set("v1");
  draft["kind"].set("Secret");
  draft["metadata"]["name"].set(map.name());
  draft["metadata"]["namespace"].set(map.namespace_());
  draft["metadata"]["annotations"]["w"].set(map["data"]["v"].string());
  return draft.to_object();
}

}  // namespace

Reconciles::Running::Running(Reconciles& all, const std::string& key, const std::string& replica,
                             election::LeaderGuard guard)
    : all_(all), key_(key), number_(++all.next_number_) {
  for (const auto& [number, other] : all_.running_[key]) {
    if (other.replica == replica) {
      all_.simulation_.fail("two reconciles of a key at once in one replica", key + " in " + replica);
    } else if (other.guard.valid() && guard.valid()) {
      all_.simulation_.fail("a key is reconciled by two replicas at once",
                            key + " by " + other.replica + " and " + replica);
    }
  }
  all_.running_[key].emplace(number_, Entry{replica, std::move(guard)});
}

Reconciles::Running::~Running() {
  all_.running_[key_].erase(number_);
}

void Reconciles::fail_until(const std::string& key, TimePoint until) {
  failing_until_[key] = until;
  failures_[key] = 0;
  causes_[key] = 0;
}

bool Reconciles::must_fail(const std::string& key) {
  const auto found = failing_until_.find(key);
  if (found == failing_until_.end() || simulation_.clock().now() >= found->second) return false;
  ++failures_[key];
  return true;
}

std::string Reconciles::too_many() const {
  for (const auto& [key, failures] : failures_) {
    const auto causes = causes_.find(key);
    if (failures > kTriesForACause * (2 + (causes == causes_.end() ? 0 : causes->second))) {
      return "a key that fails is tried again too fast";
    }
  }
  return {};
}

Replica::Replica(testkit::Simulation& simulation, Reconciles& reconciles, const std::string& name)
    : simulation_(simulation),
      reconciles_(reconciles),
      program_(simulation.start_program(name)),
      factory_(program_->client(), of_one_namespace()),
      maps_(informer_of(factory_, kConfigMaps)),
      secrets_(informer_of(factory_, kSecrets)) {
  count_causes();
  const auto& client = program_->client();

  controller::ControllerOptions options;
  options.name = "copier";
  options.workers = 2;
  options.rate_limiter = limiter();
  options.executor = client.executor();
  options.handlers = client.handlers();
  options.metrics = client.metrics();
  controller_ = std::make_unique<controller::ControllerCore>(kSubject, maps_, controller::Predicate(), options);
  const auto same_key = [](const meta::Object& secret) { return std::vector{meta::ObjectKey::of(secret)}; };
  controller_->watches(secrets_, same_key, {});

  election::ShardOptions share;
  share.group = "copiers";
  share.identity = name;
  election::ShardCallbacks shard_callbacks;
  shard_callbacks.on_gained = [this, &simulation, member = member_](const election::ShardSet& gained) {
    if (!*member) return simulation.fail("a callback came after the end of its membership");
    const auto look_at = [&](const meta::Object& object) {
      const auto key = meta::ObjectKey::of(object);
      if (!gained.contains(key.to_string())) return;
      reconciles_.caused(key.to_string());
      controller_->enqueue(key);
    };
    maps_->store()->snapshot().for_each(look_at);
    secrets_->store()->snapshot().for_each(look_at);  // also those whose ConfigMap went while they were another's
  };
  shards_ = election::ShardMembership::create(client, share, shard_callbacks).value();

  election::LeaderElectionOptions lease;
  lease.name = "copiers";
  lease.identity = name;
  election::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [this](election::LeaderGuard guard) {
    guard_ = std::move(guard);
    led_ = true;
  };
  callbacks.on_stopped_leading = [this] {
    if (!stop_.stop_requested()) elector_->start(stop_.get_token());
  };
  elector_ = election::LeaderElector::create(client, lease, callbacks).value();

  factory_.start();
  shards_->start();
  elector_->start(stop_.get_token());
  controller_->start(stop_.get_token(),
                     [this](const meta::ObjectKey& key, const std::stop_token&) { return reconcile(key); });
}

/// As a program ends that was told to: the controller first, then its share and its candidacy, then the caches.
Replica::~Replica() {
  stop_.request_stop();
  static_cast<void>(controller_->join());
  shards_->leave(seconds(10));
  shards_.reset();
  *member_ = false;
  elector_.reset();
  seen_maps_.remove();
  seen_secrets_.remove();
  controller_.reset();
}

/// Every change that the controller may hear of: its handlers have as many calls as these.
void Replica::count_causes() {
  informer::ResourceEventHandlerFuncs<meta::Object> count;
  const auto caused = [this](const meta::Object& object) {
    reconciles_.caused(meta::ObjectKey::of(object).to_string());
  };
  count.on_add = caused;
  count.on_update = caused;
  count.on_delete = [this](const informer::Deleted<meta::Object>& gone) { reconciles_.caused(gone.key()); };
  seen_maps_ = maps_->add_event_handler(count);
  seen_secrets_ = secrets_->add_event_handler(count);
}

Result<controller::Action> Replica::reconcile(const meta::ObjectKey& key) {
  const auto text = key.to_string();
  const auto work = shards_->begin(text);
  if (!work) return controller::Action::done();  // another's; should it become ours, it is enqueued
  const Reconciles::Running running(reconciles_, text, name(), work.guard());
  simulation_.note(name() + " reconciles " + text);
  if (reconciles_.must_fail(text)) return Error::config("told to fail");
  auto done = bring_in_line(key, work.guard().guarded(program_->client()));
  if (!done && work.guard().valid()) return done.error();
  return controller::Action::done();
}

Result<void> Replica::bring_in_line(const meta::ObjectKey& key, const rest::Client& client) {
  const auto map = maps_->store()->find(key.to_string());
  const auto secret = secrets_->store()->find(key.to_string());
  const client::ResourceApi secrets(client, kSecrets, key.namespace_);
  if (!map) {
    if (!secret) return {};
    auto removed = secrets.remove(key.name);
    if (!removed && !removed.error().is_not_found()) return removed.error();
    return {};
  }
  if (!secret) {
    if (auto made = secrets.create(wanted_secret(map)); !made) return made.error();
    return {};
  }
  if (secret.annotations()["w"].string() == map["data"]["v"].string()) return {};
  auto draft = secret.edit();
  draft["metadata"]["annotations"]["w"].set(map["data"]["v"].string());
  if (auto updated = secrets.update(draft.to_object()); !updated) return updated.error();
  return {};
}

void Replica::write_as_leader(std::uint64_t number) {
  if (!led_) return;
  meta::Draft draft;
  draft["apiVersion"].set("v1");
  draft["kind"].set("ConfigMap");
  draft["metadata"]["name"].set("w" + std::to_string(number));
  draft["metadata"]["namespace"].set(kLedger);
  draft["data"]["term"].set(guard_.token().to_string());
  draft["data"]["by"].set(name());
  const client::ResourceApi ledger(guard_.guarded(program_->client()), kConfigMaps, kLedger);
  ledger.create_async(draft.to_object()).start([](const Result<meta::Object>&) {});
}

std::string Replica::unsettled() const {
  for (const auto& informer : {maps_, secrets_}) {
    std::map<std::string, std::string> cache;
    informer->store()->snapshot().for_each([&](const meta::Object& object) {
      cache[meta::ObjectKey::of(object).to_string()] = object.resource_version();
    });
    std::map<std::string, std::string> server;
    for (const auto& object : simulation_.server().list(informer->resource(), "default")) {
      server[meta::ObjectKey::of(object).to_string()] = object.resource_version();
    }
    if (cache != server) return name() + " has other " + informer->resource().resource + " than the server";
  }
  const auto status = controller_->status();
  if (status.queue.depth + status.queue.processing + status.queue.delayed + status.active > 0) {
    return name() + " has keys in its queue";
  }
  return {};
}

}  // namespace kubexx::simulation
