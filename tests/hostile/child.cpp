#include "hostile/child.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace kubexx::hostile {
namespace {

constexpr rlim_t kMostMemory = rlim_t{8} << 30;  // of addresses, of which the program reserves more than it uses
constexpr rlim_t kMostOutput = 64 << 20;

int milliseconds(Duration time) {
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(time).count());
}

}  // namespace

Child::Child(const std::vector<std::string>& words)
    : out_(memfd_create("out", MFD_CLOEXEC)), err_(memfd_create("err", MFD_CLOEXEC)) {
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {  // nothing here but what is safe beside the other threads
    const rlimit memory{kMostMemory, kMostMemory};
    const rlimit output{kMostOutput, kMostOutput};
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_FSIZE, &output);
    signal(SIGPIPE, SIG_DFL);
    dup2(out_, STDOUT_FILENO);
    dup2(err_, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  process_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

Child::~Child() {
  if (!ended_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int file : {out_, err_, process_}) close(file);
}

std::string Child::text_of(int file) {
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  const auto count = pread(file, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

bool Child::wait(Duration time) {
  pollfd ready{process_, POLLIN, 0};
  if (ended_ || poll(&ready, 1, milliseconds(time)) <= 0) return ended_;
  int status = 0;
  rusage used{};
  wait4(pid_, &status, 0, &used);
  ended_ = true;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  peak_ = static_cast<std::size_t>(used.ru_maxrss);
  return true;
}

bool Child::ends_within(Duration time) {
  return wait(time);
}

bool Child::says(const std::string& text, Duration time) {
  const auto ceiling = Clock::system().now() + time;
  while (!has_any(out(), text) && !has_any(err(), text)) {
    if (wait(std::chrono::milliseconds(10)) || Clock::system().now() >= ceiling) {
      return has_any(out(), text) || has_any(err(), text);
    }
  }
  return true;
}

void Child::terminate() {
  if (!ended_) kill(pid_, SIGTERM);
}

bool has_any(const std::string& text, const std::string& alternatives) {
  for (std::size_t at = 0; at <= alternatives.size();) {
    const auto end = std::min(alternatives.find('|', at), alternatives.size());
    if (text.find(alternatives.substr(at, end - at)) != std::string::npos) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace kubexx::hostile
