// The work queue rows that client-go's figures are compared with: 1,000,000 keys, items per second.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/workqueue/parallelize.hpp"
#include "kubexx/workqueue/rate_limiting_queue.hpp"

namespace {

struct PairKey {
  std::string space;
  std::string name;
  friend bool operator==(const PairKey&, const PairKey&) = default;
};

}  // namespace

template <>
struct std::hash<PairKey> {
  std::size_t operator()(const PairKey& key) const noexcept {
    const std::hash<std::string> hash;
    return hash(key.name) * 31 + hash(key.space);
  }
};

namespace {

using namespace std::chrono_literals;
using kubexx::ThreadExecutor;
using kubexx::workqueue::RateLimiter;
using kubexx::workqueue::RateLimitingQueue;

constexpr std::size_t kKeys = 1'000'000;

template <class T>
T make_key(std::size_t i);
template <>
std::string make_key<std::string>(std::size_t i) {
  return "namespace-" + std::to_string(i % 100) + "/pod-" + std::to_string(i);
}
template <>
PairKey make_key<PairKey>(std::size_t i) {
  return {"namespace-" + std::to_string(i % 100), "pod-" + std::to_string(i)};
}

template <class T>
const std::vector<T>& keys() {
  static const std::vector<T> all = [] {
    std::vector<T> made;
    made.reserve(kKeys);
    for (std::size_t i = 0; i < kKeys; ++i) made.push_back(make_key<T>(i));
    return made;
  }();
  return all;
}

template <class T>
class Bench {
 public:
  RateLimitingQueue<T> queue{std::make_shared<ThreadExecutor>(), RateLimiter::exponential(1ms, 1000s)};
  const std::vector<T>& all = keys<T>();

  void consume() {
    while (auto key = queue.get()) {
      queue.forget(*key);
      queue.done(*key);
      if (left.fetch_sub(1, std::memory_order_relaxed) == 1) queue.shut_down();
    }
  }

  std::atomic<std::size_t> left{kKeys};
};

void count(benchmark::State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kKeys));
}

template <class T>
void add_all_then_get_and_done(benchmark::State& state) {
  for (auto _ : state) {
    Bench<T> bench;
    for (const T& key : bench.all) bench.queue.add(key);
    for (std::size_t i = 0; i < kKeys; ++i) {
      auto key = bench.queue.get();
      bench.queue.done(*key);
    }
  }
  count(state);
}

template <class T>
void serial_add_get_forget_done(benchmark::State& state) {
  for (auto _ : state) {
    Bench<T> bench;
    for (const T& added : bench.all) {
      bench.queue.add(added);
      auto key = bench.queue.get();
      bench.queue.forget(*key);
      bench.queue.done(*key);
    }
  }
  count(state);
}

template <class T>
void one_producer_two_consumers(benchmark::State& state) {
  for (auto _ : state) {
    Bench<T> bench;
    std::jthread first([&] { bench.consume(); });
    std::jthread second([&] { bench.consume(); });
    for (const T& key : bench.all) bench.queue.add(key);
  }
  count(state);
}

template <class T>
void add_of_a_waiting_key(benchmark::State& state) {
  Bench<T> bench;
  bench.queue.add(bench.all[123456]);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kKeys; ++i) bench.queue.add(bench.all[123456]);
  }
  count(state);
}

template <class T>
void rate_limited_add_to_done(benchmark::State& state) {
  for (auto _ : state) {
    Bench<T> bench;
    std::jthread consumer([&] { bench.consume(); });
    for (const T& key : bench.all) bench.queue.add_rate_limited(key);
  }
  count(state);
}

void parallelize(benchmark::State& state) {
  const auto chunk = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    kubexx::workqueue::parallelize_until(
        {}, 2, kKeys, [](std::size_t piece) { benchmark::DoNotOptimize(piece); }, chunk);
  }
  count(state);
}

#define KUBEXX_QUEUE_BENCHMARK(name)                                                                            \
  BENCHMARK_TEMPLATE(name, std::string)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond); \
  BENCHMARK_TEMPLATE(name, PairKey)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond)

KUBEXX_QUEUE_BENCHMARK(add_all_then_get_and_done);
KUBEXX_QUEUE_BENCHMARK(serial_add_get_forget_done);
KUBEXX_QUEUE_BENCHMARK(one_producer_two_consumers);
KUBEXX_QUEUE_BENCHMARK(add_of_a_waiting_key);
KUBEXX_QUEUE_BENCHMARK(rate_limited_add_to_done);
BENCHMARK(parallelize)->Arg(1)->Arg(100)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
