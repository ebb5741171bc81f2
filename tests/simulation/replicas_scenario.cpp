#include "simulation/replicas_scenario.hpp"

#include <algorithm>
#include <cstdlib>

#include "kubexx/meta/draft.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::simulation {
namespace {

using std::chrono::seconds;

constexpr std::size_t kMostReplicas = 4;
constexpr std::uint64_t kKeys = 8;
constexpr const char* kIdentities[] = {"a", "b", "c", "d", "e"};

std::string random_key(Random& random) {
  return "default/n" + std::to_string(random.below(kKeys));
}

meta::ObjectKey parsed(const std::string& key) {
  return meta::ObjectKey::parse(key).value();
}

}  // namespace

ReplicasScenario::ReplicasScenario(testkit::Simulation& simulation)
    : simulation_(simulation), watcher_(simulation.start_program("observer")) {
  Random random(simulation.seed());
  for (int i = 0; i < 3; ++i) write(random);
  observer_ = election::LeaderObserver::create(watcher_->client(), {.name = "copiers"}).value();
  observer_->start();
  const auto count = 1 + random.below(3);
  for (std::uint64_t i = 0; i < count; ++i) start(random);
}

ReplicasScenario::~ReplicasScenario() {
  replicas_.clear();
  observer_.reset();
}

std::vector<testkit::SimulationStep> ReplicasScenario::steps() {
  return {
      {"write", [this](Random& random) { write(random); }, 15, true},
      {"spoil", [this](Random& random) { spoil(random); }, 6, true},
      {"fail", [this](Random& random) { fail_a_key(random); }, 1, true},
      {"lead",
       [this](Random&) {
         simulation_.describe("whoever led writes");
         for (const auto& replica : replicas_) replica->write_as_leader(++entries_);
       },
       6},
      {"start", [this](Random& random) { start(random); }, 2},
      {"end", [this](Random& random) { end(random); }, 0.7},
      {"kill", [this](Random& random) { kill(random); }, 0.7},
      {"relist",
       [this](Random& random) {
         if (auto* replica = pick(random)) replica->relist();
       },
       0.5},
  };
}

void ReplicasScenario::write(Random& random) {
  const auto key = random_key(random);
  auto& server = simulation_.server();
  if (random.uniform() < 0.3) {
    if (server.remove(kConfigMaps, parsed(key))) simulation_.describe("remove " + key);
    return;
  }
  const auto value = std::to_string(++writes_);
  auto map = testkit::make_config_map(key, value);
  if (const auto old = server.get(kConfigMaps, parsed(key))) {
    auto draft = old->edit();
    draft["data"]["v"].set(value);
    map = draft.to_object();
  }
  if (auto stored = server.seed(map); !stored) {
    return simulation_.fail("the server refused a write", stored.error().message());
  }
  simulation_.describe("write " + key + "#" + value);
}

/// Somebody removes or changes what the controllers made.
void ReplicasScenario::spoil(Random& random) {
  const auto key = random_key(random);
  auto& server = simulation_.server();
  const auto secret = server.get(kSecrets, parsed(key));
  if (!secret) return;
  if (random.uniform() < 0.5) {
    simulation_.describe("the Secret " + key + " is removed");
    static_cast<void>(server.remove(kSecrets, parsed(key)));
    return;
  }
  simulation_.describe("the Secret " + key + " is spoilt");
  auto draft = secret->edit();
  draft["metadata"]["annotations"]["w"].set("spoilt");
  static_cast<void>(server.update(draft.to_object()));
}

void ReplicasScenario::fail_a_key(Random& random) {
  const auto key = random_key(random);
  simulation_.describe("reconciles of " + key + " fail for 30 s");
  reconciles_.fail_until(key, simulation_.clock().now() + seconds(30));
}

Replica* ReplicasScenario::pick(Random& random) {
  if (replicas_.empty()) return nullptr;
  auto* replica = replicas_[random.below(replicas_.size())].get();
  return replica->program()->frozen() ? nullptr : replica;
}

void ReplicasScenario::start(Random& random) {
  if (replicas_.size() >= kMostReplicas) return;
  const std::string name = kIdentities[random.below(std::size(kIdentities))];
  const auto has_it = [&](const auto& replica) { return replica->name() == name; };
  if (std::any_of(replicas_.begin(), replicas_.end(), has_it)) return;
  simulation_.describe("replica " + name + " starts");
  start(name);
}

void ReplicasScenario::start(const std::string& name) {
  // Two replicas of a name never live at the same time; what a dead one of it still had, nobody asks.
  std::erase_if(dead_, [&](const auto& dead) { return dead.expired() || dead.lock()->name() == name; });
  replicas_.push_back(std::make_shared<Replica>(simulation_, reconciles_, name));
}

void ReplicasScenario::end(Random& random) {
  auto* const replica = pick(random);
  if (!replica) return;
  simulation_.describe("replica " + replica->name() + " ends");
  const auto is = [&](const auto& each) { return each.get() == replica; };
  const auto at = std::find_if(replicas_.begin(), replicas_.end(), is);
  auto ending = std::move(*at);
  replicas_.erase(at);
  ending.reset();
}

void ReplicasScenario::kill(Random& random) {
  if (replicas_.empty()) return;
  const auto at = replicas_.begin() + static_cast<std::ptrdiff_t>(random.below(replicas_.size()));
  simulation_.describe("replica " + (*at)->name() + " dies");
  dead_.emplace_back(*at);
  simulation_.kill((*at)->program(), *at);
  replicas_.erase(at);
}

void ReplicasScenario::heal() {
  if (replicas_.empty()) start("f");
}

/// A replica that is stopped, or dead, has its rights until they run out.
std::string ReplicasScenario::violated() {
  auto all = replicas_;
  for (const auto& dead : dead_) {
    if (auto replica = dead.lock()) all.push_back(std::move(replica));
  }
  int leaders = 0;
  election::ShardSet owned;
  for (const auto& replica : all) {
    leaders += replica->leads() ? 1 : 0;
    const auto its = replica->owned();
    if (!(owned & its).empty()) return "keys are owned by two replicas";
    owned = owned | its;
  }
  if (leaders > 1) return "two replicas lead";
  if (auto wrong = reconciles_.too_many(); !wrong.empty()) return wrong;
  return mixed_terms();
}

/// In the order in which the server made them, the terms of guarded writes never fall.
std::string ReplicasScenario::mixed_terms() const {
  auto newest = forgotten_term_;
  for (const auto& [version, term] : ledger()) {
    if (newest.newer_than(term)) return "a guarded write came after one of a later term";
    newest = term;
  }
  return {};
}

std::map<std::uint64_t, election::FencingToken> ReplicasScenario::ledger() const {
  std::map<std::uint64_t, election::FencingToken> by_version;
  for (const auto& entry : simulation_.server().list(kConfigMaps, kLedger)) {
    const auto version = std::strtoull(std::string(entry.resource_version()).c_str(), nullptr, 10);
    by_version[version] = election::FencingToken::parse(entry["data"]["term"].string()).value();
  }
  return by_version;
}

/// What was found right need not be looked at again.
void ReplicasScenario::forget_ledger() {
  const auto all = ledger();
  if (!all.empty()) forgotten_term_ = all.rbegin()->second;
  for (const auto& entry : simulation_.server().list(kConfigMaps, kLedger)) {
    static_cast<void>(simulation_.server().remove(kConfigMaps, meta::ObjectKey::of(entry)));
  }
}

std::string ReplicasScenario::wrong_leader() const {
  const auto lease = simulation_.server().get(kLeases, {"default", "copiers"});
  const std::string holder = lease ? std::string((*lease)["spec"]["holderIdentity"].string()) : std::string();
  const auto leads = [&](const auto& replica) { return replica->leads() && replica->name() == holder; };
  if (std::count_if(replicas_.begin(), replicas_.end(), leads) != 1)
    return "nobody leads; the Lease has '" + holder + "'";
  const auto view = observer_->view();
  if (!view.known || view.holder != holder) return "the observer takes '" + view.holder + "' for the leader " + holder;
  return {};
}

std::string ReplicasScenario::wrong_shares() const {
  std::size_t owned = 0;
  for (const auto& replica : replicas_) owned += replica->owned().size();
  if (owned != election::kShardSlots) return std::to_string(owned) + " slots of keys have an owner";
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    const auto key = "default/n" + std::to_string(i);
    const auto owns = [&](const auto& replica) { return replica->owns(key); };
    const auto owners = std::count_if(replicas_.begin(), replicas_.end(), owns);
    if (owners != 1) return key + " has " + std::to_string(owners) + " owners";
  }
  return {};
}

std::string ReplicasScenario::out_of_line() const {
  std::map<std::string, std::string> wanted;
  for (const auto& map : simulation_.server().list(kConfigMaps, "default")) {
    wanted[meta::ObjectKey::of(map).to_string()] = map["data"]["v"].string();
  }
  std::map<std::string, std::string> made;
  for (const auto& secret : simulation_.server().list(kSecrets, "default")) {
    made[meta::ObjectKey::of(secret).to_string()] = secret.annotations()["w"].string();
  }
  for (const auto& [key, value] : wanted) {
    if (!made.contains(key)) return key + " has no Secret";
    if (made[key] != value) return "the Secret of " + key + " is of " + made[key] + ", not of " + value;
  }
  if (made.size() != wanted.size()) return "there are Secrets without a ConfigMap";
  return {};
}

std::string ReplicasScenario::unsettled() {
  for (auto wrong : {wrong_leader(), wrong_shares(), out_of_line()}) {
    if (!wrong.empty()) return wrong;
  }
  for (const auto& replica : replicas_) {
    if (auto wrong = replica->unsettled(); !wrong.empty()) return wrong;
  }
  forget_ledger();
  return {};
}

}  // namespace kubexx::simulation
