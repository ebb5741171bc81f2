#include "rest/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/internal/deadline.hpp"
#include "base/internal/descriptor.hpp"

extern char** environ;

namespace kubexx::rest {
namespace {

constexpr std::size_t kMaxOutput = 1 << 20;
constexpr Duration kGrace = std::chrono::seconds(1);                          // between the request to end and the end
constexpr std::chrono::milliseconds kGlance = std::chrono::milliseconds(20);  // where the kernel cannot tell of an end

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
    sigset_t ours;
    sigemptyset(&ours);
    for (const int signal : {SIGPIPE, SIGTERM}) sigaddset(&ours, signal);
    posix_spawnattr_setsigdefault(&attributes, &ours);
    posix_spawnattr_setpgroup(&attributes, 0);
    const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (own_group ? POSIX_SPAWN_SETPGROUP : 0);
    posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes); }
  posix_spawnattr_t attributes;
};

enum class Outcome : std::uint8_t { Ended, Stopped, TooMuch, TooLong };

/// A program that runs. It is reaped in the end, and not before: until then its number is nobody else's.
class Child {
 public:
  Child(pid_t pid, bool own_group)
      : pid_(pid), own_group_(own_group), ended_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}

  /// Reads to the end of the output and waits for that of the program, unless something else comes first.
  Outcome attend(int from, int stopped, TimePoint deadline, std::string& output) const {
    std::string buffer(4096, '\0');
    const WipedInTheEnd wiped(buffer);
    bool reading = true;
    while (reading || !has_ended()) {
      std::array<pollfd, 3> ready{pollfd{reading ? from : -1, POLLIN, 0}, pollfd{stopped, POLLIN, 0},
                                  pollfd{reading ? -1 : ended_.get(), POLLIN, 0}};
      const bool looks = !reading && ended_.get() < 0;
      if (poll(ready.data(), ready.size(), patience(deadline, looks)) < 0 && errno != EINTR) return Outcome::TooLong;
      if (ready[1].revents != 0) return Outcome::Stopped;
      if (Clock::system().now() >= deadline) return Outcome::TooLong;
      if (ready[0].revents == 0) continue;
      const auto count = read(from, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        reading = false;
        continue;
      }
      const auto size = static_cast<std::size_t>(count);
      if (size > kMaxOutput - output.size()) return Outcome::TooMuch;
      append_secret(output, std::string_view(buffer).substr(0, size));
    }
    return Outcome::Ended;
  }

  void end() const {
    const pid_t whom = own_group_ ? -pid_ : pid_;
    kill(whom, SIGTERM);
    const auto deadline = detail::after(Clock::system().now(), kGrace);
    while (!has_ended() && Clock::system().now() < deadline) {
      pollfd ready{ended_.get(), POLLIN, 0};
      poll(&ready, 1, patience(deadline, ended_.get() < 0));
    }
    kill(whom, SIGKILL);
  }

  int reap() const {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  bool has_ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid_;
  }

  static int patience(TimePoint deadline, bool looks) {
    if (deadline == TimePoint::max() && !looks) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::system().now());
    return static_cast<int>(std::clamp<std::chrono::milliseconds>(left, std::chrono::milliseconds(0),
                                                                  looks ? kGlance : std::chrono::hours(1))
                                .count());
  }

  const pid_t pid_;
  const bool own_group_;
  const Descriptor ended_;  // readable once the program has ended; none in a kernel before 5.3
};

/// As Go has it: a folder of PATH that is not absolute, or empty, would be where somebody else may put a program.
std::optional<std::string> find_program(const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
  const char* path = std::getenv("PATH");
  std::string_view folders = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!folders.empty()) {
    const auto end = std::min(folders.find(':'), folders.size());
    const auto folder = folders.substr(0, end);
    folders.remove_prefix(std::min(end + 1, folders.size()));
    if (!folder.starts_with('/')) continue;
    auto candidate = std::string(folder) + '/' + command;
    struct stat info{};
    if (stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return std::nullopt;
}

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& more) {
  std::vector<std::string> all;
  const auto comes_later = [&more](std::string_view name, std::size_t from) {
    return std::any_of(more.begin() + static_cast<std::ptrdiff_t>(from), more.end(),
                       [&](const auto& pair) { return pair.first == name; });
  };
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    if (!comes_later(text.substr(0, text.find('=')), 0)) all.emplace_back(text);
  }
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (!comes_later(more[i].first, i + 1)) all.push_back(more[i].first + "=" + more[i].second);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// strerror_r of glibc returns the text; that of POSIX, as in musl, fills the buffer and returns whether it did.
[[maybe_unused]] const char* error_text(const char* returned, const char* /*buffer*/) {
  return returned;
}
[[maybe_unused]] const char* error_text(int failed, const char* buffer) {
  return failed == 0 ? buffer : "unknown error";
}

Result<pid_t> spawn(const std::string& command, const std::vector<std::string>& arguments,
                    const std::vector<std::pair<std::string, std::string>>& environment, bool pass_stdin, int output) {
  const auto program = find_program(command);
  if (!program) return Error::config("executable " + command + " not found");
  FileActions files;
  posix_spawn_file_actions_adddup2(&files.actions, output, STDOUT_FILENO);
  if (!pass_stdin) posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  const Attributes attributes(!pass_stdin);
  std::vector<std::string> words{command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto variables = merged_environment(environment);
  auto argv = pointers(words);
  auto envp = pointers(variables);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, program->c_str(), &files.actions, &attributes.attributes, argv.data(), envp.data());
  if (failed == 0) return child;
  if (failed == ENOENT) return Error::config("executable " + command + " not found");
  std::array<char, 128> text{};
  return Error::config("cannot run " + command + ": " +
                       error_text(strerror_r(failed, text.data(), text.size()), text.data()));
}

std::string seconds_text(Duration duration) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

}  // namespace

Result<SubprocessResult> run_program(const std::string& command, const std::vector<std::string>& arguments,
                                     const std::vector<std::pair<std::string, std::string>>& environment,
                                     const SubprocessOptions& options) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return Error::config("cannot make a pipe for " + command);
  const Descriptor reading(pipe_ends[0]);
  Descriptor writing(pipe_ends[1]);
  const Descriptor stopped(eventfd(0, EFD_CLOEXEC));
  if (stopped.get() < 0) return Error::config("cannot wait for " + command);
  const auto pid = spawn(command, arguments, environment, options.pass_stdin, writing.get());
  writing.reset();
  if (!pid) return pid.error();
  const Child child(*pid, !options.pass_stdin);
  const bool limited = options.timeout > Duration::zero() && !options.pass_stdin;
  const auto deadline = limited ? detail::after(Clock::system().now(), options.timeout) : TimePoint::max();
  SubprocessResult result;
  auto outcome = Outcome::Ended;
  {
    const std::stop_callback on_stop(options.stop, [&stopped]() noexcept {
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written = write(stopped.get(), &one, sizeof one);
    });
    outcome = child.attend(reading.get(), stopped.get(), deadline, result.output);
  }
  if (outcome != Outcome::Ended) child.end();
  result.exit_code = child.reap();
  if (outcome == Outcome::Stopped) return Error::canceled(command + " was stopped");
  if (outcome == Outcome::TooMuch) return Error::config(command + " printed more than 1 MB");
  if (outcome == Outcome::TooLong) return Error::config(command + " took longer than " + seconds_text(options.timeout));
  return result;
}

}  // namespace kubexx::rest
