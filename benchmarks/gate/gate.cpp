// Small fixed work whose instructions ./dev gate counts under callgrind: each gate_* function is one figure. Prints the
// compiler it was built with, and for each figure its unit and what its work is divided by, or the bytes themselves.
#include <malloc.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "corpus/pod_corpus.hpp"
#include "corpus/protobuf_list.hpp"
#include "kubexx/base/large_pages.hpp"
#include "kubexx/codec/protobuf_stream.hpp"
#include "kubexx/delta/intake.hpp"
#include "kubexx/delta/ordered_queue.hpp"
#include "kubexx/informer/process_deltas.hpp"
#include "kubexx/meta/json_stream.hpp"

namespace {

using namespace kubexx;
using meta::KeyedObject;
using meta::Object;

constexpr std::size_t kPods = 500;
constexpr std::size_t kUpdates = 20;  // of every pod
constexpr std::size_t kReads = 100;   // of every pod
constexpr std::size_t kChunk = 64 << 10;

const bench::PodCorpus kCorpus{.pods = kPods, .pods_per_replica_set = 50, .shuffled = false, .managed_fields = true};

struct Pods final : meta::StreamSink {
  void on_item(Object pod) override { all.push_back(std::move(pod)); }
  void on_end(Result<meta::ListMeta>) override {}
  std::vector<Object> all;
};

template <class Reader>
std::vector<Object> decode(const std::string& body) {
  meta::DecodeOptions options;
  options.projection = meta::Projection::without_managed_fields();
  Pods pods;
  Reader reader(options, pods);
  for (std::size_t at = 0; at < body.size(); at += kChunk) {
    reader.feed(std::string_view(body).substr(at, kChunk)).value();
  }
  reader.finish().value();
  return std::move(pods.all);
}

struct Counting final : informer::Announcer {
  void announce(informer::Notification) override { ++heard; }
  std::size_t heard = 0;
};

/// The stages of an informer behind its reflector.
struct Pipeline {
  void drain() {
    while (queue
               .try_pop([&](delta::Deltas& deltas, bool initial) {
                 return informer::process_deltas(deltas, initial, store, counting);
               })
               .value()) {
    }
  }
  delta::OrderedQueue queue{{.emit_bookmarks = true}};
  store::Indexer store{store::namespace_indexers()};
  Counting counting;
};

std::size_t allocated() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd + large_page_memory().used;
}

void fill(Pipeline& pipeline, const std::vector<Object>& pods) {
  pipeline.queue.replace(delta::Intake().take(pods).value(), "1");
  pipeline.drain();
}

/// What stays on the heap for a cached pod: its document, and its part of the store.
double cached_bytes(const std::string& json) {
  const auto before = allocated();
  Pipeline pipeline;
  fill(pipeline, decode<meta::JsonListReader>(json));
  return static_cast<double>(allocated() - before) / kPods;
}

/// What a document has for itself.
double document_bytes(const std::vector<Object>& pods) {
  std::size_t sum = 0;
  for (const Object& pod : pods) sum += pod.byte_size();
  return static_cast<double>(sum) / static_cast<double>(pods.size());
}

/// Which parts of pods are worth sharing is learned from the first two thousand.
void learn(const std::string& json, const std::string& protobuf) {
  for (int turn = 0; turn < 4; ++turn) {
    decode<meta::JsonListReader>(json);
    decode<codec::ProtobufListReader>(protobuf);
  }
}

}  // namespace

// Names that callgrind finds; what they do is not to be mixed with what is around them.
#define KUBEXX_COUNTED extern "C" __attribute__((noinline, visibility("default"))) void

KUBEXX_COUNTED gate_decode_json(const std::string& body, std::vector<Object>& pods) {
  pods = decode<meta::JsonListReader>(body);
}
KUBEXX_COUNTED gate_decode_protobuf(const std::string& body, std::vector<Object>& pods) {
  pods = decode<codec::ProtobufListReader>(body);
}
/// A list, then updates of every pod by turns, then one delete and one add of each.
KUBEXX_COUNTED gate_apply_events(Pipeline& pipeline, const std::vector<Object>& one, const std::vector<Object>& other) {
  const delta::Intake intake;
  fill(pipeline, one);
  for (std::size_t turn = 0; turn < kUpdates; ++turn) {
    for (const Object& pod : turn % 2 == 0 ? other : one) {
      KeyedObject named = intake.take(pod).value();
      pipeline.queue.update(std::move(named.key), std::move(named.object));
    }
    pipeline.drain();
  }
  for (const bool gone : {true, false}) {
    for (const Object& pod : one) {
      KeyedObject named = intake.take(pod).value();
      gone ? pipeline.queue.remove(std::move(named.key), std::move(named.object))
           : pipeline.queue.add(std::move(named.key), std::move(named.object));
    }
    pipeline.drain();
  }
}
KUBEXX_COUNTED gate_get(const Pipeline& pipeline, const std::vector<std::string>& keys, std::size_t& found) {
  for (std::size_t turn = 0; turn < kReads; ++turn) {
    for (const std::string& key : keys) found += pipeline.store.find(key) ? 1 : 0;
  }
}

int main() {
  const std::string json = kCorpus.list();
  const std::string protobuf = bench::protobuf_list(kCorpus);
  learn(json, protobuf);
  const double cached = cached_bytes(json);
  std::vector<Object> from_json;
  std::vector<Object> from_protobuf;
  gate_decode_json(json, from_json);
  gate_decode_protobuf(protobuf, from_protobuf);
  if (from_json.size() != kPods || from_protobuf.size() != kPods) return std::fputs("pods are missing\n", stderr), 1;
  Pipeline pipeline;
  gate_apply_events(pipeline, from_json, from_protobuf);
  const std::size_t events = kPods * (1 + kUpdates + 2);
  if (pipeline.counting.heard != events) return std::fputs("events are missing\n", stderr), 1;
  std::size_t found = 0;
  gate_get(pipeline, pipeline.store.list_keys(), found);
  if (found != kPods * kReads) return std::fputs("keys are missing\n", stderr), 1;

#ifdef __clang__
  std::printf("compiler\tclang++ %d\n", __clang_major__);
#else
  std::printf("compiler\tg++ %d\n", __GNUC__);
#endif
  std::printf("instructions\tgate_decode_json\tdecode a pod from JSON\t%zu\n", kPods);
  std::printf("instructions\tgate_decode_protobuf\tdecode a pod from protobuf\t%zu\n", kPods);
  std::printf("instructions\tgate_apply_events\tapply an event\t%zu\n", events);
  std::printf("instructions\tgate_get\tget by key\t%zu\n", found);
  std::printf("bytes\ta pod decoded from JSON\t%.1f\n", document_bytes(from_json));
  std::printf("bytes\ta pod decoded from protobuf\t%.1f\n", document_bytes(from_protobuf));
  std::printf("bytes\ta cached pod with its part of the store\t%.1f\n", cached);
  return 0;
}
