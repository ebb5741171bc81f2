#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "sample.hpp"
#include "support/program.hpp"

namespace kubexx {
namespace {

class FirstProgramTest : public ::testing::TestWithParam<const char*> {};

TEST_P(FirstProgramTest, SaysThatTheServerIsAwayAndGoesOn) {
  const Kubeconfig kubeconfig("https://127.0.0.1:1");
  Program program(GetParam(), {});

  const auto line = program.next_error();

  EXPECT_NE(line.find("127.0.0.1:1"), std::string::npos) << line;
  EXPECT_NE(line.find("pods"), std::string::npos) << line;
  EXPECT_EQ(program.end(SIGTERM), 0);
}

TEST_P(FirstProgramTest, EndsWithALineWhenItsConfigurationCannotBeUsed) {
  const Kubeconfig kubeconfig("ftp://127.0.0.1:1");
  Program program(GetParam(), {});

  const auto line = program.next_error();

  EXPECT_NE(line.find("neither http nor https"), std::string::npos) << line;
  EXPECT_EQ(program.end(), 1);
}

INSTANTIATE_TEST_SUITE_P(Programs, FirstProgramTest,
                         ::testing::Values("pod_informer", "ten_lines", "own_loop_epoll", "own_loop_asio"),
                         [](const auto& test) { return std::string(test.param); });

class OwnLoopProgramTest : public ::testing::TestWithParam<const char*> {};

TEST_P(OwnLoopProgramTest, WatchesPodsWithOneThread) {
  apiserver::Options options;
  options.authentication = false;
  apiserver::Server server(options);
  const Kubeconfig kubeconfig(server.url());
  Program program(GetParam(), {});

  EXPECT_TRUE(
      testkit::eventually([&] { return server.requests().count("watch", "pods") > 0; }, std::chrono::minutes(1)));
#if !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(program.threads(), 1U);
#endif
  EXPECT_EQ(program.end(SIGTERM), 0);
}

INSTANTIATE_TEST_SUITE_P(Programs, OwnLoopProgramTest, ::testing::Values("own_loop_epoll", "own_loop_asio"),
                         [](const auto& test) { return std::string(test.param); });

class SampleProgramTest : public ::testing::TestWithParam<const char*> {};

TEST_P(SampleProgramTest, ServesFoosWithAKubeconfigUntilItIsTerminated) {
  apiserver::Options options;
  options.tls = true;  // credentials of a kubeconfig are not sent in the clear
  apiserver::Server server(options);
  ASSERT_TRUE(sample::install_crd(testkit::client(server)));
  ASSERT_TRUE(server.seed(meta::object_from_json(
      R"({"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"namespace":"default","name":"one"},)"
      R"("spec":{"deploymentName":"web","replicas":1}})")));
  std::string folder = (std::filesystem::temp_directory_path() / "kubexx-sample-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  ASSERT_TRUE(server.write_kubeconfig(folder + "/config"));
  {
    Program program(GetParam(), {"--kubeconfig", folder + "/config", "--master=" + server.url()});
    const auto made = [&] { return server.core().get({"apps", "v1", "deployments"}, {"default", "web"}).has_value(); };
    EXPECT_TRUE(testkit::eventually(made, std::chrono::minutes(1)));
    EXPECT_EQ(program.end(SIGTERM), 0);
  }
  std::filesystem::remove_all(folder);
}

TEST_P(SampleProgramTest, SaysHowItIsUsedWhenAFlagIsUnknown) {
  Program program(GetParam(), {"--what"});
  EXPECT_EQ(program.end(), 2);
}

TEST_P(SampleProgramTest, RefusesAKubeconfigThatIsNotThere) {
  Program program(GetParam(), {"--kubeconfig", "/nowhere/config"});
  EXPECT_EQ(program.end(), 2);
}

INSTANTIATE_TEST_SUITE_P(Programs, SampleProgramTest, ::testing::Values("sample_controller", "sample_controller_short"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace kubexx
