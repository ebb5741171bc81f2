#include "base/process_figures.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <system_error>

namespace kubexx::detail {
namespace {

constexpr double kUnknownFigure = std::numeric_limits<double>::quiet_NaN();

// A number of /proc/self/stat, counted from 3 as proc(5) does: what stands before it may contain spaces.
double process_stat(int field) {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return kUnknownFigure;
  std::istringstream rest(text.substr(name_end + 1));
  std::string word;
  for (int i = 3; i <= field; ++i) {
    if (!(rest >> word)) return kUnknownFigure;
  }
  return std::stod(word);
}

double cpu_seconds() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return kUnknownFigure;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double memory_pages(int which) {
  std::ifstream file("/proc/self/statm");
  double pages = kUnknownFigure;
  for (int i = 0; i <= which; ++i) {
    if (!(file >> pages)) return kUnknownFigure;
  }
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double open_fds() {
  std::error_code failure;
  double entries = 0;
  for (std::filesystem::directory_iterator at("/proc/self/fd", failure), end; !failure && at != end;
       at.increment(failure)) {
    ++entries;
  }
  return failure ? kUnknownFigure : entries - 1;  // the folder itself
}

double max_fds() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kUnknownFigure;
  if (limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<double>::infinity();
  return static_cast<double>(limit.rlim_cur);
}

double start_time() {
  static const double start = [] {
    std::ifstream file("/proc/stat");
    double boot = 0;
    for (std::string word; file >> word;) {
      if (word == "btime" && file >> boot) return boot + process_stat(22) / static_cast<double>(sysconf(_SC_CLK_TCK));
    }
    return kUnknownFigure;
  }();
  return start;
}

}  // namespace

constinit const std::array<ProcessFigure, 7> kProcessFigures{{
    {"process_cpu_seconds_total", "Processor time used, user and system", MetricType::Counter, cpu_seconds},
    {"process_resident_memory_bytes", "Memory of the process that is in RAM", MetricType::Gauge,
     [] { return memory_pages(1); }},
    {"process_virtual_memory_bytes", "Address space of the process", MetricType::Gauge, [] { return memory_pages(0); }},
    {"process_open_fds", "Open file descriptors", MetricType::Gauge, open_fds},
    {"process_max_fds", "File descriptors that may be open", MetricType::Gauge, max_fds},
    {"process_threads", "Threads of the process", MetricType::Gauge, [] { return process_stat(20); }},
    {"process_start_time_seconds", "When the process began, in seconds since 1970", MetricType::Gauge, start_time},
}};

}  // namespace kubexx::detail
