#pragma once

#include <cstdint>
#include <string>

namespace kubexx::app {

/// What this process has used of the machine since it began.
struct ProcessUsage {
  double cpu_user = 0;  ///< seconds
  double cpu_system = 0;
  std::uint64_t page_faults = 0;
  std::uint64_t context_switches = 0;
  static ProcessUsage now();
  friend ProcessUsage operator-(const ProcessUsage& later, const ProcessUsage& earlier);
};

/// "VmRSS" or "VmHWM" of this process, in bytes.
std::uint64_t process_memory(const std::string& field);
/// VmHWM counts anew from what is resident now. Where the kernel does not let us, it goes on counting.
void forget_peak_memory();

}  // namespace kubexx::app
