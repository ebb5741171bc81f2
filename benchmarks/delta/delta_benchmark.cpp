// The queue rows that client-go's figures are compared with, and the same with plain queues, as an informer uses them.
#include <benchmark/benchmark.h>

#include <memory>
#include <thread>

#include "kubexx/delta/synchronized_queue.hpp"
#include "store/small_pods.hpp"

namespace {

using kubexx::Result;
using kubexx::meta::KeyedObject;
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

constexpr OrderedQueue::Options kSingly{.batch_size = 1};

/// Takes until all of the objects came by.
template <class Pop>
void consume(std::size_t expected, Pop pop) {
  std::size_t seen = 0;
  const Process process = [&](Deltas& deltas, bool) -> Result<void> {
    seen += deltas.size();
    return {};
  };
  while (seen < expected) pop(process);
}

/// From any thread: the queue makes the keys. As a reflector does it: what it decoded moves into the queue.
void produce(SynchronizedQueue& queue, std::vector<Object>& objects) {
  for (Object& object : objects) static_cast<void>(queue.add(std::move(object)));
}
void consume(SynchronizedQueue& queue) {
  consume(kPods, [&](const Process& process) { static_cast<void>(queue.pop(process)); });
}

template <class Plain>
void one_after_the_other(benchmark::State& state, const std::vector<Object>& objects, double figure,
                         typename Plain::Options options = {}) {
  for (auto _ : state) {
    SynchronizedQueue queue(Plain{std::move(options)});
    std::vector<Object> mine = objects;
    measure(state, kPods, figure, [&] {
      produce(queue, mine);
      consume(queue);
    });
  }
}

template <class Plain>
void concurrently(benchmark::State& state, const std::vector<Object>& objects, double figure) {
  for (auto _ : state) {
    SynchronizedQueue queue(Plain{});
    std::vector<Object> mine = objects;
    measure(state, kPods, figure, [&] {
      const std::jthread producer([&] { produce(queue, mine); });
      consume(queue);
    });
  }
}

/// On one strand: an object came with its key. So many are added before all of them are taken.
template <class Plain>
void on_one_strand(benchmark::State& state, const std::vector<Object>& objects, double figure, std::size_t at_a_time,
                   typename Plain::Options options = {}) {
  for (auto _ : state) {
    Plain queue(std::move(options));
    std::vector<KeyedObject> mine = Intake().take(objects).value();
    measure(state, kPods, figure, [&] {
      for (auto next = mine.begin(); next != mine.end();) {
        for (const auto end = next + static_cast<std::ptrdiff_t>(at_a_time); next != end; ++next) {
          queue.add(std::move(next->key), std::move(next->object));
        }
        consume(at_a_time, [&](const Process& process) { static_cast<void>(queue.try_pop(process)); });
      }
    });
  }
}

const bool registered = [] {
  row("DeltaFIFO add then pop, distinct keys",
      [](benchmark::State& state) { one_after_the_other<DeltaFifo>(state, distinct(), 598'000); });
  row("DeltaFIFO add then pop, distinct keys, one strand",
      [](benchmark::State& state) { on_one_strand<DeltaFifo>(state, distinct(), 598'000, kPods); });
  row("DeltaFIFO add and pop concurrently, distinct",
      [](benchmark::State& state) { concurrently<DeltaFifo>(state, distinct(), 822'000); });
  row("DeltaFIFO 1e6 updates of 10,000 keys, then pop",
      [](benchmark::State& state) { one_after_the_other<DeltaFifo>(state, updates(), 3'506'000); });
  row("DeltaFIFO 1e6 updates of 10,000 keys, then pop, one strand",
      [](benchmark::State& state) { on_one_strand<DeltaFifo>(state, updates(), 3'506'000, kPods); });
  row("DeltaFIFO the same, concurrently",
      [](benchmark::State& state) { concurrently<DeltaFifo>(state, updates(), 1'239'000); });
  row("DeltaFIFO add then pop, 100 at a time, one strand",
      [](benchmark::State& state) { on_one_strand<DeltaFifo>(state, distinct(), 598'000, 100); });
  row("in-order queue, add then pop, distinct",
      [](benchmark::State& state) { one_after_the_other<OrderedQueue>(state, distinct(), 941'000, kSingly); });
  row("in-order queue, add then pop, distinct, one strand",
      [](benchmark::State& state) { on_one_strand<OrderedQueue>(state, distinct(), 941'000, kPods, kSingly); });
  row("in-order queue, add then pop in batches, distinct",
      [](benchmark::State& state) { one_after_the_other<OrderedQueue>(state, distinct(), 1'004'000); });
  row("in-order queue, add then pop in batches, distinct, one strand",
      [](benchmark::State& state) { on_one_strand<OrderedQueue>(state, distinct(), 1'004'000, kPods); });
  row("in-order queue, add then pop in batches, 100 at a time, one strand",
      [](benchmark::State& state) { on_one_strand<OrderedQueue>(state, distinct(), 1'004'000, 100); });
  row("in-order queue, updates of 10,000 keys, batches, concurrently",
      [](benchmark::State& state) { concurrently<OrderedQueue>(state, updates(), 2'464'000); });
  return true;
}();

}  // namespace
