#pragma once

#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace kubexx::bench {

/// What this process has cost so far: seconds in its own code and in the kernel, and context switches: voluntary ones
/// of threads that had to wait, involuntary ones of threads that had work and were put off.
struct ProcessCost {
  double user = 0;
  double system = 0;
  long voluntary_switches = 0;
  long involuntary_switches = 0;

  static ProcessCost so_far() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return {seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_nvcsw, usage.ru_nivcsw};
  }
  double cpu() const { return user + system; }
};

inline ProcessCost operator-(const ProcessCost& later, const ProcessCost& earlier) {
  return {later.user - earlier.user, later.system - earlier.system,
          later.voluntary_switches - earlier.voluntary_switches,
          later.involuntary_switches - earlier.involuntary_switches};
}

/// A number of /proc/self/status: "Threads", "VmRSS" (in KB).
inline long of_this_process(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::strtol(line.c_str() + name.size() + 1, nullptr, 10);
  }
  return 0;
}

}  // namespace kubexx::bench
