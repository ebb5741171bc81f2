#include <algorithm>
#include <mutex>
#include <vector>

#include "c/c_server.hpp"

namespace kubexx::c_test {
namespace {

/// What an elector said, in order.
struct Turns {
  std::mutex mutex{};
  std::vector<std::string> all{};  // guarded by mutex
  std::atomic<int> released{0};
  kubexx_elector* elector = nullptr;  // freed when it leads, where it is set

  static void told(const kubexx_election_event* event, void* to) {
    static const char* const kTypes[] = {"", "started", "stopped", "new "};
    auto& self = *static_cast<Turns*>(to);
    {
      const std::lock_guard lock(self.mutex);
      self.all.push_back(kTypes[kubexx_election_event_get_type(event)] + text(kubexx_election_event_holder(event)));
    }
    if (kubexx_election_event_get_type(event) == KUBEXX_STARTED_LEADING && self.elector) {
      kubexx_elector_free(std::exchange(self.elector, nullptr));
    }
  }
  static void release(void* to) { ++static_cast<Turns*>(to)->released; }
  bool has(const std::string& line) {
    const std::lock_guard lock(mutex);
    return std::ranges::find(all, line) != all.end();
  }
};

class CElectionTest : public CTest, public ::testing::WithParamInterface<bool> {
 protected:
  CElectionTest() {
    if (GetParam()) loop_ = make_loop();
    client_ = make_client(loop_);
    lease_.set(KUBEXX_OPTION_NAME, "shop").set(KUBEXX_OPTION_IDENTITY, "one");
    lease_.set(KUBEXX_OPTION_ANNOTATION, "shop.example/address=10.0.0.1:80").set(KUBEXX_OPTION_LABEL, "app=shop");
    lease_.set(KUBEXX_OPTION_RETRY_PERIOD_MS, 100).set(KUBEXX_OPTION_RENEW_DEADLINE_MS, 5000);
    lease_.set(KUBEXX_OPTION_LEASE_DURATION_MS, 8000);
    wait_.set(KUBEXX_OPTION_TIMEOUT_MS, 30'000);
  }
  ~CElectionTest() override {
    EXPECT_TRUE(eventually([this] { return turns_.released == made_; }));  // it may be told of until then
    kubexx_client_free(client_);
    kubexx_loop_free(loop_);
  }
  kubexx_elector* make_elector() {
    kubexx_elector* elector = nullptr;
    kubexx_error* error = nullptr;
    EXPECT_TRUE(ok(kubexx_elector_new(client_, lease_, Turns::told, &turns_, Turns::release, &elector, &error), error));
    made_ += elector ? 1 : 0;
    return elector;
  }
  bool eventually(const std::function<bool()>& done) {
    return GetParam() ? poll_until(loop_, done) : testkit::eventually(done);
  }

  kubexx_loop* loop_ = nullptr;
  kubexx_client* client_ = nullptr;
  Options lease_;
  Options wait_;
  Turns turns_;
  int made_ = 0;  // electors
};
INSTANTIATE_TEST_SUITE_P(Clients, CElectionTest, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "OnALoop" : "WithThreads"; });

TEST_P(CElectionTest, ACandidateLeadsWithATokenAndAClientOfItsTerm) {
  kubexx_elector* const elector = make_elector();
  kubexx_error* error = nullptr;
  char* token = nullptr;
  EXPECT_EQ(failed(kubexx_elector_token(elector, &token, &error), error).status, KUBEXX_MISUSE);
  ASSERT_TRUE(ok(kubexx_elector_start(elector, &error), error));
  EXPECT_EQ(failed(kubexx_elector_start(elector, &error), error).status, KUBEXX_MISUSE);

  ASSERT_TRUE(ok(kubexx_elector_wait_until_leading(elector, wait_, &error), error));

  EXPECT_TRUE(eventually([&] { return turns_.has("started") && turns_.has("new one"); }));
  EXPECT_EQ(kubexx_elector_is_leader(elector), 1);
  EXPECT_EQ(kubexx_elector_may_lead(elector), 1);
  ASSERT_TRUE(ok(kubexx_elector_token(elector, &token, &error), error));
  EXPECT_FALSE(taken(token).empty());
  kubexx_client* guarded = nullptr;
  ASSERT_TRUE(ok(kubexx_elector_guarded_client(elector, &guarded, &error), error));
  const std::string body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"led"}})";
  const auto write = [&] {
    return kubexx_client_create(guarded, "v1/configmaps", "default", body.data(), body.size(), nullptr, nullptr,
                                nullptr, nullptr);
  };
  EXPECT_EQ(write(), KUBEXX_OK);

  kubexx_elector_stop(elector);
  EXPECT_TRUE(eventually([&] { return turns_.has("stopped"); }));
  EXPECT_EQ(kubexx_elector_is_leader(elector), 0);
  EXPECT_EQ(write(), KUBEXX_CANCELED);
  kubexx_client_free(guarded);
  kubexx_elector_free(elector);
  EXPECT_TRUE(eventually([&] { return turns_.released == 1; }));
}

TEST_P(CElectionTest, AnObserverSaysWhoLeadsAndWhere) {
  struct Seen {
    std::atomic<int> calls{0};
    std::atomic<int> released{0};
  } seen;
  Options name;
  name.set(KUBEXX_OPTION_NAME, "shop");
  kubexx_observer* observer = nullptr;
  kubexx_error* error = nullptr;
  const auto on_change = [](const kubexx_leader* leader, void* to) {
    if (text(kubexx_leader_holder(leader)) == "one") ++static_cast<Seen*>(to)->calls;
  };
  const auto release = [](void* to) { ++static_cast<Seen*>(to)->released; };
  ASSERT_TRUE(ok(kubexx_observer_new(client_, name, on_change, &seen, release, &observer, &error), error));
  ASSERT_TRUE(ok(kubexx_observer_start(observer, &error), error));
  EXPECT_EQ(failed(kubexx_observer_start(observer, &error), error).status, KUBEXX_MISUSE);
  kubexx_elector* const elector = make_elector();
  ASSERT_TRUE(ok(kubexx_elector_start(elector, &error), error));

  ASSERT_TRUE(ok(kubexx_observer_wait_for_leader(observer, wait_, &error), error));

  EXPECT_TRUE(eventually([&] { return seen.calls > 0; }));
  kubexx_leader* leader = nullptr;
  ASSERT_TRUE(ok(kubexx_observer_leader(observer, &leader, &error), error));
  EXPECT_EQ(text(kubexx_leader_holder(leader)), "one");
  EXPECT_EQ(text(kubexx_leader_annotation(leader, "shop.example/address")), "10.0.0.1:80");
  EXPECT_EQ(text(kubexx_leader_annotation(leader, "nothing")), "");
  EXPECT_EQ(kubexx_leader_known(leader), 1);
  EXPECT_EQ(kubexx_leader_expired(leader), 0);
  EXPECT_GE(kubexx_leader_transitions(leader), 0);
  kubexx_leader_free(leader);
  kubexx_elector_free(elector);
  kubexx_observer_stop(observer);
  kubexx_observer_free(observer);
  EXPECT_TRUE(eventually([&] { return seen.released == 1; }));
}

TEST_P(CElectionTest, AnElectorIsFreedInsideItsOwnCallback) {
  turns_.elector = make_elector();
  ASSERT_TRUE(ok(kubexx_elector_start(turns_.elector, nullptr)));

  EXPECT_TRUE(eventually([&] { return turns_.released == 1; }));
  EXPECT_TRUE(turns_.has("stopped"));
}

TEST_P(CElectionTest, AnObserverIsFreedInsideItsOwnCallback) {
  struct Seen {
    kubexx_observer* observer = nullptr;
    std::atomic<int> released{0};
  } seen;
  Options name;
  name.set(KUBEXX_OPTION_NAME, "shop");
  const auto on_change = [](const kubexx_leader*, void* to) {
    kubexx_observer_free(std::exchange(static_cast<Seen*>(to)->observer, nullptr));
  };
  const auto release = [](void* to) { ++static_cast<Seen*>(to)->released; };
  ASSERT_TRUE(ok(kubexx_observer_new(client_, name, on_change, &seen, release, &seen.observer, nullptr)));
  ASSERT_TRUE(ok(kubexx_observer_start(seen.observer, nullptr)));
  kubexx_elector* const elector = make_elector();
  ASSERT_TRUE(ok(kubexx_elector_start(elector, nullptr)));

  EXPECT_TRUE(eventually([&] { return seen.released == 1; }));
  kubexx_elector_free(elector);
}

TEST_P(CElectionTest, AnElectionThatLacksSomethingSaysWhat) {
  Options nameless;
  nameless.set(KUBEXX_OPTION_IDENTITY, "one");
  kubexx_elector* elector = nullptr;
  kubexx_observer* observer = nullptr;
  kubexx_error* error = nullptr;

  const auto why =
      failed(kubexx_elector_new(client_, nameless, Turns::told, &turns_, Turns::release, &elector, &error), error);

  EXPECT_EQ(why.status, KUBEXX_INVALID_ARGUMENT);
  EXPECT_NE(why.message.find("a name"), std::string::npos) << why.message;
  EXPECT_EQ(kubexx_observer_new(client_, nullptr, nullptr, nullptr, nullptr, &observer, nullptr),
            KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(turns_.released, 0);
}

TEST_P(CElectionTest, ACandidateThatDoesNotLeadInTimeSaysSo) {
  kubexx_elector* const elector = make_elector();
  Options soon;
  soon.set(KUBEXX_OPTION_TIMEOUT_MS, 1);

  EXPECT_EQ(kubexx_elector_wait_until_leading(elector, soon, nullptr), KUBEXX_TIMEOUT);
  kubexx_elector_free(elector);
}

}  // namespace
}  // namespace kubexx::c_test
