#include "lacks/runner.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <list>
#include <sstream>
#include <thread>

#include "kubexx/testkit/eventually.hpp"

namespace kubexx::lacks {
namespace {

constexpr Duration kLongest = std::chrono::seconds(90);  // a hang is found within; a busy machine takes its time

std::size_t entries(const char* folder) {
  std::size_t count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) ++count;
  return count;
}

/// What an aborting process leaves behind: the exception that nobody took.
[[noreturn]] void terminated() noexcept {
  const Counted off(false);
  const char* what = "no exception";
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
    what = "an exception of an unknown type";
  }
  dprintf(STDOUT_FILENO, "std::terminate: %s\n", what);
  std::abort();
}

/// In the child. Its standard output is the pipe.
int run_here(const Case& one) {
  std::set_terminate(terminated);
  const auto threads = entries("/proc/self/task");
  const auto descriptors = entries("/proc/self/fd");
  try {
    one.scenario->run(one.wire, [&] { arm(one.kind, one.first, one.length); });
    const auto left = [&] { return entries("/proc/self/task") > threads || entries("/proc/self/fd") > descriptors; };
    if (!testkit::eventually([&] { return !left(); }, std::chrono::seconds(10))) {
      std::string which;
      for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code ignored;
        which += " " + std::filesystem::read_symlink(entry.path(), ignored).string();
      }
      dprintf(STDOUT_FILENO, "%zu threads and %zu descriptors are left:%s\n", entries("/proc/self/task") - threads,
              entries("/proc/self/fd") - descriptors, which.c_str());
      return 1;
    }
  } catch (const std::exception& e) {
    dprintf(STDOUT_FILENO, "%s\n", e.what());
    return 1;
  }
  dprintf(STDOUT_FILENO, "counted %llu\n", static_cast<unsigned long long>(counted()));
  return 0;
}

class Child {
 public:
  explicit Child(const Case& one) : one_(one), until_(Clock::system().now() + kLongest) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      _exit(run_here(one_));
    }
    close(ends[1]);
    out_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { close(out_); }

  bool over() {
    int status = 0;
    if (Clock::system().now() >= until_) {
      kill(process_, SIGKILL);
      waitpid(process_, &status, 0);
      failure_ = "it hangs";
      return true;
    }
    if (waitpid(process_, &status, WNOHANG) == 0) return false;
    if (WIFSIGNALED(status)) {
      failure_ = std::string("killed by a signal: ") + strsignal(WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
      failure_ = "failed";
    }
    return true;
  }

  Ended ended() {
    std::string text;
    char buffer[4096];
    for (ssize_t count; (count = read(out_, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(count));
    Ended end{one_, 0, failure_};
    constexpr std::string_view kCounted = "counted ";
    if (failure_.empty() && text.starts_with(kCounted)) {
      std::from_chars(text.data() + kCounted.size(), text.data() + text.size(), end.counted);
    } else if (!text.empty()) {
      end.failure += ": " + text.substr(0, text.size() - 1);
    }
    return end;
  }

 private:
  const Case one_;
  const TimePoint until_;
  pid_t process_ = -1;
  int out_ = -1;
  std::string failure_;
};

template <class T, class Name>
const T* find(std::span<const T> all, const std::string& text, Name name) {
  const auto found = std::ranges::find_if(all, [&](const T& each) { return name(each) == text; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::string Case::text() const {
  return std::string(scenario->name) + "/" + std::string(to_string(wire)) + "/" + std::string(to_string(kind)) + "/" +
         std::to_string(first) + "/" + std::to_string(length);
}

std::vector<Case> cases_of(const std::string& text) {
  std::istringstream in(text);
  std::string scenario, wire, kind;
  Case one;
  char slash = 0;
  std::getline(in, scenario, '/');
  std::getline(in, wire, '/');
  std::getline(in, kind, '/');
  in >> one.first >> slash >> one.length;
  one.scenario = find(scenarios(), scenario, [](const Scenario& each) { return each.name; });
  const Wire* const known = find(std::span<const Wire>(kWires), wire, [](Wire each) { return to_string(each); });
  const auto parsed = parse_kind(kind);
  if (!in || !one.scenario || !known || !parsed) throw std::runtime_error("KUBEXX_LACKS is no case: " + text);
  one.wire = *known;
  one.kind = *parsed;
  return {one};
}

std::vector<Ended> run(const std::vector<Case>& cases) {
  const std::size_t at_once = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Ended> all;
  std::list<Child> children;
  for (auto next = cases.begin(); next != cases.end() || !children.empty();) {
    while (next != cases.end() && children.size() < at_once) children.emplace_back(*next++);
    for (auto child = children.begin(); child != children.end();) {
      if (!child->over()) {
        ++child;
        continue;
      }
      all.push_back(child->ended());
      child = children.erase(child);
    }
    if (!children.empty()) poll(nullptr, 0, 1);
  }
  return all;
}

}  // namespace kubexx::lacks
