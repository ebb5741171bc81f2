// linked KUBECONFIG [KEY]: fills the cache of the library beside it (library.go) with all pods, reads one of them many
// times if asked, and prints as JSON how many there are, how long that took since the process began, what is resident,
// and what a read took.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "libpods.h"

namespace {

constexpr int kReads = 20'000;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

long of_this_process(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.compare(0, name.size() + 1, name + ":") == 0)
      return std::strtol(line.c_str() + name.size() + 1, nullptr, 10);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: linked KUBECONFIG [KEY]\n"), 2;
  const auto start = std::chrono::steady_clock::now();
  if (pods_start(argv[1]) != 0) return std::fprintf(stderr, "linked: no cache\n"), 1;
  const double synced = seconds_since(start);
  double read = 0;
  if (argc > 2) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kReads; ++i) {
      char* const text = pods_get(argv[2]);
      if (!text) return std::fprintf(stderr, "linked: no pod %s\n", argv[2]), 1;
      pods_free(text);
    }
    read = seconds_since(begin) / kReads * 1e6;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"objects\": %ld, \"syncSeconds\": %.4f, \"rssMegabytes\": %.1f, \"peakMegabytes\": %.1f, \"threads\": %ld, "
      "\"readMicroseconds\": %.2f}\n",
      pods_count(), synced, static_cast<double>(of_this_process("VmRSS")) / 1024,
      static_cast<double>(usage.ru_maxrss) / 1024, of_this_process("Threads"), read);
  return 0;
}
