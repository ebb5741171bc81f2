#include <atomic>

#include "c/boundary.hpp"
#include "c/client.hpp"
#include "c/options.hpp"
#include "kubexx/election/leader_observer.hpp"

struct kubexx_leader {
  kubexx::election::LeaderView view{};
};

struct kubexx_observer {
  std::shared_ptr<kubexx::c::LoopUse> loop;  // null: its client has threads; goes last
  kubexx::rest::Client client;
  std::shared_ptr<kubexx::election::LeaderObserver> observer;
  std::atomic<bool> started{false};
};

kubexx_status kubexx_observer_new(kubexx_client* client, const kubexx_options* options, kubexx_on_leader on_change,
                                  void* user_data, kubexx_release release, kubexx_observer** observer,
                                  kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto& with = kubexx::c::needed(client, "client");
    kubexx::c::needed(observer, "observer");
    const kubexx::c::Given given(options, {KUBEXX_OPTION_NAMESPACE, KUBEXX_OPTION_NAME});
    const auto data = std::make_shared<kubexx::c::UserData>(user_data);
    kubexx::election::LeaderObserverOptions how;
    if (given.has(KUBEXX_OPTION_NAMESPACE)) how.namespace_ = given.text(KUBEXX_OPTION_NAMESPACE);
    how.name = given.text(KUBEXX_OPTION_NAME);
    if (const auto valid = how.validate(); !valid) kubexx::c::invalid(valid.error().message());
    how.on_change = [on_change, data](const kubexx::election::LeaderView& now) {
      if (!on_change) return;
      const kubexx_leader leader{now};
      const kubexx::c::Callback callback;
      on_change(&leader, data->get());
    };
    std::shared_ptr made = kubexx::election::LeaderObserver::create(with.client, std::move(how)).value();
    *observer = new kubexx_observer{with.loop, with.client, std::move(made)};
    data->take(release);
  });
}

kubexx_status kubexx_observer_start(kubexx_observer* observer, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    auto& handle = kubexx::c::needed(observer, "observer");
    if (handle.started.exchange(true)) kubexx::c::misuse("the observer was started already");
    const auto loop = handle.loop;  // the first callback may free the handle
    std::shared_ptr(handle.observer)->start();
  });
}

void kubexx_observer_stop(kubexx_observer* observer) {
  kubexx::c::ending("kubexx_observer_stop", [&] {
    if (observer) std::shared_ptr(observer->observer)->stop();
  });
}

kubexx_status kubexx_observer_wait_for_leader(kubexx_observer* observer, const kubexx_options* options,
                                              kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto& handle = kubexx::c::needed(observer, "observer");
    const kubexx::c::Given given(options, {KUBEXX_OPTION_TIMEOUT_MS}, kubexx::c::Given::Stopper::Taken);
    kubexx::election::ElectionWaitOptions how;
    how.stop = given.stop();
    how.timeout = given.milliseconds(KUBEXX_OPTION_TIMEOUT_MS);
    const auto loop = handle.loop;
    const auto kept = handle.observer;  // a callback may free the handle
    static_cast<void>(
        kept->wait_until([](const kubexx::election::LeaderView& now) { return !now.holder.empty(); }, how).value());
  });
}

kubexx_status kubexx_observer_leader(const kubexx_observer* observer, kubexx_leader** leader, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto& handle = kubexx::c::needed(observer, "observer");
    kubexx::c::needed(leader, "leader");
    *leader = new kubexx_leader{handle.observer->view()};
  });
}

void kubexx_observer_free(kubexx_observer* observer) {
  kubexx::c::ending("kubexx_observer_free", [&] {
    if (!observer) return;
    observer->observer->stop();
    const auto executor = observer->client.handlers();
    // Its destructor waits for its callbacks.
    std::unique_ptr<kubexx_observer> last(observer);
    kubexx::c::outside_callbacks(executor, [last = std::move(last)]() mutable { last.reset(); });
  });
}

kubexx_view kubexx_leader_holder(const kubexx_leader* leader) {
  return kubexx::c::view(leader ? leader->view.holder : std::string_view());
}

kubexx_view kubexx_leader_annotation(const kubexx_leader* leader, const char* key) {
  return kubexx::c::guarded_or(kubexx::c::view({}), [&] {
    if (!leader || !key || leader->view.holder.empty()) return kubexx::c::view({});
    const auto found = leader->view.annotations.find(key);
    return kubexx::c::view(found == leader->view.annotations.end() ? std::string_view() : found->second);
  });
}

int64_t kubexx_leader_transitions(const kubexx_leader* leader) {
  return leader ? leader->view.transitions : 0;
}

int kubexx_leader_known(const kubexx_leader* leader) {
  return leader && leader->view.known ? 1 : 0;
}

int kubexx_leader_expired(const kubexx_leader* leader) {
  return leader && leader->view.expired() ? 1 : 0;
}

void kubexx_leader_free(kubexx_leader* leader) {
  delete leader;
}
