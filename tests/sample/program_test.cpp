#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kubexx/base/stop.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/client.hpp"
#include "paths.hpp"
#include "sample.hpp"

extern char** environ;

namespace kubexx {
namespace {

using std::chrono::milliseconds;

/// One of the programs as a process; ended by its destructor if nobody did.
class Program {
 public:
  Program(const std::string& name, std::vector<std::string> arguments) {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    errors_ = ends[0];
    arguments.insert(arguments.begin(), KUBEXX_BINARY_DIR "/bin/" + name);
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&id_, argv[0], &actions, nullptr, argv.data(), environ) != 0) id_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
  }
  ~Program() {
    if (id_ > 0) end(SIGKILL);
    if (errors_ >= 0) close(errors_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  /// The first line on its standard error; empty when none comes within ten seconds.
  std::string first_error() const {
    std::string line;
    pollfd ready{errors_, POLLIN, 0};
    for (char c = 0; poll(&ready, 1, 10000) > 0 && read(errors_, &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }
  std::size_t threads() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& each :
         std::filesystem::directory_iterator("/proc/" + std::to_string(id_) + "/task")) {
      ++count;
    }
    return count;
  }
  /// What it exits with; -1 when a signal ended it.
  int end(int signal = 0) {
    if (signal != 0) ::kill(id_, signal);
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t id_ = -1;
  int errors_ = -1;
};

/// A folder with a kubeconfig for this server, and $KUBECONFIG that names it.
class Kubeconfig {
 public:
  explicit Kubeconfig(const std::string& server) {
    folder_ = (std::filesystem::temp_directory_path() / "kubexx-first-XXXXXX").string();
    if (mkdtemp(folder_.data()) == nullptr) return;
    std::ofstream(folder_ + "/config") << "apiVersion: v1\nkind: Config\ncurrent-context: a\n"
                                          "contexts: [{name: a, context: {cluster: a, user: a}}]\n"
                                          "users: [{name: a, user: {}}]\n"
                                          "clusters: [{name: a, cluster: {server: \""
                                       << server << "\"}}]\n";
    setenv("KUBECONFIG", (folder_ + "/config").c_str(), 1);
  }
  ~Kubeconfig() {
    unsetenv("KUBECONFIG");
    std::filesystem::remove_all(folder_);
  }
  Kubeconfig(const Kubeconfig&) = delete;
  Kubeconfig& operator=(const Kubeconfig&) = delete;

 private:
  std::string folder_;
};

class FirstProgramTest : public ::testing::TestWithParam<const char*> {};

TEST_P(FirstProgramTest, SaysThatTheServerIsAwayAndGoesOn) {
  const Kubeconfig kubeconfig("https://127.0.0.1:1");
  Program program(GetParam(), {});

  const auto line = program.first_error();

  EXPECT_NE(line.find("127.0.0.1:1"), std::string::npos) << line;
  EXPECT_NE(line.find("pods"), std::string::npos) << line;
  EXPECT_EQ(program.end(SIGTERM), 0);
}

TEST_P(FirstProgramTest, EndsWithALineWhenItsConfigurationCannotBeUsed) {
  const Kubeconfig kubeconfig("ftp://127.0.0.1:1");
  Program program(GetParam(), {});

  const auto line = program.first_error();

  EXPECT_NE(line.find("neither http nor https"), std::string::npos) << line;
  EXPECT_EQ(program.end(), 1);
}

INSTANTIATE_TEST_SUITE_P(Programs, FirstProgramTest,
                         ::testing::Values("pod_informer", "own_loop_epoll", "own_loop_asio"),
                         [](const auto& test) { return std::string(test.param); });

class OwnLoopProgramTest : public ::testing::TestWithParam<const char*> {};

TEST_P(OwnLoopProgramTest, WatchesPodsWithOneThread) {
  apiserver::Options options;
  options.authentication = false;
  apiserver::Server server(options);
  const Kubeconfig kubeconfig(server.url());
  Program program(GetParam(), {});

  for (int tries = 0; tries < 1000 && server.requests().count("watch", "pods") == 0; ++tries) {
    wait_for_stop({}, milliseconds(10));
  }

  EXPECT_GT(server.requests().count("watch", "pods"), 0U);
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
    bool made = false;
    for (int tries = 0; tries < 1000 && !made; ++tries) {
      made = server.core().get({"apps", "v1", "deployments"}, {"default", "web"}).has_value();
      if (!made) wait_for_stop({}, milliseconds(10));
    }
    EXPECT_TRUE(made);
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
