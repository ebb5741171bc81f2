#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "paths.hpp"

extern char** environ;

namespace kubexx {

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
  /// The next line on its standard error; empty when none comes within thirty seconds.
  std::string next_error() const {
    std::string line;
    pollfd ready{errors_, POLLIN, 0};
    for (char c = 0; poll(&ready, 1, 30000) > 0 && read(errors_, &c, 1) == 1 && c != '\n';) line += c;
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

}  // namespace kubexx
