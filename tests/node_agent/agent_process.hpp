#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/internal/file.hpp"
#include "base/internal/random_token.hpp"
#include "kubexx/apiserver/server.hpp"
#include "paths.hpp"
#include "unit/agent/node_objects.hpp"

namespace kubexx::agent {

/// A process with its input and output.
class Program {
 public:
  Program(std::vector<std::string> arguments, std::vector<std::string> environment) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDERR_FILENO);
    const int failed = posix_spawn(&id_, arguments[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                                   pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = out[0];
    if (failed != 0) throw std::runtime_error("cannot start " + arguments[0]);
  }
  ~Program() {
    if (id_ > 0) end(SIGKILL);
    close_input();
    close(out_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::string answer(const std::string& line) {
    const auto text = line + "\n";
    EXPECT_EQ(write(in_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    return read_line();
  }
  std::string read_line() {
    std::string line;
    for (char c = 0; read(out_, &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }
  void close_input() {
    if (in_ >= 0) close(in_);
    in_ = -1;
  }
  /// Sends the signal (0: none) and waits; what it exits with, -1: a signal ended it.
  int end(int number) {
    if (number != 0) kill(id_, number);
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (auto& each : texts) all.push_back(each.data());
    all.push_back(nullptr);
    return all;
  }
  pid_t id_ = -1;
  int in_ = -1;
  int out_ = -1;
};

/// In a pod on the node "here": a service account over TLS, and the downward API's variable.
class NodeAgentTest : public testing::Test {
 protected:
  NodeAgentTest() : folder_((std::filesystem::temp_directory_path() / "kubexx-node-agent-XXXXXX").string()) {
    if (!mkdtemp(folder_.data())) throw std::runtime_error("no folder");
    write_account(folder_);
    seed(owner_of("ReplicaSet", "web-1", "Deployment/web"));
    seed(pod_of({.name = "web", .number = 1, .address = "10.0.0.1", .controller = "ReplicaSet/web-1"}).to_object());
    seed(pod_of({.name = "elsewhere", .number = 2, .node = "there"}).to_object());
  }
  ~NodeAgentTest() override { std::filesystem::remove_all(folder_); }

  apiserver::Options reading_server() const {
    apiserver::Options options;
    options.tls = true;
    options.garbage_collection = false;  // the Deployment is not there
    options.users = {{.token = token_, .name = "system:serviceaccount:shop:agent", .role = apiserver::Role::ReadOnly}};
    return options;
  }
  void write_account(const std::string& folder) const {
    EXPECT_TRUE(replace_file(folder + "/token", token_));
    EXPECT_TRUE(replace_file(folder + "/ca.crt", server_.ca_pem()));
  }
  void seed(const meta::Object& object) { ASSERT_TRUE(server_.seed(object)); }
  std::vector<std::string> variables() const {
    return {"KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=" + std::to_string(server_.port()),
            "NODE_NAME=here", "HOME=" + folder_};
  }

  /// The example with these flags.
  static std::vector<std::string> agent(std::vector<std::string> flags) {
    flags.insert(flags.begin(), KUBEXX_BINARY_DIR "/bin/node_agent");
    return flags;
  }

  std::string folder_;
  const std::string token_ = random_token();
  apiserver::Server server_{reading_server()};
};

}  // namespace kubexx::agent
