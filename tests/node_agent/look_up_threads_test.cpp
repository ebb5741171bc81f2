#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "kubexx/agent/node_pods.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "unit/agent/node_objects.hpp"

namespace kubexx::agent {
namespace {

/// Reads all the time, and counts what contradicts itself.
class Reader {
 public:
  Reader(const NodePods& pods, int numbers)
      : thread_([this, &pods, numbers](const std::stop_token& stop) {
          for (int i = 0; !stop.stop_requested(); i = (i + 1) % numbers) look(pods, i);
        }) {}
  std::size_t found() const { return found_; }
  std::size_t wrong() const { return wrong_; }

 private:
  void look(const NodePods& pods, int number) {
    const auto name = "pod-" + std::to_string(number);
    const auto cgroup = "0::/kubepods/pod" + uid_of(number) + "/" + id_of(number);
    for (const auto& each : {pods.find_by_uid(uid_of(number)), pods.find_by_container_id(id_of(number)),
                             pods.find_by_cgroup(cgroup), pods.find_by_ip("10.0.1." + std::to_string(number))}) {
      if (!each) continue;
      ++found_;
      const bool well = each.name() == name && each.uid() == uid_of(number) && each.labels()["app"].string() == name &&
                        (each.container().empty() || each.container() == "app") &&
                        each.owner().name == (each.owner().kind == "Deployment" ? "web" : "web-1");
      wrong_ += well ? 0 : 1;
    }
  }

  std::atomic<std::size_t> found_ = 0;
  std::atomic<std::size_t> wrong_ = 0;
  std::jthread thread_;
};

TEST(LookUpThreadsTest, LookUpsAreRightWhilePodsComeChangeAndGo) {
  constexpr int kNumbers = 40;
  apiserver::Options options;
  options.garbage_collection = false;  // the Deployment is not there
  apiserver::Server server(options);
  ASSERT_TRUE(server.seed(owner_of("ReplicaSet", "web-1", "Deployment/web")));
  const auto pods =
      std::move(NodePods::create(testkit::client(server),
                                 {.node_name = "here", .keep_ended = std::chrono::milliseconds(5), .most_ended = 8})
                    .value());
  pods->start();
  ASSERT_TRUE(pods->wait_until_synced({.timeout = std::chrono::seconds(30)}));

  {
    std::vector<std::unique_ptr<Reader>> readers;
    for (int i = 0; i < 4; ++i) readers.push_back(std::make_unique<Reader>(*pods, kNumbers));
    for (int round = 0; round < 8; ++round) {
      for (int i = 0; i < kNumbers; ++i) {
        const PodOf pod{.name = "pod-" + std::to_string(i),
                        .number = i,
                        .address = "10.0.1." + std::to_string(i),
                        .controller = "ReplicaSet/web-1"};
        const auto key = meta::ObjectKey{"shop", pod.name};
        if ((i + round) % 3 == 0) {
          static_cast<void>(server.core().remove({"", "v1", "pods"}, key));  // not there in the first round
        } else {
          ASSERT_TRUE(server.seed(pod_of(pod).to_object()));
        }
      }
    }
    for (const auto& each : readers) EXPECT_TRUE(testkit::eventually([&] { return each->found() > 1000; }));
    for (const auto& each : readers) EXPECT_EQ(each->wrong(), 0U);
  }
  EXPECT_TRUE(testkit::eventually([&] { return pods->status().ended == 0; })) << "nothing of what ended stays";
}

TEST(LookUpThreadsTest, AHandleOutlivesThePodTheTableAndTheServer) {
  Attribution kept;
  {
    apiserver::Server server;
    ASSERT_TRUE(server.seed(pod_of({.name = "web", .number = 1}).to_object()));
    const auto pods = std::move(
        NodePods::create(testkit::client(server), {.node_name = "here", .keep_ended = Duration::zero()}).value());
    pods->start();
    ASSERT_TRUE(pods->wait_until_synced({.timeout = std::chrono::seconds(30)}));
    kept = pods->find_by_container_id(id_of(1));
    ASSERT_TRUE(server.core().remove({"", "v1", "pods"}, {"shop", "web"}));
    EXPECT_TRUE(testkit::eventually([&] { return !pods->find_by_container_id(id_of(1)); }));
  }
  EXPECT_EQ(kept.name(), "web");
  EXPECT_EQ(kept.container(), "app");
  EXPECT_FALSE(kept.ended()) << "as it was when it was looked up";
}

TEST(LookUpThreadsTest, WaitingForTheFirstListEndsWithItsTimeAndWithTheStop) {
  apiserver::Server server;
  const auto refused = server.refuse_connections();
  const auto pods = std::move(NodePods::create(testkit::client(server), {.node_name = "here"}).value());
  pods->start();

  EXPECT_TRUE(pods->wait_until_synced({.timeout = std::chrono::milliseconds(1)}).error().is_timeout());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(pods->wait_until_synced({.stop = stop.get_token()}));
  EXPECT_FALSE(pods->has_synced());
}

}  // namespace
}  // namespace kubexx::agent
