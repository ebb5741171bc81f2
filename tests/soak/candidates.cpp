#include "soak/candidates.hpp"

#include "kubexx/base/stop.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/meta/draft.hpp"
#include "soak/terms.hpp"

namespace kubexx::soak {
namespace {

using std::chrono::milliseconds;

const meta::GroupVersionResource kLeases{"coordination.k8s.io", "v1", "leases"};
constexpr const char* kLease = "soak";
constexpr int kWritesAfterTheEnd = 10;

election::LeaderElectionOptions candidacy(const std::string& name) {
  election::LeaderElectionOptions options;
  options.name = kLease;
  options.identity = name;
  options.lease_duration = milliseconds(2000);
  options.renew_deadline = milliseconds(1200);
  options.retry_period = milliseconds(300);
  return options;
}

}  // namespace

Candidate::Candidate(rest::Client client, std::string name, Journal& journal)
    : client_(std::move(client)), name_(std::move(name)), journal_(journal) {
  election::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [this](const election::LeaderGuard& guard) { lead(guard); };
  elector_ = election::LeaderElector::create(client_, candidacy(name_), callbacks).value();
  thread_ = std::jthread([this] {
    while (!ending_.stop_requested()) elector_->run(ending_.get_token());
  });
}

Candidate::~Candidate() {
  ending_.request_stop();
}

void Candidate::lead(const election::LeaderGuard& guard) {
  ++term_;
  journal_.fault(name_ + " leads, term " + std::to_string(term_));
  int number = 0;
  for (int after = 0; after < kWritesAfterTheEnd;) {
    write(guard, ++number);
    if (guard.stop_token().stop_requested()) ++after;
    wait_for_stop(ending_.get_token(), milliseconds(20));
  }
}

void Candidate::write(const election::LeaderGuard& guard, int number) const {
  TermWrite write{name_, term_, number, Clock::system().now(), {}};
  write.deadline = guard.deadline();
  const meta::Draft account;
  account["apiVersion"].set("v1");
  account["kind"].set("ServiceAccount");
  account["metadata"]["namespace"].set(kTermNamespace);
  account["metadata"]["name"].set(write.name());
  client::WriteOptions options;
  options.field_manager = "soak";
  options.timeout = milliseconds(500);
  const client::ResourceApi accounts(guard.guarded(client_), kTermWrites, kTermNamespace);
  static_cast<void>(accounts.apply(account.to_object(), options));  // what arrived is in the server's log
}

Election::Election(rest::Client first, rest::Client second, const rest::Client& observer, Journal& journal)
    : first_(std::move(first), "a", journal),
      second_(std::move(second), "b", journal),
      observer_(election::LeaderObserver::create(observer, {.name = kLease}).value()) {
  observer_->start();
}

void Election::hand_over() {
  if (first_.leads()) return first_.hand_over();
  second_.hand_over();
}

std::optional<std::string> Election::wrong(const apiserver::Core& core) const {
  if (first_.leads() == second_.leads()) return first_.leads() ? "both candidates lead" : "nobody leads";
  const std::string leader = first_.leads() ? "a" : "b";
  const auto lease = core.get(kLeases, {"default", kLease});
  if (!lease) return "there is no Lease: " + lease.error().message();
  const std::string holder((*lease)["spec"]["holderIdentity"].string());
  if (holder != leader) return leader + " leads, and the Lease says " + (holder.empty() ? "nobody" : holder);
  const auto view = observer_->view();
  if (view.holder != holder || !view.watching)
    return "the observer says " + (view.holder.empty() ? "nobody" : view.holder) +
           (view.watching ? "" : " and does not watch") + ", and the Lease " + holder;
  return std::nullopt;
}

}  // namespace kubexx::soak
