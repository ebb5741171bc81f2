#include <mutex>

#include "c/boundary.hpp"
#include "c/client.hpp"
#include "c/options.hpp"
#include "kubexx/election/leader_elector.hpp"

struct kubexx_election_event {
  kubexx_election_event_type type = 0;
  std::string holder{};
};

namespace kubexx::c {
namespace {

/// The right of the term under way, which only the callback of its beginning is told.
class Term {
 public:
  void begin(election::LeaderGuard guard) {
    const std::lock_guard lock(mutex_);
    guard_ = std::move(guard);
  }
  void end() { begin({}); }
  /// Refused where there is none, or it has ended.
  election::LeaderGuard guard() const {
    const std::lock_guard lock(mutex_);
    if (!guard_.valid()) misuse("this candidate does not lead");
    return guard_;
  }

 private:
  mutable std::mutex mutex_;
  election::LeaderGuard guard_;  // guarded by mutex_
};

election::LeaderElectionOptions election_options(const kubexx_options* options) {
  const Given given(
      options, {KUBEXX_OPTION_NAMESPACE, KUBEXX_OPTION_NAME, KUBEXX_OPTION_IDENTITY, KUBEXX_OPTION_LEASE_DURATION_MS,
                KUBEXX_OPTION_RENEW_DEADLINE_MS, KUBEXX_OPTION_RETRY_PERIOD_MS, KUBEXX_OPTION_RELEASE_ON_STOP,
                KUBEXX_OPTION_STOP_TIMEOUT_MS, KUBEXX_OPTION_LABEL, KUBEXX_OPTION_ANNOTATION});
  election::LeaderElectionOptions read;
  if (given.has(KUBEXX_OPTION_NAMESPACE)) read.namespace_ = given.text(KUBEXX_OPTION_NAMESPACE);
  read.name = given.text(KUBEXX_OPTION_NAME);
  read.identity = given.text(KUBEXX_OPTION_IDENTITY);
  read.lease_duration = given.milliseconds(KUBEXX_OPTION_LEASE_DURATION_MS).value_or(read.lease_duration);
  read.renew_deadline = given.milliseconds(KUBEXX_OPTION_RENEW_DEADLINE_MS).value_or(read.renew_deadline);
  read.retry_period = given.milliseconds(KUBEXX_OPTION_RETRY_PERIOD_MS).value_or(read.retry_period);
  if (given.has(KUBEXX_OPTION_RELEASE_ON_STOP)) read.release_on_stop = given.flag(KUBEXX_OPTION_RELEASE_ON_STOP);
  read.stop_timeout = given.milliseconds(KUBEXX_OPTION_STOP_TIMEOUT_MS);
  read.labels = given.pairs(KUBEXX_OPTION_LABEL);
  read.annotations = given.pairs(KUBEXX_OPTION_ANNOTATION);
  if (const auto valid = read.validate(); !valid) invalid(valid.error().message());
  return read;
}

election::LeaderCallbacks election_callbacks(kubexx_on_election on_election, const std::shared_ptr<UserData>& data,
                                             const std::shared_ptr<Term>& term) {
  const auto tell = [on_election, data](kubexx_election_event_type type, const std::string& holder) {
    const kubexx_election_event event{type, holder};
    const Callback callback;
    on_election(&event, data->get());
  };
  election::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [tell, term](const election::LeaderGuard& guard) {
    term->begin(guard);
    tell(KUBEXX_STARTED_LEADING, {});
  };
  callbacks.on_stopped_leading = [tell, term] {
    term->end();
    tell(KUBEXX_STOPPED_LEADING, {});
  };
  callbacks.on_new_leader = [tell](const std::string& holder) { tell(KUBEXX_NEW_LEADER, holder); };
  return callbacks;
}

}  // namespace
}  // namespace kubexx::c

struct kubexx_elector {
  std::shared_ptr<kubexx::c::LoopUse> loop;  // null: its client has threads; goes last
  kubexx::rest::Client client;
  std::shared_ptr<kubexx::c::Term> term;
  std::shared_ptr<kubexx::election::LeaderElector> elector;
};

kubexx_status kubexx_elector_new(kubexx_client* client, const kubexx_options* options, kubexx_on_election on_election,
                                 void* user_data, kubexx_release release, kubexx_elector** elector,
                                 kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto& with = kubexx::c::needed(client, "client");
    if (!on_election) kubexx::c::invalid("on_election is NULL");
    kubexx::c::needed(elector, "elector");
    const auto data = std::make_shared<kubexx::c::UserData>(user_data);
    const auto term = std::make_shared<kubexx::c::Term>();
    std::shared_ptr made =
        kubexx::election::LeaderElector::create(with.client, kubexx::c::election_options(options),
                                                kubexx::c::election_callbacks(on_election, data, term))
            .value();
    *elector = new kubexx_elector{with.loop, with.client, term, std::move(made)};
    data->take(release);
  });
}

kubexx_status kubexx_elector_start(kubexx_elector* elector, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    auto& handle = kubexx::c::needed(elector, "elector");
    const auto loop = handle.loop;  // the first callback may free the handle
    std::shared_ptr(handle.elector)->start();
  });
}

void kubexx_elector_stop(kubexx_elector* elector) {
  kubexx::c::ending("kubexx_elector_stop", [&] {
    if (elector) std::shared_ptr(elector->elector)->stop();
  });
}

int kubexx_elector_is_leader(const kubexx_elector* elector) {
  return kubexx::c::guarded_or(0, [&] { return elector && elector->elector->is_leader() ? 1 : 0; });
}

int kubexx_elector_may_lead(const kubexx_elector* elector) {
  return kubexx::c::guarded_or(0, [&] {
    if (!elector) return 0;
    const auto status = elector->elector->status();
    return status.leading && !status.stopping ? 1 : 0;
  });
}

kubexx_status kubexx_elector_wait_until_leading(kubexx_elector* elector, const kubexx_options* options,
                                                kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto& handle = kubexx::c::needed(elector, "elector");
    const kubexx::c::Given given(options, {KUBEXX_OPTION_TIMEOUT_MS}, kubexx::c::Given::Stopper::Taken);
    kubexx::election::ElectionWaitOptions how;
    how.stop = given.stop();
    how.timeout = given.milliseconds(KUBEXX_OPTION_TIMEOUT_MS);
    const auto loop = handle.loop;
    const auto kept = handle.elector;  // a callback may free the handle
    static_cast<void>(
        kept->wait_until([](const kubexx::election::ElectionStatus& now) { return now.leading; }, how).value());
  });
}

kubexx_status kubexx_elector_token(const kubexx_elector* elector, char** token, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto guard = kubexx::c::needed(elector, "elector").term->guard();
    kubexx::c::needed(token, "token");
    kubexx::c::hand_out(guard.token().to_string(), token, nullptr);
  });
}

kubexx_status kubexx_elector_guarded_client(const kubexx_elector* elector, kubexx_client** client,
                                            kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto& handle = kubexx::c::needed(elector, "elector");
    kubexx::c::needed(client, "client");
    *client = new kubexx_client{handle.loop, handle.term->guard().guarded(handle.client)};
  });
}

void kubexx_elector_free(kubexx_elector* elector) {
  kubexx::c::ending("kubexx_elector_free", [&] {
    if (!elector) return;
    elector->elector->stop();
    const auto executor = elector->client.handlers();
    // Its destructor waits for its callbacks.
    std::unique_ptr<kubexx_elector> last(elector);
    kubexx::c::outside_callbacks(executor, [last = std::move(last)]() mutable { last.reset(); });
  });
}

kubexx_election_event_type kubexx_election_event_get_type(const kubexx_election_event* event) {
  return event ? event->type : 0;
}

kubexx_view kubexx_election_event_holder(const kubexx_election_event* event) {
  return kubexx::c::view(event ? event->holder : std::string_view());
}
