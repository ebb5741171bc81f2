#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "guide/guide_server.hpp"
#include "kubexx/agent/node_pods.hpp"

namespace kubexx::guide {
namespace {

using NodeAgentPageTest = GuideTest;

TEST_F(NodeAgentPageTest, ACgroupIsThatOfAContainer) {
  const std::string uid = "00000000-0000-0000-0000-000000000001";
  const std::string id(64, 'c');
  ASSERT_TRUE(server.seed(meta::object_from_json(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","namespace":"default","uid":")" + uid +
      R"(","labels":{"app":"web"}},"spec":{"nodeName":"worker-1","containers":[{"name":"main","image":"i"}]},)"
      R"("status":{"phase":"Running","containerStatuses":[{"name":"main","containerID":"containerd://)" +
      id + R"("}]}})")));
  const auto line_of_proc_pid_cgroup = "0::/kubepods/burstable/pod" + uid + "/" + id;
  std::string recorded;
  const auto record = [&](std::string_view space, std::string_view name, std::string_view container, const auto& labels,
                          const agent::Owner& owner) {
    recorded = std::string(space) + "/" + std::string(name) + " " + std::string(container) + " " +
               std::string(labels["app"].string()) + (owner ? " owned" : "");
  };
  std::stop_source stopping;
  const auto stop = stopping.get_token();
  setenv("NODE_NAME", "worker-1", 1);  // as the DaemonSet does
  const auto look = [&] {
    // [begin pods]
    auto pods = agent::NodePods::create(client);  // of the node that $NODE_NAME names
    if (!pods) return complain(pods.error());
    (*pods)->start(stop);
    if (auto synced = (*pods)->wait_until_synced({.stop = stop}); !synced) return complain(synced.error());
    const auto found = (*pods)->find_by_cgroup(line_of_proc_pid_cgroup);
    if (found) record(found.namespace_(), found.name(), found.container(), found.labels(), found.owner());
    // [end pods]
  };
  look();
  unsetenv("NODE_NAME");

  EXPECT_EQ(recorded, "default/web-1 main web");
}

}  // namespace
}  // namespace kubexx::guide
