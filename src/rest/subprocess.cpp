#include "rest/subprocess.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

extern char** environ;

namespace kubexx::rest {
namespace {

constexpr std::size_t kMaxOutput = 1 << 20;

struct FileActions {
  FileActions() { posix_spawn_file_actions_init(&actions); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
  posix_spawn_file_actions_t actions;
};

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    bool replaced = false;
    for (const auto& pair : more) replaced = replaced || text.substr(0, text.find('=')) == pair.first;
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Result<SubprocessResult> run_program(const std::string& command, const std::vector<std::string>& arguments,
                                     const std::vector<std::pair<std::string, std::string>>& environment,
                                     bool pass_stdin) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return Error::config("cannot make a pipe for " + command);
  FileActions files;
  posix_spawn_file_actions_adddup2(&files.actions, pipe_ends[1], STDOUT_FILENO);
  if (!pass_stdin) posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  std::vector<std::string> words{command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto variables = merged_environment(environment);
  auto argv = pointers(words);
  auto envp = pointers(variables);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, command.c_str(), &files.actions, nullptr, argv.data(), envp.data());
  close(pipe_ends[1]);
  if (failed != 0) {
    close(pipe_ends[0]);
    if (failed == ENOENT) return Error::config("executable " + command + " not found");
    std::array<char, 128> text{};
    return Error::config("cannot run " + command + ": " + strerror_r(failed, text.data(), text.size()));
  }
  SubprocessResult result;
  std::array<char, 4096> buffer{};
  while (true) {
    const auto count = read(pipe_ends[0], buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    const auto room = kMaxOutput - result.output.size();
    result.output.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
  }
  close(pipe_ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace kubexx::rest
