#include "kubexx/agent/node_pods.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/internal/file.hpp"
#include "kubexx/meta/yaml.hpp"
#include "paths.hpp"
#include "support/one_thread.hpp"
#include "unit/agent/node_objects.hpp"

namespace kubexx::agent {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

/// A program on the node "here" and its server, on one thread.
class NodePodsTest : public testing::Test {
 protected:
  ~NodePodsTest() override {
    if (!pods_) return;
    pods_->stop();
    run();
  }
  void start(NodePodsOptions options = {}) {
    options.node_name = "here";
    pods_ = std::move(NodePods::create(*world_.client, std::move(options)).value());
    pods_->start();
    run();
  }
  void run() { world_.executor->run_until_idle(); }
  void pass(Duration time) {
    world_.executor->advance(time);
    run();
  }
  void seed(const meta::Object& object) {
    const auto seeded = world_.core->seed(object);
    ASSERT_TRUE(seeded) << seeded.error();
    run();
  }
  void seed(const PodOf& pod) { seed(pod_of(pod).to_object()); }
  void remove(const std::string& name) {
    ASSERT_TRUE(world_.core->remove({"", "v1", "pods"}, {"shop", name}));
    run();
  }
  std::size_t gets(const std::string& resource) { return world_.core->requests().count("get", resource); }

  /// Pods may name owners that are not there.
  static apiserver::Options without_collection() {
    apiserver::Options options;
    options.garbage_collection = false;
    return options;
  }

  OneThread world_{0, without_collection()};
  std::unique_ptr<NodePods> pods_;
};

TEST_F(NodePodsTest, OnlyThePodsOfTheNodeAreAskedForAndKept) {
  seed({.name = "mine", .number = 1});
  seed({.name = "other", .number = 2, .node = "there"});
  start();
  seed({.name = "later", .number = 3});

  EXPECT_TRUE(pods_->has_synced());
  EXPECT_EQ(pods_->find_by_uid(uid_of(1)).name(), "mine");
  EXPECT_FALSE(pods_->find_by_uid(uid_of(2)));
  EXPECT_EQ(pods_->find_by_uid(uid_of(3)).name(), "later");
  EXPECT_EQ(pods_->status().pods, 2U);
  for (const auto& each : world_.core->requests().entries("watch", "pods"))
    EXPECT_EQ(each.options.field_selector, "spec.nodeName=here");
}

TEST_F(NodePodsTest, EveryWayToNameAContainerFindsPodContainerLabelsAndController) {
  seed({.name = "web", .number = 7, .address = "10.0.0.7", .controller = "DaemonSet/agents"});
  start();

  const auto id = id_of(7);
  const auto uid = uid_of(7);
  for (const auto& found : {pods_->find_by_container_id(id), pods_->find_by_container_id("containerd://" + id),
                            pods_->find_by_cgroup("0::/kubepods/burstable/pod" + uid + "/" + id),
                            pods_->find_by_cgroup("/../cri-containerd-" + id + ".scope")}) {
    ASSERT_TRUE(found);
    EXPECT_EQ(found.namespace_(), "shop");
    EXPECT_EQ(found.name(), "web");
    EXPECT_EQ(found.container(), "app");
    EXPECT_EQ(found.labels()["app"].string(), "web");
    EXPECT_EQ(found.owner().kind, "DaemonSet");
    EXPECT_TRUE(found.owner_known()) << "nothing is above it";
  }
  for (const auto& found :
       {pods_->find_by_uid(uid), pods_->find_by_ip("10.0.0.7"), pods_->find_by_ip("::ffff:10.0.0.7"),
        pods_->find_by_cgroup("/kubepods/pod" + uid), pods_->find_by_cgroup("/kubepods/pod" + uid + "/" + id_of(8))}) {
    EXPECT_EQ(found.name(), "web");
    EXPECT_EQ(found.container(), "") << "the pod's, as far as is known";
  }
  EXPECT_EQ(gets(""), 0U);
}

TEST_F(NodePodsTest, WhatIsNothingIsNobodys) {
  seed({.name = "web", .number = 1});
  start();

  const std::string hostile(1 << 16, '\xff');
  for (const auto& text :
       {std::string(), std::string("x"), std::string("\0", 1), hostile, std::string("://"), id_of(2)}) {
    EXPECT_FALSE(pods_->find_by_uid(text));
    EXPECT_FALSE(pods_->find_by_container_id(text));
    EXPECT_FALSE(pods_->find_by_cgroup(text));
    EXPECT_FALSE(pods_->find_by_ip(text));
    EXPECT_FALSE(pods_->is_node_address(text));
  }
  const Attribution nobody;
  EXPECT_EQ(nobody.name(), "");
  EXPECT_EQ(nobody.container(), "");
  EXPECT_FALSE(nobody.owner());
  EXPECT_FALSE(nobody.owner_known());
}

TEST_F(NodePodsTest, OfAPodOnlyWhatIsNeededIsKept) {
  seed({.name = "web", .number = 1});
  start();

  const auto kept = pods_->find_by_uid(uid_of(1)).pod();
  EXPECT_FALSE(kept["spec"]["containers"].exists());
  EXPECT_TRUE(kept.annotations().empty());
  EXPECT_LT(kept.byte_size() + kept.shared_bytes(), 1000U);
}

TEST_F(NodePodsTest, OwnersAreFoundThroughReplicaSetsAndJobsWithOneRequestEach) {
  seed(owner_of("ReplicaSet", "web-1", "Deployment/web"));
  seed(owner_of("Job", "backup-1", "CronJob/backup"));
  seed(owner_of("Job", "alone", ""));
  for (int i = 0; i < 5; ++i)
    seed({.name = "web-1-" + std::to_string(i), .number = i, .controller = "ReplicaSet/web-1"});
  seed({.name = "backup", .number = 10, .controller = "Job/backup-1"});
  seed({.name = "alone", .number = 11, .controller = "Job/alone"});
  seed({.name = "lost", .number = 12, .controller = "ReplicaSet/gone"});
  start();

  EXPECT_EQ(pods_->find_by_uid(uid_of(3)).owner().kind, "Deployment");
  EXPECT_EQ(pods_->find_by_uid(uid_of(3)).owner().name, "web");
  EXPECT_EQ(pods_->find_by_uid(uid_of(3)).controller().name, "web-1");
  EXPECT_EQ(pods_->find_by_uid(uid_of(10)).owner().kind, "CronJob");
  EXPECT_EQ(pods_->find_by_uid(uid_of(11)).owner().kind, "Job");
  EXPECT_EQ(pods_->find_by_uid(uid_of(12)).owner().name, "gone");
  EXPECT_TRUE(pods_->find_by_uid(uid_of(12)).owner_known());
  EXPECT_EQ(gets("replicasets"), 2U);
  EXPECT_EQ(gets("jobs"), 2U);
  EXPECT_EQ(world_.core->requests().count("list", "replicasets"), 0U);
  EXPECT_THAT(world_.core->requests().entries("get", "replicasets").front().accept, HasSubstr("PartialObjectMetadata"));
  EXPECT_EQ(pods_->status().owners_known, 4U);

  seed({.name = "web-1-9", .number = 9, .controller = "ReplicaSet/web-1"});
  EXPECT_TRUE(pods_->find_by_uid(uid_of(9)).owner_known());
  EXPECT_EQ(gets("replicasets"), 2U) << "what is known is not asked again";
  pass(hours(1));
  EXPECT_EQ(gets("replicasets"), 4U) << "but after an hour";
}

TEST_F(NodePodsTest, WithoutTheRightToGetOwnersTheControllerIsTheOwner) {
  auto forbidden = world_.core->add_fault({.verb = "get", .resource = "replicasets", .status = 403});
  seed(owner_of("ReplicaSet", "web-1", "Deployment/web"));
  seed({.name = "web", .number = 1, .controller = "ReplicaSet/web-1"});
  start();

  EXPECT_EQ(pods_->find_by_uid(uid_of(1)).owner().name, "web-1");
  EXPECT_FALSE(pods_->find_by_uid(uid_of(1)).owner_known());
  EXPECT_TRUE(pods_->status().owner_error->is_forbidden());
  forbidden.end();
  pass(minutes(5));
  EXPECT_EQ(pods_->find_by_uid(uid_of(1)).owner().name, "web");
  EXPECT_FALSE(pods_->status().owner_error);
}

TEST_F(NodePodsTest, NobodyIsAskedWhereOwnersAreNotWanted) {
  seed({.name = "web", .number = 1, .controller = "ReplicaSet/web-1"});
  start({.find_owners = false});

  EXPECT_EQ(gets("replicasets"), 0U);
  EXPECT_FALSE(pods_->find_by_uid(uid_of(1)).owner_known());
}

TEST_F(NodePodsTest, DeletedPodsAreFoundForTheConfiguredTimeAndNothingOfThemStays) {
  start({.keep_ended = seconds(30)});
  seed(owner_of("ReplicaSet", "web-1", "Deployment/web"));
  seed({.name = "web", .number = 1, .address = "10.0.0.1", .controller = "ReplicaSet/web-1"});
  remove("web");

  pass(seconds(29));
  EXPECT_EQ(pods_->find_by_container_id(id_of(1)).owner().name, "web");
  EXPECT_TRUE(pods_->find_by_container_id(id_of(1)).ended());
  EXPECT_EQ(pods_->status().ended, 1U);
  pass(seconds(2));
  EXPECT_FALSE(pods_->find_by_container_id(id_of(1)));
  const auto status = pods_->status();
  EXPECT_EQ(status.pods + status.ended + status.keys + status.owners_known + status.owners_pending, 0U);
}

TEST_F(NodePodsTest, APodOfTheSameNameIsAnotherAndTheFormerOneEnded) {
  start();
  seed({.name = "db-0", .number = 1});
  {
    const auto outage = world_.core->interrupt_watches();
    ASSERT_TRUE(world_.core->remove({"", "v1", "pods"}, {"shop", "db-0"}));
    ASSERT_TRUE(world_.core->seed(pod_of({.name = "db-0", .number = 2}).to_object()));
    world_.core->compact_history();
  }
  pass(minutes(1));

  EXPECT_TRUE(pods_->find_by_uid(uid_of(1)).ended());
  EXPECT_TRUE(pods_->find_by_uid(uid_of(2)));
  EXPECT_FALSE(pods_->find_by_uid(uid_of(2)).ended());
}

TEST_F(NodePodsTest, AfterTheStopWhatWasKnownStaysReadable) {
  seed({.name = "web", .number = 1});
  start();
  pods_->stop();
  run();
  seed({.name = "later", .number = 2});

  EXPECT_TRUE(pods_->find_by_uid(uid_of(1)));
  EXPECT_FALSE(pods_->find_by_uid(uid_of(2)));
}

/// "group/resource verb" of the role in deploy/node-agent.
std::set<std::string> granted() {
  const auto text = read_file(KUBEXX_SOURCE_DIR "/deploy/node-agent/node-agent.yaml").value();
  const auto objects = meta::parse_yaml(text).value();
  std::set<std::string> rights;
  for (const auto& object : objects) {
    for (const auto rule : object["rules"].items()) {
      const auto what = std::string(rule["apiGroups"][0].string()) + "/" + std::string(rule["resources"][0].string());
      EXPECT_EQ(rule["apiGroups"].size() * rule["resources"].size(), 1U) << what;
      for (const auto verb : rule["verbs"].items()) rights.insert(what + " " + std::string(verb.string()));
    }
  }
  return rights;
}

TEST_F(NodePodsTest, TheRoleOfTheDaemonSetGrantsWhatIsAskedAndNothingElse) {
  seed(owner_of("ReplicaSet", "web-1", "Deployment/web"));
  seed({.name = "web", .number = 1, .controller = "ReplicaSet/web-1"});
  seed({.name = "backup", .number = 2, .controller = "Job/backup-1"});
  start();
  const auto interrupted = world_.core->add_fault({.verb = "watch", .resource = "pods", .status = 410});
  pods_->informer()->relist();  // without a WatchList
  pass(minutes(1));

  std::set<std::string> asked;
  for (const auto& each : world_.core->requests().entries())
    asked.insert(each.group + "/" + each.resource + " " + each.verb);
  EXPECT_EQ(asked, granted());
}

TEST_F(NodePodsTest, WithoutTheNameOfTheNodeThereIsAnError) {
  unsetenv("NODE_NAME");
  const auto nameless = NodePods::create(*world_.client);
  ASSERT_FALSE(nameless);
  EXPECT_THAT(nameless.error().message(), HasSubstr("NODE_NAME is not set"));
  EXPECT_FALSE(NodePods::create(*world_.client, {.node_name = "here", .keep_ended = seconds(-1)}));
  EXPECT_FALSE(NodePods::create(*world_.client, {.node_name = "here", .owner_requests = 0}));

  setenv("NODE_NAME", "by-variable", 1);
  const auto named = NodePods::create(*world_.client);
  unsetenv("NODE_NAME");
  ASSERT_TRUE(named) << named.error();
  EXPECT_EQ((*named)->node_name(), "by-variable");
}

}  // namespace
}  // namespace kubexx::agent
