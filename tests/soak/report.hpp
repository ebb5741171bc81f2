#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kubexx/base/clock.hpp"
#include "soak/figures.hpp"
#include "soak/journal.hpp"

namespace kubexx::soak {

/// How far a run has come.
struct Progress {
  Duration elapsed = {};
  std::uint64_t writes = 0;
  std::uint64_t events = 0;  ///< calls of handlers, and writes
  std::uint64_t lists = 0;
  std::uint64_t watches = 0;
  std::uint64_t restarts = 0;
  std::uint64_t resumed = 0;  ///< informers that came back from a file without a list
  std::uint64_t terms = 0;
  std::uint64_t guarded_writes = 0;
  std::uint64_t page_reads = 0;
  std::uint64_t quiet_points = 0;
  std::map<std::string, std::uint64_t> faults = {};
  Figures figures = {};
};

std::string progress_line(const Progress& progress);
/// The end of a run: what it did, and the violation if there was one.
std::string final_report(std::uint64_t seed, const Progress& progress, const std::string& range,
                         const std::optional<Violation>& violation);

}  // namespace kubexx::soak
