#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <ctime>

/// Rows that stand beside a figure of client-go (2 cores, Go 1.26).
namespace kubexx::bench {

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Measures `work` once and reports operations a second, CPU nanoseconds each, and how many times client-go's figure
/// that is.
template <class Work>
void measure(benchmark::State& state, double operations, double client_go_per_second, Work work) {
  const auto start = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  work();
  const double used = cpu_seconds() - cpu;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  state.SetIterationTime(seconds);
  state.counters["per_second"] = operations / seconds;
  state.counters["cpu_ns"] = used / operations * 1e9;
  state.counters["ratio"] = operations / seconds / client_go_per_second;
}

/// A row of the table: several runs, of which the middle one counts.
inline void row(const char* name, void (*function)(benchmark::State&), int repetitions = 3) {
  benchmark::RegisterBenchmark(name, function)
      ->Iterations(1)
      ->Repetitions(repetitions)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->ReportAggregatesOnly()
      ->MeasureProcessCPUTime();
}

}  // namespace kubexx::bench
