// Decoding a list of 20,000 pods that arrives in chunks of 64 KB, everything retained: kubexx beside RapidJSON and
// nlohmann-json. The counters say microseconds and bytes a pod; bytes are what malloc handed out (mallinfo2), and what
// the heap of our objects did.

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <unordered_map>

#include "corpus/pod_corpus.hpp"
#include "kubexx/base/large_pages.hpp"
#include "kubexx/meta/json_stream.hpp"
#include "meta/json/json_splitter.hpp"

namespace kubexx::bench {
namespace {

struct Pods final : meta::StreamSink {
  void on_item(meta::Object pod) override { all.push_back(std::move(pod)); }
  void on_end(Result<meta::ListMeta>) override {}
  std::vector<meta::Object> all;
};

constexpr std::size_t kChunk = 64 << 10;

enum Corpus : int { LargeSets, LargeSetsWithout, SmallSets, SmallSetsWithout, Unique };

PodCorpus corpus_of(int which) {
  if (which == Unique) return PodCorpus::unique_pods();
  const bool managed_fields = which == LargeSets || which == SmallSets;
  return which == LargeSets || which == LargeSetsWithout ? PodCorpus::large_sets(managed_fields)
                                                         : PodCorpus::small_sets(managed_fields);
}

/// The text of a corpus; one at a time is kept.
const std::string& body_of(int which) {
  static int made = -1;
  static std::string body;
  if (made != which) {
    body = {};
    body = corpus_of(which).list();
    made = which;
  }
  return body;
}

std::size_t allocated() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd + large_page_memory().used;
}

void count(benchmark::State& state, std::size_t pods, std::size_t bytes, std::size_t text) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text));
  state.counters["us_per_pod"] = benchmark::Counter(
      static_cast<double>(pods) * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["bytes_per_pod"] = static_cast<double>(bytes) / static_cast<double>(pods);
  state.counters["text_per_pod"] = static_cast<double>(text) / static_cast<double>(pods);
}

template <class Take>
void in_chunks(std::string_view body, Take take) {
  for (std::size_t at = 0; at < body.size(); at += kChunk) take(body.substr(at, kChunk));
}

void kubexx_list(benchmark::State& state) {
  const std::string& body = body_of(static_cast<int>(state.range(0)));
  Pods pods;
  std::size_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    pods.all.clear();
    malloc_trim(0);
    pods.all.reserve(PodCorpus{}.pods);
    const std::size_t before = allocated();
    state.ResumeTiming();
    {
      meta::DecodeOptions options;
      options.projection = meta::Projection::without_managed_fields();
      meta::JsonListReader reader(options, pods);
      in_chunks(body, [&](std::string_view chunk) { reader.feed(chunk).value(); });
      benchmark::DoNotOptimize(reader.finish().value());
    }
    state.PauseTiming();
    bytes = allocated() - before;
    state.ResumeTiming();
  }
  count(state, pods.all.size(), bytes, body.size());
}

/// The list once more, by an informer that has all of it: one of a hundred has changed meanwhile.
struct Cache final : meta::StreamSink {
  void on_item(meta::Object) override { ++items; }
  void on_end(Result<meta::ListMeta>) override {}
  bool has_known() const override { return true; }
  meta::Object find_known(const meta::ItemIdentity& identity) const override {
    const auto known = by_uid.find(identity.uid);
    return known == by_uid.end() ? meta::Object() : known->second;
  }
  std::unordered_map<std::string_view, meta::Object> by_uid;
  std::size_t items = 0;
};

void kubexx_relist(benchmark::State& state) {
  const std::string& body = body_of(static_cast<int>(state.range(0)));
  meta::DecodeOptions options;
  options.projection = meta::Projection::without_managed_fields();
  Pods pods;
  meta::JsonListReader first(options, pods);
  in_chunks(body, [&](std::string_view chunk) { first.feed(chunk).value(); });
  Cache cache;
  for (std::size_t i = 0; i < pods.all.size(); ++i) {
    if (i % 100 != 0) cache.by_uid.emplace(pods.all[i].uid(), pods.all[i]);
  }
  for (auto _ : state) {
    meta::JsonListReader reader(options, cache);
    in_chunks(body, [&](std::string_view chunk) { reader.feed(chunk).value(); });
  }
  count(state, pods.all.size(), 0, body.size());
}

/// A cluster that is never still: with each turn every pod has changed, those of every other ReplicaSet to a newer
/// version, the rest by a rollout to pods of a new one.
std::string pod_after(std::size_t turns, std::size_t place) {
  static const PodCorpus corpus = PodCorpus::large_sets(false);
  const std::size_t set = place / corpus.pods_per_replica_set;
  const std::size_t rollouts = (turns + set % 2) / 2;
  std::string pod = corpus.pod(place + rollouts * corpus.pods);
  constexpr std::string_view kVersion = R"("resourceVersion":")";
  const std::string version = std::to_string(100'000'000 + turns);
  return pod.replace(pod.find(kVersion) + kVersion.size(), version.size(), version);
}

void load_after(std::size_t turns, Pods& pods) {
  meta::JsonListReader reader({}, pods);
  std::string chunk = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)";
  for (std::size_t place = 0; place < PodCorpus{}.pods; ++place) {
    if (place != 0) chunk += ',';
    chunk += pod_after(turns, place);
    if (chunk.size() < kChunk) continue;
    reader.feed(chunk).value();
    chunk.clear();
  }
  reader.feed(chunk + "]}").value();
  reader.finish().value();
}

struct Place final : meta::StreamSink {
  explicit Place(Pods& in) : pods(in) {}
  void on_event(meta::WatchEvent event) override { pods.all[at] = std::move(event.object); }
  void on_end(Result<meta::ListMeta>) override {}
  Pods& pods;
  std::size_t at = 0;
};

/// One event after the other as a watch brings them, pods of all sets in turn.
void change_by_events(std::size_t turn, Pods& pods) {
  constexpr std::size_t kStep = 7919;  // has no divisor in common with the number of pods
  Place place(pods);
  meta::JsonWatchReader reader({}, place);
  for (std::size_t i = 0; i < pods.all.size(); ++i) {
    place.at = i * kStep % pods.all.size();
    const std::string pod = R"({"apiVersion":"v1","kind":"Pod",)" + pod_after(turn, place.at).substr(1);
    reader.feed(R"({"type":"MODIFIED","object":)" + pod + "}\n").value();
  }
  reader.finish().value();
}

/// What a million changes leave behind: bytes beside those of a fresh load of the same pods (at most 1.10 of it), and
/// once all are gone (next to nothing).
void churn(benchmark::State& state) {
  constexpr std::size_t kTurns = 50;
  Pods pods;
  pods.all.reserve(PodCorpus{}.pods);
  const std::size_t before = allocated();
  const auto more = [&] { return static_cast<double>(allocated()) - static_cast<double>(before); };
  double changed = 0;
  double gone = 0;
  double fresh = 0;
  for (auto _ : state) {
    load_after(0, pods);
    for (std::size_t turn = 1; turn <= kTurns; ++turn) change_by_events(turn, pods);
    changed = more();
    pods.all.clear();
    gone = more();
    load_after(kTurns, pods);
    fresh = more();
  }
  state.counters["replaced"] = static_cast<double>(kTurns * pods.all.size());
  state.counters["bytes_per_pod"] = changed / static_cast<double>(pods.all.size());
  state.counters["fresh_bytes_per_pod"] = fresh / static_cast<double>(pods.all.size());
  state.counters["of_a_fresh_load"] = changed / fresh;
  state.counters["gone_of_a_fresh_load"] = gone / fresh;
}

/// Splits the body into items with our splitter and hands over each as one piece of text.
template <class Item>
void split(std::string_view body, Item item) {
  meta::detail::JsonSplitter splitter;
  std::string carried;
  bool inside = false;
  bool in_list = false;
  in_chunks(body, [&](std::string_view chunk) {
    std::size_t at = 0;
    if (!in_list) at = chunk.find('[') + 1;
    in_list = true;
    while (at < chunk.size()) {
      if (!inside) {
        at = chunk.find('{', at);
        if (at == std::string_view::npos) return;
        splitter.start();
      }
      const std::string_view rest = chunk.substr(at);
      const std::size_t size = splitter.scan(rest);
      inside = size == std::string_view::npos;
      if (inside) {
        carried += rest;
        return;
      }
      if (carried.empty()) {
        item(rest.substr(0, size));
      } else {
        carried += rest.substr(0, size);
        item(std::string_view(carried));
        carried.clear();
      }
      at += size;
    }
  });
}

void rapidjson_list(benchmark::State& state) {
  const std::string& body = body_of(static_cast<int>(state.range(0)));
  const auto chunk = static_cast<std::size_t>(state.range(1));
  using Allocator = rapidjson::MemoryPoolAllocator<>;
  struct Pod {
    explicit Pod(std::size_t size) : allocator(size), document(&allocator) {}
    Allocator allocator;
    rapidjson::Document document;
  };
  std::vector<std::unique_ptr<Pod>> pods;
  std::size_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    pods.clear();
    malloc_trim(0);
    pods.reserve(PodCorpus{}.pods);
    const std::size_t before = allocated();
    state.ResumeTiming();
    split(body, [&](std::string_view text) {
      auto pod = std::make_unique<Pod>(chunk);
      pod->document.Parse(text.data(), text.size());
      if (pod->document.HasParseError()) state.SkipWithError("parse error");
      pods.push_back(std::move(pod));
    });
    state.PauseTiming();
    bytes = allocated() - before;
    state.ResumeTiming();
  }
  count(state, pods.size(), bytes, body.size());
}

void nlohmann_list(benchmark::State& state) {
  PodCorpus corpus = corpus_of(static_cast<int>(state.range(0)));
  corpus.pods = 2'000;
  const std::string body = corpus.list();
  std::vector<nlohmann::json> pods;
  std::size_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    pods.clear();
    malloc_trim(0);
    pods.reserve(corpus.pods);
    const std::size_t before = allocated();
    state.ResumeTiming();
    split(body, [&](std::string_view text) { pods.push_back(nlohmann::json::parse(text)); });
    state.PauseTiming();
    bytes = allocated() - before;
    state.ResumeTiming();
  }
  count(state, pods.size(), bytes, body.size());
}

void split_only(benchmark::State& state) {
  const std::string& body = body_of(static_cast<int>(state.range(0)));
  std::size_t pods = 0;
  for (auto _ : state) {
    pods = 0;
    split(body, [&](std::string_view text) {
      benchmark::DoNotOptimize(text);
      ++pods;
    });
  }
  count(state, pods, 0, body.size());
}

/// One pod again and again, not retained: the decoder without the first touch of fresh memory.
void kubexx_hot_decode(benchmark::State& state) {
  const std::string text = corpus_of(static_cast<int>(state.range(0))).pod(7);
  meta::DecodeOptions options;
  options.projection = meta::Projection::without_managed_fields();
  meta::JsonDecoder decoder(options);
  for (auto _ : state) benchmark::DoNotOptimize(decoder.decode(text).value());
  count(state, 1, 0, text.size());
}

void encode(benchmark::State& state) {
  const meta::Object pod = meta::object_from_json(corpus_of(LargeSetsWithout).pod(7));
  std::string out;
  for (auto _ : state) {
    out.clear();
    meta::append_json(out, pod.root());
    benchmark::DoNotOptimize(out.data());
  }
  count(state, 1, 0, out.size());
}

std::vector<meta::Object> read_all() {
  Pods pods;
  meta::JsonListReader reader({}, pods);
  in_chunks(body_of(LargeSetsWithout), [&](std::string_view chunk) { reader.feed(chunk).value(); });
  return std::move(pods.all);
}

/// All 20,000 pods in turn, far more than the caches hold: in the order of the list, as a lister goes through them, or
/// in a random one. An object is not in any cache when its turn comes.
template <class Read>
void cold_read(benchmark::State& state, Read read) {
  const auto pods = read_all();
  std::vector<std::uint32_t> order(pods.size());
  std::iota(order.begin(), order.end(), 0U);
  if (state.range(0) != 0) std::shuffle(order.begin(), order.end(), std::mt19937(7));
  std::size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(read(pods[order[at]]));
    if (++at == order.size()) at = 0;
  }
}

template <class Read>
void hot_read(benchmark::State& state, Read read) {
  const meta::Object pod = meta::object_from_json(corpus_of(LargeSetsWithout).pod(7));
  for (auto _ : state) benchmark::DoNotOptimize(read(pod));
}

constexpr auto kNodeName = [](const meta::Object& pod) { return pod["spec"]["nodeName"].string(); };
constexpr auto kName = [](const meta::Object& pod) { return pod.name(); };
constexpr auto kLabel = [](const meta::Object& pod) { return pod.labels()["helm.sh/chart"].string(); };

BENCHMARK(kubexx_list)->ArgName("corpus")->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(kubexx_list)->Name("kubexx_list/unique")->ArgName("corpus")->Arg(Unique)->Unit(benchmark::kMillisecond);
BENCHMARK(churn)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(kubexx_relist)->ArgName("corpus")->DenseRange(0, 1)->Unit(benchmark::kMillisecond);
BENCHMARK(rapidjson_list)
    ->ArgNames({"corpus", "chunk"})
    ->ArgsProduct({{LargeSets, LargeSetsWithout}, {2 << 10, 4 << 10, 16 << 10, 64 << 10}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(nlohmann_list)->ArgName("corpus")->DenseRange(0, 1)->Unit(benchmark::kMillisecond);
BENCHMARK(split_only)->ArgName("corpus")->DenseRange(0, 1)->Unit(benchmark::kMillisecond);
BENCHMARK(kubexx_hot_decode)->ArgName("corpus")->DenseRange(0, 1);
BENCHMARK(encode);
BENCHMARK_CAPTURE(hot_read, name, kName);
BENCHMARK_CAPTURE(hot_read, node_name, kNodeName);
BENCHMARK_CAPTURE(hot_read, label, kLabel);
BENCHMARK_CAPTURE(cold_read, name, kName)->ArgName("random")->DenseRange(0, 1);
BENCHMARK_CAPTURE(cold_read, node_name, kNodeName)->ArgName("random")->DenseRange(0, 1);
BENCHMARK_CAPTURE(cold_read, label, kLabel)->ArgName("random")->DenseRange(0, 1);

}  // namespace
}  // namespace kubexx::bench
