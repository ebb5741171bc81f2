// The work queue rows that client-go's figures are compared with: 1,000,000 keys, items per second.
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "corpus/row.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/workqueue/parallelize.hpp"
#include "kubexx/workqueue/rate_limiting_queue.hpp"

namespace kubexx::bench {

struct PairKey {
  std::string space;
  std::string name;
  friend bool operator==(const PairKey&, const PairKey&) = default;
};

}  // namespace kubexx::bench

template <>
struct std::hash<kubexx::bench::PairKey> {
  std::size_t operator()(const kubexx::bench::PairKey& key) const noexcept {
    const std::hash<std::string> one;
    return one(key.name) * 31 + one(key.space);
  }
};

namespace {

using namespace std::chrono_literals;
using namespace kubexx::bench;
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
struct Bench {
  RateLimitingQueue<T> queue{std::make_shared<ThreadExecutor>(), RateLimiter::exponential(1ms, 1000s)};
  std::atomic<std::size_t> left{kKeys};

  void consume() {
    while (auto key = queue.get()) {
      queue.forget(*key);
      queue.done(*key);
      if (left.fetch_sub(1, std::memory_order_relaxed) == 1) queue.shut_down();
    }
  }
};

template <class T>
void add_all_then_get_and_done(benchmark::State& state) {
  const auto& all = keys<T>();
  for (auto _ : state) {
    Bench<T> bench;
    measure(state, kKeys, 988'000, [&] {
      for (const T& key : all) bench.queue.add(key);
      for (std::size_t i = 0; i < kKeys; ++i) {
        auto key = bench.queue.get();
        bench.queue.done(*key);
      }
    });
  }
}

template <class T>
void serial_add_get_forget_done(benchmark::State& state) {
  const auto& all = keys<T>();
  for (auto _ : state) {
    Bench<T> bench;
    measure(state, kKeys, 6'170'000, [&] {
      for (const T& added : all) {
        bench.queue.add(added);
        auto key = bench.queue.get();
        bench.queue.forget(*key);
        bench.queue.done(*key);
      }
    });
  }
}

template <class T>
void one_producer_two_consumers(benchmark::State& state) {
  const auto& all = keys<T>();
  for (auto _ : state) {
    Bench<T> bench;
    measure(state, kKeys, 1'609'000, [&] {
      std::jthread first([&] { bench.consume(); });
      std::jthread second([&] { bench.consume(); });
      for (const T& key : all) bench.queue.add(key);
    });
  }
}

template <class T>
void add_of_a_waiting_key(benchmark::State& state) {
  constexpr std::size_t kAdds = 10'000'000;
  const T& waiting = keys<T>()[123456];
  for (auto _ : state) {
    Bench<T> bench;
    bench.queue.add(waiting);
    measure(state, kAdds, 36'686'000, [&] {
      for (std::size_t i = 0; i < kAdds; ++i) bench.queue.add(waiting);
    });
  }
}

template <class T>
void rate_limited_add_to_done(benchmark::State& state) {
  const auto& all = keys<T>();
  for (auto _ : state) {
    Bench<T> bench;
    measure(state, kKeys, 1'257'000, [&] {
      std::jthread consumer([&] { bench.consume(); });
      for (const T& key : all) bench.queue.add_rate_limited(key);
    });
  }
}

template <std::size_t kChunk>
void parallelize(benchmark::State& state) {
  for (auto _ : state) {
    measure(state, kKeys, 1e9, [&] {
      kubexx::workqueue::parallelize_until(
          {}, 2, kKeys, [](std::size_t piece) { benchmark::DoNotOptimize(piece); }, kChunk);
    });
  }
  state.counters.erase("ratio");  // client-go's figures have none
}

const bool registered = [] {
  constexpr int kRuns = 5;
  row("work queue add all, then get + done", add_all_then_get_and_done<std::string>, kRuns);
  row("work queue add/get/forget/done, serial", serial_add_get_forget_done<std::string>, kRuns);
  row("work queue 1 producer, 2 consumers", one_producer_two_consumers<std::string>, kRuns);
  row("work queue add of a key already waiting", add_of_a_waiting_key<std::string>, kRuns);
  row("rate limited add (1 ms) to done", rate_limited_add_to_done<std::string>, kRuns);
  // The same with a key of two strings, as controllers have it.
  row("pairs: add all, then get + done", add_all_then_get_and_done<PairKey>, kRuns);
  row("pairs: add/get/forget/done, serial", serial_add_get_forget_done<PairKey>, kRuns);
  row("pairs: 1 producer, 2 consumers", one_producer_two_consumers<PairKey>, kRuns);
  row("pairs: add of a key already waiting", add_of_a_waiting_key<PairKey>, kRuns);
  row("pairs: rate limited add (1 ms) to done", rate_limited_add_to_done<PairKey>, kRuns);
  row("parallelize 1,000,000 pieces one by one", parallelize<1>, kRuns);
  row("parallelize 1,000,000 pieces by 100", parallelize<100>, kRuns);
  return true;
}();

}  // namespace
