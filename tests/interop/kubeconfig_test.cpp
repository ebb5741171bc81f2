#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interop/programs.hpp"
#include "kubexx/rest/kubeconfig.hpp"

namespace kubexx::interop {
namespace {

/// Files that `kubectl config` writes, and files that it reads after we wrote them.
class KubectlConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    kubectl_ = find_program("kubectl");
    if (kubectl_.empty()) GTEST_SKIP() << "kubectl is not installed";
    sources_.explicit_path = folder_.path() + "/config";
    folder_.write("ca.crt", "authority");
    ASSERT_EQ(config({"set-cluster", "one", "--server=https://one.example:6443",
                      "--certificate-authority=" + folder_.path() + "/ca.crt", "--tls-server-name=inner"}),
              0);
    ASSERT_EQ(config({"set-credentials", "me", "--token=fake-token"}), 0);
    ASSERT_EQ(config({"set-credentials", "plugin", "--exec-command=get-token",
                      "--exec-api-version=client.authentication.k8s.io/v1beta1", "--exec-arg=a", "--exec-env=K=v"}),
              0);
    ASSERT_EQ(config({"set-context", "main", "--cluster=one", "--user=me", "--namespace=team"}), 0);
    ASSERT_EQ(config({"use-context", "main"}), 0);
  }
  int config(const std::vector<std::string>& words) {
    std::vector<std::string> all{"/bin/sh", "-c",     "exec \"$@\" > " + folder_.path() + "/out", "sh",
                                 kubectl_,  "config", "--kubeconfig=" + sources_.explicit_path};
    all.insert(all.end(), words.begin(), words.end());
    return run(all);
  }
  rest::KubeConfig load() { return rest::load_kubeconfig(sources_).value().config; }

  std::string kubectl_;
  Folder folder_;
  rest::KubeConfigSources sources_;
};

TEST_F(KubectlConfigTest, WhatKubectlWroteIsRead) {
  const auto loaded = load();
  const auto made = rest::to_config(loaded, {});

  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made->host, "https://one.example:6443");
  EXPECT_EQ(made->tls.ca_file, folder_.path() + "/ca.crt");
  EXPECT_EQ(made->tls.server_name, "inner");
  EXPECT_EQ(made->bearer_token, "fake-token");
  EXPECT_EQ(made->default_namespace, "team");
  const auto& exec = *loaded.users.at("plugin").exec;
  EXPECT_EQ(exec.command, "get-token");
  EXPECT_EQ(exec.environment.at(0).first, "K");
}

TEST_F(KubectlConfigTest, WhatWeWroteKubectlReads) {
  auto changed = load();
  changed.contexts["other"] = {"one", "plugin", "elsewhere", {}, ""};
  changed.current_context = "other";
  changed.users["me"].token = "fake-new-token";
  ASSERT_TRUE(rest::modify_kubeconfig(sources_, changed));

  ASSERT_EQ(config({"current-context"}), 0);
  EXPECT_EQ(folder_.read("out"), "other\n");
  ASSERT_EQ(config({"view", "--raw", "-o", "jsonpath={.users[?(@.name==\"me\")].user.token}"}), 0);
  EXPECT_EQ(folder_.read("out"), "fake-new-token");
  ASSERT_EQ(config({"view", "-o", "jsonpath={.contexts[?(@.name==\"other\")].context.namespace}"}), 0);
  EXPECT_EQ(folder_.read("out"), "elsewhere");
}

TEST_F(KubectlConfigTest, AWholeRoundChangesNothingByteForByte) {
  const auto before = folder_.read("config");
  auto changed = load();
  changed.current_context = "away";
  ASSERT_TRUE(rest::modify_kubeconfig(sources_, changed));
  changed.current_context = "main";
  ASSERT_TRUE(rest::modify_kubeconfig(sources_, changed));

  EXPECT_EQ(folder_.read("config"), before);
}

TEST_F(KubectlConfigTest, TheLocksOfBothExcludeEachOther) {
  folder_.write("config.lock", "");
  EXPECT_NE(config({"set-context", "main", "--namespace=x"}), 0);
  auto changed = load();
  changed.current_context = "";
  EXPECT_FALSE(rest::modify_kubeconfig(sources_, changed));
}

}  // namespace
}  // namespace kubexx::interop
