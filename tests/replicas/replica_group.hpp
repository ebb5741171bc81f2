#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/base/random.hpp"

namespace kubexx::test {

/// Replica processes on one server, and what happens to them. Signals go to its own children only.
class ReplicaGroup {
 public:
  ReplicaGroup(apiserver::Server& server, std::string mode, int size, std::uint64_t seed);
  ~ReplicaGroup();

  /// Pauses, kills and outages at random for so long; then everybody runs again.
  void torment(Duration length);

  struct Faults {
    int pauses = 0;
    int kills = 0;
    int outages = 0;
  };
  const Faults& faults() const { return faults_; }

 private:
  struct Process {
    pid_t pid;
    std::string name;
    TimePoint paused_until{};  // zero: it runs
  };
  void spawn();
  void kill(Process& process);
  void resume(bool all);
  static void pause(Duration length);

  apiserver::Server& server_;
  const std::string mode_;
  Random random_;
  int spawned_ = 0;
  std::vector<Process> processes_;
  Faults faults_;
};

/// A write as the server's log has it.
struct ReplicaWrite {
  std::string key;
  std::string writer;
  int term = 0;
  int number = 0;
  TimePoint deadline;  // of the writer's guard when it began
  TimePoint time;      // at the server
};
std::vector<ReplicaWrite> writes_in(const apiserver::RequestLog& log);

}  // namespace kubexx::test
