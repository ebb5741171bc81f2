#include "process_usage.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <fstream>

namespace kubexx::app {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

ProcessUsage ProcessUsage::now() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {seconds(usage.ru_utime), seconds(usage.ru_stime),
          static_cast<std::uint64_t>(usage.ru_minflt + usage.ru_majflt),
          static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw)};
}

ProcessUsage operator-(const ProcessUsage& later, const ProcessUsage& earlier) {
  return {later.cpu_user - earlier.cpu_user, later.cpu_system - earlier.cpu_system,
          later.page_faults - earlier.page_faults, later.context_switches - earlier.context_switches};
}

std::uint64_t process_memory(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::strtoull(line.c_str() + field.size() + 1, nullptr, 10) * 1024;
  }
  return 0;
}

void forget_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5\n" << std::flush;
}

}  // namespace kubexx::app
