// The store rows that client-go's figures are compared with.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <thread>

#include "kubexx/base/large_pages.hpp"
#include "kubexx/store/store.hpp"
#include "store/small_pods.hpp"

namespace {

using kubexx::meta::Object;
using namespace kubexx::bench;
namespace store = kubexx::store;

const std::vector<Object>& pods() {
  static const std::vector<Object> all = make_pods(kPods, 1);
  return all;
}
const std::vector<Object>& newer_pods() {
  static const std::vector<Object> all = make_pods(kPods, 2);
  return all;
}

std::unique_ptr<store::Indexer> empty_store() {
  return std::make_unique<store::Indexer>(
      store::Indexers{{"namespace", store::meta_namespace_index}, {"app", store::label_index("app")}});
}
std::unique_ptr<store::Indexer> full_store() {
  auto indexer = empty_store();
  for (const Object& pod : pods()) static_cast<void>(indexer->add(pod));
  return indexer;
}
store::Indexer& shared_store() {
  static const std::unique_ptr<store::Indexer> indexer = full_store();
  return *indexer;
}

void add(benchmark::State& state) {
  pods();
  for (auto _ : state) {
    auto indexer = empty_store();
    measure(state, kPods, 473'000, [&] {
      for (const Object& pod : pods()) static_cast<void>(indexer->add(pod));
    });
  }
}

void update(benchmark::State& state) {
  newer_pods();
  for (auto _ : state) {
    auto indexer = full_store();
    measure(state, kPods, 876'000, [&] {
      for (const Object& pod : newer_pods()) static_cast<void>(indexer->update(pod));
    });
  }
}

const std::vector<std::string>& random_keys() {
  static const std::vector<std::string> all = [] {
    std::mt19937 random(7);
    std::vector<std::string> keys;
    keys.reserve(kPods);
    for (std::size_t i = 0; i < kPods; ++i) keys.push_back(key_of(random() % kPods));
    return keys;
  }();
  return all;
}

void read_keys(const store::Indexer& indexer, std::size_t from, std::size_t count) {
  const auto& keys = random_keys();
  for (std::size_t i = 0; i < count; ++i) benchmark::DoNotOptimize(indexer.find(keys[(from + i) % kPods]));
}

void get_alone(benchmark::State& state) {
  shared_store();
  random_keys();
  for (auto _ : state) {
    measure(state, kPods, 3'123'000, [&] { read_keys(shared_store(), 0, kPods); });
  }
}

/// Beside client-go's one by one: it has no other way.
void get_many(benchmark::State& state) {
  constexpr std::size_t kTogether = 256;
  shared_store();
  const std::span<const std::string> keys(random_keys());
  for (auto _ : state) {
    measure(state, kPods, 3'123'000, [&] {
      for (std::size_t from = 0; from < keys.size(); from += kTogether) {
        benchmark::DoNotOptimize(shared_store().find_many(keys.subspan(from, std::min(kTogether, keys.size() - from))));
      }
    });
  }
}

void get_by_two(benchmark::State& state) {
  shared_store();
  random_keys();
  for (auto _ : state) {
    measure(state, 2 * kPods, 5'554'000, [&] {
      const std::jthread other([&] { read_keys(shared_store(), kPods / 2, kPods); });
      read_keys(shared_store(), 0, kPods);
    });
  }
}

/// Reads count; the writes made meanwhile are reported beside them (client-go: 134,000 a second).
void get_by_two_beside_a_writer(benchmark::State& state) {
  random_keys();
  newer_pods();
  for (auto _ : state) {
    auto indexer = full_store();
    std::atomic<bool> done{false};
    std::atomic<std::size_t> writes{0};
    double seconds = 0;
    measure(state, 2 * kPods, 1'176'000, [&] {
      const auto start = std::chrono::steady_clock::now();
      const std::jthread writer([&] {
        std::size_t i = 0;
        for (; !done; ++i) static_cast<void>(indexer->update(newer_pods()[i % kPods]));
        writes = i;
      });
      {
        const std::jthread other([&] { read_keys(*indexer, kPods / 2, kPods); });
        read_keys(*indexer, 0, kPods);
      }
      done = true;
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    });
    const double rate = static_cast<double>(writes) / seconds;
    state.counters["writes_per_second"] = rate;
    state.counters["writes_ratio"] = rate / 134'000;
  }
}

void by_app(benchmark::State& state) {
  constexpr std::size_t kQueries = 200'000;
  std::mt19937 random(5);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < kQueries; ++i) values.push_back(app_of(random() % kPods));
  shared_store();
  for (auto _ : state) {
    measure(state, kQueries, 154'000, [&] {
      for (const std::string& value : values) benchmark::DoNotOptimize(shared_store().by_index("app", value));
    });
  }
}

void by_namespace(benchmark::State& state) {
  constexpr std::size_t kQueries = 5'000;
  std::mt19937 random(5);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < kQueries; ++i) values.push_back(namespace_of(random() % kPods));
  shared_store();
  for (auto _ : state) {
    measure(state, kQueries, 3'683, [&] {
      for (const std::string& value : values) benchmark::DoNotOptimize(shared_store().by_index("namespace", value));
    });
  }
}

void list(benchmark::State& state) {
  shared_store();
  for (auto _ : state) {
    std::vector<Object> all;
    measure(state, 1, 48, [&] { all = shared_store().list(); });
  }
}

void iterate(benchmark::State& state) {
  shared_store();
  for (auto _ : state) {
    measure(state, 1, 48, [&] {
      std::size_t count = 0;
      shared_store().snapshot().for_each([&](const Object& object) { count += object ? 1 : 0; });
      benchmark::DoNotOptimize(count);
    });
  }
}

void iterate_and_read(benchmark::State& state) {
  shared_store();
  for (auto _ : state) {
    measure(state, 1, 48, [&] {
      std::size_t count = 0;
      shared_store().snapshot().for_each([&](const Object& object) { count += object.name().size(); });
      benchmark::DoNotOptimize(count);
    });
  }
}

void snapshot(benchmark::State& state) {
  constexpr std::size_t kSnapshots = 1'000'000;
  shared_store();
  for (auto _ : state) {
    measure(state, kSnapshots, 1e9, [&] {
      for (std::size_t i = 0; i < kSnapshots; ++i) benchmark::DoNotOptimize(shared_store().snapshot());
    });
  }
  state.counters.erase("ratio");  // client-go has none
}

void replace(benchmark::State& state) {
  newer_pods();
  for (auto _ : state) {
    auto indexer = full_store();
    std::vector<Object> next = newer_pods();
    measure(state, kPods, 296'000, [&] { static_cast<void>(indexer->replace(std::move(next), "9")); });
  }
}

void overhead(benchmark::State& state) {
  pods();
  for (auto _ : state) {
    malloc_trim(0);
    const auto allocated = [] { return mallinfo2().uordblks + mallinfo2().hblkhd + kubexx::large_page_memory().used; };
    const std::size_t before = allocated();
    auto indexer = full_store();
    const std::size_t bytes = allocated() - before;
    state.SetIterationTime(1e-3);
    state.counters["bytes_each"] = static_cast<double>(bytes) / kPods;
    state.counters["ratio"] = 192.0 * kPods / static_cast<double>(bytes);
  }
}

const bool registered = [] {
  row("store add (namespace + 1 label index)", add);
  row("store update, same index values", update);
  row("store get, random, 1 reader", get_alone);
  row("store get, random, 1 reader, 256 keys at once", get_many);
  row("store get, random, 2 readers", get_by_two);
  row("store get with 2 readers and 1 writer", get_by_two_beside_a_writer);
  row("by_index, 10 results", by_app);
  row("by_index, 1,000 results", by_namespace);
  row("list of 1,000,000", list);
  row("snapshot of 1,000,000, iterated", iterate);
  row("snapshot of 1,000,000, iterated, names read", iterate_and_read);
  row("snapshot taken and dropped", snapshot);
  row("replace of 1,000,000", replace);
  row("store overhead, 2 indexes", overhead);
  return true;
}();

}  // namespace
