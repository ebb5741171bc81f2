#include "agent_process.hpp"

#include <gmock/gmock.h>

#include "kubexx/testkit/eventually.hpp"

namespace kubexx::agent {
namespace {

using testing::HasSubstr;

TEST_F(NodeAgentTest, ItSaysToWhomIdsPathsUidsAndAddressesBelong) {
  Program program(agent({"--service-account", folder_}), variables());

  std::string answer;
  EXPECT_TRUE(testkit::eventually([&] {  // the owner comes a moment after the pods
    answer = program.answer("containerd://" + id_of(1));
    return answer.find('?') == std::string::npos;
  })) << answer;
  EXPECT_EQ(answer, "containerd://" + id_of(1) + "\tshop/web\tapp\tDeployment/web\tapp=web");
  EXPECT_THAT(program.answer("0::/kubepods/pod" + uid_of(1) + "/" + id_of(1)), HasSubstr("\tshop/web\tapp\t"));
  EXPECT_THAT(program.answer(uid_of(1)), HasSubstr("\tshop/web\t-\t"));
  EXPECT_THAT(program.answer("10.0.0.1"), HasSubstr("\tshop/web\t-\t"));
  EXPECT_EQ(program.answer(id_of(2)), id_of(2) + "\t-") << "a pod of another node";
  EXPECT_EQ(program.answer("\x1b[2J"), "?[2J\t-");
  EXPECT_EQ(program.answer(std::string(10000, 'x')), std::string(4096, 'x') + "\t-");

  seed(pod_of({.name = "new", .number = 3}).to_object());
  EXPECT_TRUE(testkit::eventually([&] { return program.answer(id_of(3)).find("shop/new") != std::string::npos; }));
  ASSERT_TRUE(server_.core().remove({"", "v1", "pods"}, {"shop", "new"}));
  EXPECT_TRUE(testkit::eventually([&] { return program.answer(id_of(3)).ends_with("\tended"); }));
  program.close_input();
  EXPECT_EQ(program.end(0), 0);
}

TEST_F(NodeAgentTest, ASignalEndsItWhileItWaitsForInput) {
  Program program(agent({"--node", "there", "--service-account", folder_}), variables());
  EXPECT_THAT(program.answer(id_of(2)), HasSubstr("shop/elsewhere"));
  EXPECT_EQ(program.end(SIGTERM), 0);
}

TEST_F(NodeAgentTest, AllProcessesAreLookedAtAgainAndAgainUntilASignal) {
  const auto cgroup = "0::/kubepods/pod" + uid_of(1) + "/" + id_of(1);
  for (const auto* name : {"1", "20", "sys"}) std::filesystem::create_directories(folder_ + "/proc/" + name);
  ASSERT_TRUE(replace_file(folder_ + "/proc/1/cgroup", "0::/init.scope\n"));
  ASSERT_TRUE(replace_file(folder_ + "/proc/20/cgroup", cgroup + "\n"));
  ASSERT_TRUE(replace_file(folder_ + "/proc/sys/cgroup", "0::/no/process\n"));

  Program program(agent({"--service-account", folder_, "--processes", "1", "--proc", folder_ + "/proc"}), variables());

  for (int look = 0; look < 2; ++look) {
    EXPECT_EQ(program.read_line(), "0::/init.scope\t-");
    EXPECT_THAT(program.read_line(), HasSubstr(cgroup + "\tshop/web\tapp\t"));
  }
  EXPECT_EQ(program.end(SIGTERM), 0);
}

TEST_F(NodeAgentTest, AFlagItDoesNotKnowIsSaid) {
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--processes", "0"}, {"--processes", "x"}, {"--x", "1"}}) {
    Program program(agent(flags), variables());
    EXPECT_THAT(program.read_line(), HasSubstr("usage: node_agent")) << flags[0];
    EXPECT_EQ(program.end(0), 2);
  }
}

TEST_F(NodeAgentTest, WhatIsMissingIsSaidInOneLine) {
  std::filesystem::remove(folder_ + "/token");
  Program program(agent({"--service-account", folder_}), variables());
  EXPECT_THAT(program.read_line(), HasSubstr(folder_ + "/token: no such file"));
  EXPECT_EQ(program.end(0), 1);
}

}  // namespace
}  // namespace kubexx::agent
