#include "own_loop/server_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "paths.hpp"

extern char** environ;

namespace kubexx::own_loop {
namespace {

std::string program() {
  const char* const named = std::getenv("KUBEXX_PROGRAM");
  return named ? named : KUBEXX_BINARY_DIR "/bin/kubexx";
}

/// Until the first line is whole; false when none comes.
bool await_line(int from) {
  pollfd ready{from, POLLIN, 0};
  for (char c = 0; poll(&ready, 1, 60'000) > 0 && read(from, &c, 1) == 1;) {
    if (c == '\n') return true;
  }
  return false;
}

}  // namespace

ServerProcess::ServerProcess(bool tls)
    : folder_((std::filesystem::temp_directory_path() / "kubexx-own-loop-XXXXXX").string()) {
  int ends[2] = {-1, -1};
  if (!mkdtemp(folder_.data()) || pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no folder, or no pipe");
  std::vector<std::string> words{program(), "apiserver", "--fault-path", "--kubeconfig-out", folder_ + "/config"};
  if (!tls) words.emplace_back("--cleartext");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (posix_spawn(&id_, argv[0], &actions, nullptr, argv.data(), environ) != 0) id_ = -1;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const bool serves = id_ > 0 && await_line(ends[0]);
  close(ends[0]);
  if (!serves) throw std::runtime_error(words[0] + " does not serve");
}

ServerProcess::~ServerProcess() {
  kill(id_, SIGKILL);
  waitpid(id_, nullptr, 0);
  std::filesystem::remove_all(folder_);
}

rest::Config ServerProcess::config() const {
  return rest::Config::load({.kubeconfig = kubeconfig()}).value();
}

void ServerProcess::freeze() const {
  kill(id_, SIGSTOP);
  waitpid(id_, nullptr, WUNTRACED);
}

void ServerProcess::thaw() const {
  kill(id_, SIGCONT);
}

std::size_t threads() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace kubexx::own_loop
