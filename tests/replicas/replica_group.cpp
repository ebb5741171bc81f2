#include "replicas/replica_group.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <stdexcept>

#include "kubexx/base/stop.hpp"
#include "paths.hpp"

namespace kubexx::test {

using std::chrono::milliseconds;

ReplicaGroup::ReplicaGroup(apiserver::Server& server, std::string mode, int size, std::uint64_t seed)
    : server_(server), mode_(std::move(mode)), random_(seed) {
  for (int i = 0; i < size; ++i) spawn();
}

ReplicaGroup::~ReplicaGroup() {
  for (auto& process : processes_) kill(process);
}

/// Between two faults: how long one lasts is what it is.
void ReplicaGroup::pause(Duration length) {
  const std::stop_source never;
  wait_for_stop(never.get_token(), length);
}

void ReplicaGroup::spawn() {
  const std::string program = KUBEXX_BINARY_DIR "/bin/replica_program";
  const auto name = "r" + std::to_string(++spawned_);
  std::string arguments[] = {program, mode_, name, server_.url()};
  char* argv[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(), arguments[3].data(), nullptr};
  std::string token = "KUBEXX_TOKEN=" + server_.admin_token();
  char* environment[] = {token.data(), nullptr};
  pid_t pid = 0;
  if (posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv, environment) != 0) {
    throw std::runtime_error("cannot start " + program);
  }
  processes_.push_back({pid, name});
}

void ReplicaGroup::kill(Process& process) {
  ::kill(process.pid, SIGKILL);
  waitpid(process.pid, nullptr, 0);
}

void ReplicaGroup::resume(bool all) {
  for (auto& process : processes_) {
    if (process.paused_until == TimePoint() || (!all && Clock::system().now() < process.paused_until)) continue;
    ::kill(process.pid, SIGCONT);
    process.paused_until = {};
  }
}

void ReplicaGroup::torment(Duration length) {
  const auto& clock = Clock::system();
  const auto until = clock.now() + length;
  apiserver::Outage outage;
  TimePoint outage_until{};
  while (clock.now() < until) {
    auto& one = processes_[random_.below(processes_.size())];
    const auto dice = random_.below(20);
    if (dice < 3 && one.paused_until == TimePoint()) {
      ::kill(one.pid, SIGSTOP);
      one.paused_until = clock.now() + milliseconds(100 + random_.below(2500));
      ++faults_.pauses;
    } else if (dice == 3) {
      kill(one);
      processes_.erase(processes_.begin() + (&one - processes_.data()));
      spawn();
      ++faults_.kills;
    } else if (dice == 4 && outage_until == TimePoint()) {
      apiserver::Fault cut;
      cut.reset = true;
      outage = faults_.outages % 2 == 0 ? server_.refuse_connections() : server_.core().add_fault(cut);
      outage_until = clock.now() + milliseconds(100 + random_.below(1500));
      ++faults_.outages;
    }
    pause(milliseconds(50 + random_.below(200)));
    if (outage_until != TimePoint() && clock.now() >= outage_until) {
      outage.end();
      outage_until = {};
    }
    resume(false);
  }
  outage.end();
  resume(true);
}

std::vector<ReplicaWrite> writes_in(const apiserver::RequestLog& log) {
  std::vector<ReplicaWrite> writes;
  for (const auto& entry : log.entries("patch", "configmaps")) {
    std::vector<std::string> parts;
    std::string_view rest = entry.name;
    while (true) {
      const auto dot = rest.find('.');
      parts.emplace_back(rest.substr(0, dot));
      if (dot == std::string_view::npos) break;
      rest.remove_prefix(dot + 1);
    }
    if (parts.size() != 5) throw std::runtime_error("unexpected write " + entry.name);
    writes.push_back({parts[0], parts[1], std::stoi(parts[2]), std::stoi(parts[3]),
                      TimePoint(Duration(std::stoll(parts[4]))), entry.time});
  }
  std::stable_sort(writes.begin(), writes.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return writes;
}

}  // namespace kubexx::test
