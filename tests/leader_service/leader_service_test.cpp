#include <gtest/gtest.h>
#include <signal.h>

#include <mutex>

#include "kubexx/election/fencing_token.hpp"
#include "kubexx/election/leader_observer.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "leader_service/service_processes.hpp"

namespace kubexx::leader_service {
namespace {

using election::FencingToken;

const std::string kAddress = "leader-service.example/address";

/// What the replicas wrote, as the server made it: each count once, each term after the one before.
class Writes {
 public:
  explicit Writes(const rest::Client& client) : factory_(client) {
    const auto maps = factory_.for_resource({"", "v1", "configmaps"}).value();
    registration_ = maps.add_event_handler({
        .on_add = [this](const meta::Object& map) { note(map); },
        .on_update = [this](const meta::Object&, const meta::Object& map) { note(map); },
    });
    factory_.start();
  }
  long long count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  std::string writer() const {
    const std::lock_guard lock(mutex_);
    return writer_;
  }
  std::string faults() const {
    const std::lock_guard lock(mutex_);
    return faults_;
  }

 private:
  void note(const meta::Object& map) {
    if (map.name() != "leader-service") return;
    const auto number = std::stoll(std::string(map["data"]["count"].string()));
    const auto token = FencingToken::parse(map["data"]["token"].string()).value();
    const std::lock_guard lock(mutex_);
    if (count_ != 0 && number != count_ + 1)
      faults_ += " " + std::to_string(number) + " after " + std::to_string(count_);
    if (token_.newer_than(token)) faults_ += " " + token.to_string() + " after " + token_.to_string();
    count_ = number;
    token_ = token;
    writer_ = std::string(map["data"]["writer"].string());
  }

  mutable std::mutex mutex_;
  long long count_ = 0;  // guarded by mutex_
  FencingToken token_;   // guarded by mutex_
  std::string writer_;   // guarded by mutex_
  std::string faults_;   // guarded by mutex_
  informer::DynamicSharedInformerFactory factory_;
  informer::Registration registration_;
};

class LeaderServiceTest : public testing::Test {
 protected:
  explicit LeaderServiceTest(int lease = 1) : processes_(server_, lease) { observer_->start(); }
  ~LeaderServiceTest() override { EXPECT_EQ(writes_.faults(), ""); }

  static apiserver::Options open_to_all() {
    apiserver::Options options;
    options.authentication = false;
    return options;
  }
  /// The one that leads, once the client has found it: it counted, so many times, and the observer says what the Lease
  /// says. Whoever that is: on a busy machine a term may also be lost.
  std::string counting_leader(const std::string& other_than = "", int times = 1) {
    std::string leader;
    const auto before = writes_.count();
    EXPECT_TRUE(testkit::eventually([&] {
      const auto now = observer_->view();
      leader = now.holder;
      return !leader.empty() && leader != other_than && now.annotation(kAddress) == address_on_the_lease() &&
             writes_.writer() == leader && writes_.count() >= before + times;
    })) << observer_->view().holder
        << " leads, " << writes_.writer() << " wrote last";
    return leader;
  }
  std::string address_on_the_lease() {
    const auto lease = server_.core().get({"coordination.k8s.io", "v1", "leases"}, {"default", "leader-service"});
    return lease ? std::string(lease->annotations()[kAddress].string()) : std::string();
  }

  apiserver::Server server_{open_to_all()};
  std::unique_ptr<election::LeaderObserver> observer_ =
      election::LeaderObserver::create(testkit::client(server_), {.name = "leader-service"}).value();
  Writes writes_{testkit::client(server_)};
  ServiceProcesses processes_;
};

TEST_F(LeaderServiceTest, TenKillsOfTheLeaderLeaveNoTwoWritingAndTheClientFollows) {
  for (int kill = 0; kill < 10; ++kill) {
    const auto leader = counting_leader();
    processes_.kill(leader);
    ASSERT_NE(counting_leader(leader), "");
    processes_.start(leader);
  }
  EXPECT_GE(observer_->view().transitions, 10);
}

TEST_F(LeaderServiceTest, AStoppedLeaderIsReplacedAndDoesNotWriteWhenItGoesOn) {
  const auto leader = counting_leader();

  processes_.process(leader).signal(SIGSTOP);
  EXPECT_NE(counting_leader(leader), "");
  processes_.process(leader).signal(SIGCONT);
  counting_leader("", 10);
}

TEST_F(LeaderServiceTest, ALeaderThatIsCutOffIsReplacedAndStandsAgainLater) {
  const auto leader = counting_leader();

  auto cut = processes_.way(leader).refuse();
  EXPECT_NE(counting_leader(leader), "");
  cut.end();
  for (const auto* name : {"a", "b", "c"}) {
    if (name != leader) processes_.kill(name);
  }
  EXPECT_TRUE(testkit::eventually([&] { return observer_->view().holder == leader; }));
  EXPECT_EQ(counting_leader(), leader);
}

/// With a lease that does not run out while a busy machine gives it back: nobody would be left to take it.
class LeaderHandOverTest : public LeaderServiceTest {
 protected:
  LeaderHandOverTest() : LeaderServiceTest(5) {}
};

TEST_F(LeaderHandOverTest, ATerminatedLeaderHandsOverAndEverybodyEndsWithZero) {
  const auto leader = counting_leader();
  for (const auto* name : {"a", "b", "c"}) {  // one that has only just begun does not know the signal yet
    ASSERT_TRUE(testkit::eventually([&] { return processes_.way(name).accepted() > 0; })) << name;
  }

  EXPECT_EQ(processes_.process(leader).end(SIGTERM), 0);
  EXPECT_NE(counting_leader(leader), "");
  for (auto& [name, process] : processes_.all()) {
    if (name == leader) continue;
    EXPECT_EQ(process.end(SIGTERM), 0) << name;
  }
  EXPECT_TRUE(testkit::eventually([&] { return observer_->view().holder.empty(); }));
}

}  // namespace
}  // namespace kubexx::leader_service
