#include "rest/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/internal/descriptor.hpp"

extern char** environ;

namespace kubexx::rest {
namespace {

constexpr std::size_t kMaxOutput = 1 << 20;

struct FileActions {
  FileActions() { posix_spawn_file_actions_init(&actions); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
  posix_spawn_file_actions_t actions;
};

/// The program gets none of our signal settings; apart from the terminal it is a group of its own.
struct Attributes {
  explicit Attributes(bool own_group) {
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &pipe);
    posix_spawnattr_setpgroup(&attributes, 0);
    const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (own_group ? POSIX_SPAWN_SETPGROUP : 0);
    posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes); }
  posix_spawnattr_t attributes;
};

enum class Collected { All, Stopped, TooMuch };

/// Reads to the end, unless stop or a byte too many comes first.
Collected collect(int from, int stopped, std::string& output) {
  std::array<char, 4096> buffer{};
  while (true) {
    std::array<pollfd, 2> ready{pollfd{from, POLLIN, 0}, pollfd{stopped, POLLIN, 0}};
    if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return Collected::All;
    if (ready[1].revents != 0) return Collected::Stopped;
    if (ready[0].revents == 0) continue;
    const auto count = read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Collected::All;
    if (static_cast<std::size_t>(count) > kMaxOutput - output.size()) return Collected::TooMuch;
    output.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

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
                                     bool pass_stdin, const std::stop_token& stop) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return Error::config("cannot make a pipe for " + command);
  Descriptor reading(pipe_ends[0]);
  Descriptor writing(pipe_ends[1]);
  const Descriptor stopped(eventfd(0, EFD_CLOEXEC));
  if (stopped.get() < 0) return Error::config("cannot wait for " + command);
  FileActions files;
  posix_spawn_file_actions_adddup2(&files.actions, writing.get(), STDOUT_FILENO);
  if (!pass_stdin) posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  const Attributes attributes(!pass_stdin);
  std::vector<std::string> words{command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto variables = merged_environment(environment);
  auto argv = pointers(words);
  auto envp = pointers(variables);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, command.c_str(), &files.actions, &attributes.attributes, argv.data(), envp.data());
  writing.reset();
  if (failed != 0) {
    if (failed == ENOENT) return Error::config("executable " + command + " not found");
    std::array<char, 128> text{};
    return Error::config("cannot run " + command + ": " + strerror_r(failed, text.data(), text.size()));
  }
  SubprocessResult result;
  auto collected = Collected::All;
  {
    const std::stop_callback on_stop(stop, [&stopped]() noexcept {
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written = write(stopped.get(), &one, sizeof one);
    });
    collected = collect(reading.get(), stopped.get(), result.output);
  }
  if (collected != Collected::All) kill(pass_stdin ? child : -child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (collected == Collected::Stopped) return Error::canceled(command + " was stopped");
  if (collected == Collected::TooMuch) return Error::config(command + " printed more than 1 MB");
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace kubexx::rest
