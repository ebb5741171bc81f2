// The queue rows that client-go's figures are compared with.
#include <benchmark/benchmark.h>

#include <memory>
#include <thread>

#include "kubexx/delta/delta_fifo.hpp"
#include "kubexx/delta/ordered_queue.hpp"
#include "store/small_pods.hpp"

namespace {

using kubexx::Result;
using kubexx::meta::Object;
using namespace kubexx::bench;
using namespace kubexx::delta;

const std::vector<Object>& distinct() {
  static const std::vector<Object> all = make_pods(kPods, 1);
  return all;
}
const std::vector<Object>& updates() {
  static const std::vector<Object> all = make_pods(kPods, 1, 10'000);
  return all;
}

/// As a reflector does it: what it decoded moves into the queue.
void produce(Queue& queue, std::vector<Object>& objects) {
  for (Object& object : objects) static_cast<void>(queue.add(std::move(object)));
}

/// Takes until all of the objects came by.
void consume(Queue& queue, std::size_t expected, bool batches) {
  std::size_t seen = 0;
  const auto process = [&](Deltas& deltas, bool) -> Result<void> {
    seen += deltas.size();
    return {};
  };
  while (seen < expected) static_cast<void>(batches ? queue.pop_batch(process, process) : queue.pop(process));
}

template <class Q>
void one_after_the_other(benchmark::State& state, const std::vector<Object>& objects, double figure, bool batches) {
  for (auto _ : state) {
    auto queue = std::make_unique<Q>();
    std::vector<Object> mine = objects;
    measure(state, kPods, figure, [&] {
      produce(*queue, mine);
      consume(*queue, kPods, batches);
    });
  }
}

template <class Q>
void concurrently(benchmark::State& state, const std::vector<Object>& objects, double figure, bool batches) {
  for (auto _ : state) {
    auto queue = std::make_unique<Q>();
    std::vector<Object> mine = objects;
    measure(state, kPods, figure, [&] {
      const std::jthread producer([&] { produce(*queue, mine); });
      consume(*queue, kPods, batches);
    });
  }
}

const bool registered = [] {
  row("DeltaFIFO add then pop, distinct keys",
      [](benchmark::State& state) { one_after_the_other<DeltaFifo>(state, distinct(), 598'000, false); });
  row("DeltaFIFO add and pop concurrently, distinct",
      [](benchmark::State& state) { concurrently<DeltaFifo>(state, distinct(), 822'000, false); });
  row("DeltaFIFO 1e6 updates of 10,000 keys, then pop",
      [](benchmark::State& state) { one_after_the_other<DeltaFifo>(state, updates(), 3'506'000, false); });
  row("DeltaFIFO the same, concurrently",
      [](benchmark::State& state) { concurrently<DeltaFifo>(state, updates(), 1'239'000, false); });
  row("in-order queue, add then pop, distinct",
      [](benchmark::State& state) { one_after_the_other<OrderedQueue>(state, distinct(), 941'000, false); });
  row("in-order queue, add then pop in batches, distinct",
      [](benchmark::State& state) { one_after_the_other<OrderedQueue>(state, distinct(), 1'004'000, true); });
  row("in-order queue, updates of 10,000 keys, batches, concurrently",
      [](benchmark::State& state) { concurrently<OrderedQueue>(state, updates(), 2'464'000, true); });
  return true;
}();

}  // namespace
