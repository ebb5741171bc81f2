// linked_kubexx KUBECONFIG [KEY]: what linked.cpp does, with kubexx.
#include <chrono>
#include <cstdio>

#include "corpus/process_cost.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/meta/json.hpp"

namespace {

constexpr int kReads = 20'000;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace kubexx;
  if (argc < 2) return std::fprintf(stderr, "usage: linked_kubexx KUBECONFIG [KEY]\n"), 2;
  const auto start = std::chrono::steady_clock::now();
  rest::LoadOptions load;
  load.kubeconfig = argv[1];
  const auto config = rest::Config::load(load);
  if (!config) return std::fprintf(stderr, "%s\n", config.error().message().c_str()), 1;
  informer::SharedInformerFactory factory(rest::Client::create(*config).value());
  const auto pods = factory.core().v1().pods();
  factory.start();
  if (!factory.wait_for_cache_sync()) return 1;
  const double synced = seconds_since(start);
  double read = 0;
  if (argc > 2) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kReads; ++i) {  // as text too: what the other can do
      const auto pod = pods.lister().get(argv[2]);
      if (!pod || meta::to_json(*pod).empty()) return std::fprintf(stderr, "linked_kubexx: no pod %s\n", argv[2]), 1;
    }
    read = seconds_since(begin) / kReads * 1e6;
  }
  std::printf(
      "{\"objects\": %zu, \"syncSeconds\": %.4f, \"rssMegabytes\": %.1f, \"peakMegabytes\": %.1f, \"threads\": %ld, "
      "\"readMicroseconds\": %.2f}\n",
      pods.lister().list().size(), synced, static_cast<double>(bench::of_this_process("VmRSS")) / 1024,
      static_cast<double>(bench::of_this_process("VmHWM")) / 1024, bench::of_this_process("Threads"), read);
  return 0;
}
