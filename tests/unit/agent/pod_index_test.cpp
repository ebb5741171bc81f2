#include "agent/pod_index.hpp"

#include <gtest/gtest.h>

#include "unit/agent/node_objects.hpp"

namespace kubexx::agent::detail {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class PodIndexTest : public testing::Test {
 protected:
  void put(const meta::Draft& pod) { index_.put(read_pod(pod.to_object()), now_); }
  void end(const std::string& name = "web") { index_.end("shop/" + name, now_); }
  void pass(Duration time) {
    now_ += time;
    index_.purge(now_);
  }
  Attribution by_id(int number) const { return index_.table().find(KeyKind::Container, id_of(number)); }
  Attribution by_uid(const std::string& uid) const { return index_.table().find(KeyKind::Uid, uid); }
  Attribution by_ip(const std::string& address) const {
    const auto key = parse_address(address);
    return key ? index_.table().find(KeyKind::Address, bytes_of(*key)) : Attribution();
  }

  TimePoint now_{minutes(1)};
  PodIndex index_{minutes(2), 10};
};

TEST_F(PodIndexTest, APodIsFoundByUidByEachContainerAndByEachAddress) {
  auto pod = pod_of({.number = 1, .address = "10.0.0.1"});
  pod["status"]["podIPs"].append()["ip"].set("fd00::1");
  for (const auto* list : {"initContainerStatuses", "ephemeralContainerStatuses"}) {
    const auto container = pod["status"][list].append();
    container["name"].set(list);
    container["containerID"].set("cri-o://" + id_of(*list == 'i' ? 2 : 3));
  }
  put(pod);

  EXPECT_EQ(by_uid(uid_of(1)).name(), "web");
  EXPECT_EQ(by_uid(uid_of(1)).container(), "");
  EXPECT_EQ(by_id(1).container(), "app");
  EXPECT_EQ(by_id(2).container(), "initContainerStatuses");
  EXPECT_EQ(by_id(3).container(), "ephemeralContainerStatuses");
  EXPECT_EQ(by_id(3).labels()["app"].string(), "web");
  EXPECT_FALSE(by_id(4));
  EXPECT_EQ(by_ip("10.0.0.1").name(), "web");
  EXPECT_EQ(by_ip("FD00:0:0::0001").name(), "web");
  EXPECT_FALSE(by_ip("10.0.0.2"));
}

TEST_F(PodIndexTest, AnEndedPodIsFoundForAWhileAndThenNoMore) {
  put(pod_of({.number = 1, .address = "10.0.0.1"}));
  end();

  pass(minutes(2) - seconds(1));
  EXPECT_EQ(by_id(1).container(), "app");
  EXPECT_TRUE(by_id(1).ended());
  EXPECT_TRUE(by_uid(uid_of(1)).ended());
  EXPECT_TRUE(by_ip("10.0.0.1").ended());
  EXPECT_EQ(index_.next_purge(), now_ + seconds(1));
  pass(seconds(1));
  EXPECT_FALSE(by_id(1));
  EXPECT_FALSE(by_uid(uid_of(1)));
  EXPECT_FALSE(by_ip("10.0.0.1"));
  EXPECT_EQ(index_.table().size(), 0U);
  EXPECT_EQ(index_.next_purge(), TimePoint::max());
}

TEST_F(PodIndexTest, APodOfTheSameNameEndsTheFormerOne) {
  put(pod_of({.number = 1}));
  put(pod_of({.number = 2}));

  EXPECT_TRUE(by_id(1).ended());
  EXPECT_TRUE(by_uid(uid_of(1)).ended());
  EXPECT_FALSE(by_id(2).ended());
  EXPECT_EQ(index_.pods(), 1U);
}

TEST_F(PodIndexTest, AReplacedContainerIsFoundForAWhileBesideTheNewOne) {
  put(pod_of({.number = 1}));
  auto restarted = pod_of({.number = 1});
  restarted["status"]["containerStatuses"][0]["containerID"].set("containerd://" + id_of(2));
  put(restarted);

  EXPECT_TRUE(by_id(1).ended());
  EXPECT_EQ(by_id(1).container(), "app");
  EXPECT_FALSE(by_id(2).ended());
  EXPECT_FALSE(by_uid(uid_of(1)).ended());
  pass(minutes(2));
  EXPECT_FALSE(by_id(1));
  EXPECT_TRUE(by_id(2));
}

TEST_F(PodIndexTest, TheContainerBeforeARestartIsFoundAlsoByWhoComesLater) {
  auto pod = pod_of({.number = 2});
  pod["status"]["containerStatuses"][0]["lastState"]["terminated"]["containerID"].set("containerd://" + id_of(1));
  put(pod);

  EXPECT_EQ(by_id(1).container(), "app");
  EXPECT_TRUE(by_id(1).ended());
  EXPECT_FALSE(by_id(2).ended());
}

TEST_F(PodIndexTest, AnAddressIsThePodsThatRuns) {
  put(pod_of({.name = "old", .number = 1, .address = "10.0.0.1"}));
  auto finished = pod_of({.name = "old", .number = 1, .address = "10.0.0.1"});
  finished["status"]["phase"].set("Succeeded");
  put(finished);
  EXPECT_EQ(by_ip("10.0.0.1").name(), "old");

  put(pod_of({.name = "new", .number = 2, .address = "10.0.0.1"}));
  EXPECT_EQ(by_ip("10.0.0.1").name(), "new");
  put(finished);
  EXPECT_EQ(by_ip("10.0.0.1").name(), "new");
  end("old");
  EXPECT_EQ(by_ip("10.0.0.1").name(), "new");
  pass(minutes(2));
  EXPECT_EQ(by_ip("10.0.0.1").name(), "new") << "what is forgotten takes nothing of another";
}

TEST_F(PodIndexTest, TheNodesAddressIsNoPodsAndKnownAsTheNodes) {
  auto pod = pod_of({.number = 1, .address = "192.168.0.7"});
  pod["spec"]["hostNetwork"].set(true);
  put(pod);

  EXPECT_FALSE(by_ip("192.168.0.7"));
  EXPECT_TRUE(index_.table().has(KeyKind::NodeAddress, bytes_of(*parse_address("::ffff:192.168.0.7"))));
  EXPECT_TRUE(by_id(1));
}

TEST_F(PodIndexTest, AStaticPodIsFoundByTheKubeletsUidUnlessThatIsAnothers) {
  const std::string hash(32, 'd');
  auto mirror = pod_of({.name = "etcd", .number = 1});
  mirror["metadata"]["annotations"][kMirrorAnnotation].set(hash);
  put(mirror);
  EXPECT_EQ(by_uid(hash).name(), "etcd");

  put(pod_of({.name = "victim", .number = 2}));
  auto liar = pod_of({.name = "liar", .number = 3});
  liar["metadata"]["annotations"][kMirrorAnnotation].set(uid_of(2));
  put(liar);
  EXPECT_EQ(by_uid(uid_of(2)).name(), "victim");
}

TEST_F(PodIndexTest, OfWhatEndedTheOldestIsForgottenFirst) {
  for (int i = 1; i <= 15; ++i) {
    put(pod_of({.number = i}));
    end();
  }

  EXPECT_EQ(index_.ended(), 10U);
  EXPECT_FALSE(by_id(5));
  EXPECT_TRUE(by_id(6));
}

TEST_F(PodIndexTest, AnOwnerThatComesLaterIsTheEndedPodsToo) {
  put(pod_of({.name = "a", .number = 1, .controller = "ReplicaSet/web-1"}));
  put(pod_of({.name = "b", .number = 2, .controller = "ReplicaSet/web-1"}));
  put(pod_of({.name = "c", .number = 3, .controller = "ReplicaSet/web-2"}));
  end("b");
  EXPECT_EQ(by_id(1).owner().name, "web-1");
  EXPECT_FALSE(by_id(1).owner_known());

  const OwnerQuestion question{{"apps", "v1", "replicasets"}, "shop", "web-1", "uid-of-web-1"};
  index_.set_above(question,
                   std::make_shared<const OwnerReference>(OwnerReference{"apps/v1", "Deployment", "web", "u"}));
  for (const int number : {1, 2}) {
    EXPECT_EQ(by_id(number).owner().kind, "Deployment");
    EXPECT_EQ(by_id(number).controller().name, "web-1");
    EXPECT_TRUE(by_id(number).owner_known());
    EXPECT_EQ(by_id(number).ended(), number == 2);
  }
  EXPECT_FALSE(by_id(3).owner_known());
  EXPECT_EQ(index_.questions().size(), 2U);
  pass(minutes(2));
  EXPECT_FALSE(by_id(2));
}

TEST_F(PodIndexTest, ATableOfThousandsShrinksAgain) {
  for (int i = 0; i < 3000; ++i) put(pod_of({.name = std::to_string(i), .number = i}));
  for (int i = 0; i < 3000; ++i) EXPECT_EQ(by_id(i).uid(), uid_of(i));
  for (int i = 0; i < 3000; ++i) end(std::to_string(i));
  pass(minutes(2));

  EXPECT_EQ(index_.table().size(), 0U);
  EXPECT_FALSE(by_id(1));
}

}  // namespace
}  // namespace kubexx::agent::detail
