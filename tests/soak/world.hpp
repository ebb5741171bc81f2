#pragma once

#include <filesystem>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/testkit/fault_proxy.hpp"
#include "soak/candidates.hpp"
#include "soak/faults.hpp"
#include "soak/foos.hpp"
#include "soak/page_reader.hpp"
#include "soak/program.hpp"
#include "soak/report.hpp"
#include "soak/settings.hpp"
#include "soak/terms.hpp"
#include "soak/workload.hpp"

namespace kubexx::soak {

/// A folder of this run alone, which goes with it.
class OwnFolder {
 public:
  OwnFolder();
  ~OwnFolder();
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Everything of a run: the server, a proxy before each program, the programs, what is written and what breaks. Its
/// members are made in this order and end in reverse.
///
/// Threads: one owner's.
struct World {
  World(const Settings& settings, Journal& journal);

  /// What is not as it must be when nothing happens: caches, handlers, Foos, queues, the leader. Absent: nothing.
  std::optional<Difference> wrong();
  Progress progress() const;

  Journal& journal;
  Random random;
  OwnFolder folder;
  apiserver::Server server;
  testkit::FaultProxy steady_link;
  testkit::FaultProxy restarted_link;
  testkit::FaultProxy sample_link;
  testkit::FaultProxy first_link;
  testkit::FaultProxy second_link;
  Workload workload;
  Surroundings surroundings;
  Program steady;
  Program restarted;
  PageReader page;
  Foos foos;
  Election election;
  Terms terms;
  Faults faults;
  std::uint64_t quiet_points = 0;
};

}  // namespace kubexx::soak
