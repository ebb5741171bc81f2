#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "election/leader_machine.hpp"
#include "support/fixture_executor.hpp"
#include "unit/rest/fake_api.hpp"

namespace kubexx::election {

inline const std::string kPath = "/apis/coordination.k8s.io/v1/namespaces/default/leases/widget";

/// One candidate on the fake clock. Its handlers run only when told, so that leading work can be "still running".
struct Candidate {
  Candidate(const std::shared_ptr<ManualExecutor>& executor_, const std::shared_ptr<test::FakeStore>& store,
            std::string identity, LeaderElectionOptions options_ = {})
      : executor(executor_), api(std::make_shared<test::FakeApi>(executor_, store)), options(std::move(options_)) {
    options.name = "widget";
    options.identity = std::move(identity);
    options.random = &random;
    options.recorder = events::EventRecorder::to(
        [this](const meta::Object& event) { events.emplace_back(event["message"].string()); }, executor_->clock());
  }
  void start() {
    rest::Config config;
    config.host = "https://server.example:6443";
    rest::ClientOptions wire;
    wire.transport = api;
    wire.executor = executor;
    wire.handlers = handlers;
    wire.metrics = std::make_shared<MetricsRegistry>();
    client = rest::Client::create(std::move(config), std::move(wire)).value();
    LeaderCallbacks callbacks;
    callbacks.on_started_leading = [this](LeaderGuard g) {
      guard = g;
      ++terms;
      if (hold_work) work = guard.hold();
    };
    callbacks.on_new_leader = [this](const std::string& id) { leaders.push_back(id); };
    machine = std::make_shared<LeaderMachine>(*client, options, callbacks);
    machine->start([this] { ended = true; });
  }
  void run_handlers() {
    handlers->run_until_idle();
    executor->run_until_idle();
  }
  /// What a guarded write ends with; empty when it passed.
  std::string write() {
    std::string outcome = "no answer";
    rest::Request request;
    request.method = "POST";
    request.path = {{"", "v1", "configmaps"}, "default", "", ""};
    request.body =
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c)" + std::to_string(++writes) + R"("}})";
    const Strand strand(executor);
    const auto call = guard.guarded(*client).start(
        request, strand, [&](Result<rest::Response> answer) { outcome = answer ? "" : answer.error().message(); });
    executor->run_until_idle();
    return outcome;
  }

  std::shared_ptr<ManualExecutor> executor;
  FixtureExecutor handlers;
  std::shared_ptr<test::FakeApi> api;
  Random random{7};
  LeaderElectionOptions options;
  std::optional<rest::Client> client;
  LeaderGuard guard;
  bool hold_work = false;  // goes on when the callback has returned
  std::shared_ptr<void> work;
  int terms = 0;
  int writes = 0;
  bool ended = false;
  std::vector<std::string> leaders;
  std::vector<std::string> events;
  std::shared_ptr<LeaderMachine> machine;
};

class LeaderElectionTest : public testing::Test {
 protected:
  std::unique_ptr<Candidate> candidate(std::string identity, LeaderElectionOptions options = {}) {
    return std::make_unique<Candidate>(executor, store, std::move(identity), std::move(options));
  }
  void pass(Duration by) { executor->advance(by); }
  void put(const LeaseRecord& record) {
    auto draft = new_lease("default", "widget");
    draft["metadata"]["labels"]["theirs"].set("1");
    record.write_to(draft);
    store->put(kPath, draft.to_object());
  }
  LeaseRecord record() { return LeaseRecord::of(store->objects.at(kPath)); }

  FixtureExecutor executor;
  std::shared_ptr<test::FakeStore> store = std::make_shared<test::FakeStore>();
  std::unique_ptr<Candidate> a = candidate("a");
  std::unique_ptr<Candidate> b = candidate("b");
};

}  // namespace kubexx::election
