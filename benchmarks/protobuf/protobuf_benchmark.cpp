// A list of 20,000 pods in chunks of 64 KB, managedFields dropped while decoding, everything retained: protobuf beside
// our own JSON path and the classes that protoc generates; and one field read through a generated accessor.

#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>
#include <malloc.h>

#include <memory>
#include <vector>

#include "corpus/pod_corpus.hpp"
#include "corpus/protobuf_list.hpp"
#include "kubexx/api/core/v1.hpp"
#include "kubexx/codec/protobuf.hpp"
#include "kubexx/codec/protobuf_stream.hpp"
#include "kubexx/meta/json_stream.hpp"
#include "pods.pb.h"

namespace kubexx::bench {
namespace {

struct Pods final : meta::StreamSink {
  void on_item(meta::Object pod) override { all.push_back(std::move(pod)); }
  void on_end(Result<meta::ListMeta>) override {}
  std::vector<meta::Object> all;
};

constexpr std::size_t kChunk = 64 << 10;
constexpr std::size_t kPods = 20'000;

const PodCorpus& corpus() {
  static const PodCorpus kCorpus = PodCorpus::large_sets(true);
  return kCorpus;
}

/// As when a cache fills for the first time: nobody gets memory that malloc kept of the run before.
void forget_memory() {
  malloc_trim(0);
}

template <class Reader>
void decode(benchmark::State& state, const std::string& body) {
  meta::DecodeOptions options;
  options.projection = meta::Projection::without_managed_fields();
  Pods pods;
  for (auto _ : state) {
    state.PauseTiming();
    pods.all.clear();
    pods.all.reserve(kPods);
    forget_memory();
    state.ResumeTiming();
    Reader reader(options, pods);
    for (std::size_t at = 0; at < body.size(); at += kChunk) {
      if (!reader.feed(std::string_view(body).substr(at, kChunk))) return state.SkipWithError("feed");
    }
    if (!reader.finish()) return state.SkipWithError("finish");
  }
  if (pods.all.size() != kPods) state.SkipWithError("pods are missing");
  state.counters["us_per_pod"] = benchmark::Counter(
      static_cast<double>(kPods) * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["wire_per_pod"] = static_cast<double>(body.size()) / kPods;
}

void protobuf_to_objects(benchmark::State& state) {
  static const std::string kBody = protobuf_list(corpus());
  decode<codec::ProtobufListReader>(state, kBody);
}
BENCHMARK(protobuf_to_objects)->Unit(benchmark::kMillisecond);

// What protoc generates, given the whole list at once: on the heap, and on an arena that is new for each list.
std::string_view raw_list() {
  static const std::string kBody = protobuf_list(corpus());
  return codec::open_envelope(kBody).value().raw;
}

void report(benchmark::State& state) {
  state.counters["us_per_pod"] = benchmark::Counter(
      static_cast<double>(kPods) * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void generated_classes_on_the_heap(benchmark::State& state) {
  const std::string_view bytes = raw_list();
  for (auto _ : state) {
    auto list = std::make_unique<pods::core_v1_PodList>();
    if (!list->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return state.SkipWithError("parse");
    state.PauseTiming();
    if (list->field_2_size() != static_cast<int>(kPods)) state.SkipWithError("pods are missing");
    list.reset();
    forget_memory();
    state.ResumeTiming();
  }
  report(state);
}
BENCHMARK(generated_classes_on_the_heap)->Unit(benchmark::kMillisecond);

void generated_classes_on_an_arena(benchmark::State& state) {
  const std::string_view bytes = raw_list();
  for (auto _ : state) {
    auto arena = std::make_unique<google::protobuf::Arena>();
    auto* list = google::protobuf::Arena::CreateMessage<pods::core_v1_PodList>(arena.get());
    if (!list->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return state.SkipWithError("parse");
    state.PauseTiming();
    if (list->field_2_size() != static_cast<int>(kPods)) state.SkipWithError("pods are missing");
    arena.reset();
    forget_memory();
    state.ResumeTiming();
  }
  report(state);
}
BENCHMARK(generated_classes_on_an_arena)->Unit(benchmark::kMillisecond);

void json_to_objects(benchmark::State& state) {
  static const std::string kBody = corpus().list();
  decode<meta::JsonListReader>(state, kBody);
}
BENCHMARK(json_to_objects)->Unit(benchmark::kMillisecond);

void field_access(benchmark::State& state) {
  const auto pod = api::core::v1::Pod::unchecked(meta::parse_json(corpus().pod(1)).value());
  for (auto _ : state) benchmark::DoNotOptimize(pod.spec().node_name());
}
BENCHMARK(field_access);

}  // namespace
}  // namespace kubexx::bench
