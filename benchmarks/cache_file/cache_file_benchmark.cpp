// Restarts from a cache file. An informer of 100,000 pods ends, and so its file is there and in the page cache; another
// one starts, whose server never answers. Timed from its start until its cache can be read, verification included.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "corpus/pod_corpus.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/meta/json.hpp"

namespace {

using namespace kubexx;
using namespace kubexx::informer;

constexpr std::size_t kPods = 100'000;

/// Lists what it is given, once; watches never answer.
class Listed final : public reflector::ListerWatcher {
 public:
  explicit Listed(std::vector<meta::Object> objects) : objects_(std::move(objects)) {}
  std::unique_ptr<meta::Call> list(const meta::ListOptions&, const Strand& strand,
                                   std::shared_ptr<meta::StreamSink> sink) override {
    if (!objects_.empty()) {
      strand.post([objects = std::move(objects_), sink] {
        for (const auto& each : objects) sink->on_item(each);
        sink->on_end(meta::ListMeta{"v1", "PodList", "1000000", "", {}});
      });
    }
    return std::make_unique<meta::Call>();
  }
  std::unique_ptr<meta::Call> watch(const meta::ListOptions&, const Strand&,
                                    std::shared_ptr<meta::StreamSink>) override {
    return std::make_unique<meta::Call>();
  }
  bool supports_watch_list() const override { return false; }

 private:
  std::vector<meta::Object> objects_;
};

std::vector<meta::Object> decoded(bench::PodCorpus corpus) {
  corpus.pods = kPods;
  meta::JsonDecoder decoder({.projection = meta::Projection(), .default_api_version = "v1", .default_kind = "Pod"});
  std::vector<meta::Object> pods;
  pods.reserve(kPods);
  for (std::size_t i = 0; i < kPods; ++i) pods.push_back(decoder.decode(corpus.pod(i)).value());
  return pods;
}

/// One life of an informer.
class Life {
 public:
  Life(const std::string& directory, std::vector<meta::Object> objects) {
    InformerOptions options;
    options.resource = {"", "v1", "pods"};
    options.executor = std::make_shared<ThreadExecutor>();
    options.handlers = std::make_shared<ElasticExecutor>();
    options.cache_directory = directory;
    options.cluster.configured = "benchmark";
    informer_ = SharedIndexInformer::create(std::make_shared<Listed>(std::move(objects)), std::move(options));
    observer_ = informer_->observe([this] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
  }
  ~Life() {
    informer_->stop();
    informer_->join();
  }
  void start() { informer_->start(); }
  std::size_t wait_for(bool InformerStatus::* what) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return informer_->status().*what; });
    return informer_->store()->size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<SharedIndexInformer> informer_;
  std::shared_ptr<void> observer_;
};

void restart(benchmark::State& state, const bench::PodCorpus& corpus) {
  std::string directory = std::filesystem::temp_directory_path() / "kubexx-bench-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return state.SkipWithError("no directory");
  {
    Life first(directory, decoded(corpus));
    first.start();
    first.wait_for(&InformerStatus::synced);
  }
  for (auto _ : state) {
    state.PauseTiming();
    auto again = std::make_unique<Life>(directory, std::vector<meta::Object>());
    state.ResumeTiming();
    again->start();
    if (again->wait_for(&InformerStatus::restored) != kPods) state.SkipWithError("not all of them");
    state.PauseTiming();
    again.reset();
    state.ResumeTiming();
  }
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    state.counters["file_bytes"] = static_cast<double>(file.file_size());
  }
  std::filesystem::remove_all(directory);
}

BENCHMARK_CAPTURE(restart, 100000_pods_50_a_replica_set, bench::PodCorpus::large_sets(false))
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(5);
BENCHMARK_CAPTURE(restart, 100000_pods_4_a_replica_set, bench::PodCorpus::small_sets(false))
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(5);

}  // namespace
