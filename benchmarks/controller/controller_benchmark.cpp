// A controller with 2 workers whose reconcile does nothing: keys per second from the enqueue to the last done().
#include <benchmark/benchmark.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "kubexx/controller/controller_core.hpp"
#include "kubexx/informer/sync.hpp"

namespace {

using namespace kubexx;

constexpr int kKeys = 200'000;

/// A resource of which there is nothing.
class Nothing final : public reflector::ListerWatcher {
 public:
  std::unique_ptr<meta::Call> list(const meta::ListOptions&, const Strand& strand,
                                   std::shared_ptr<meta::StreamSink> sink) override {
    strand.post([sink] { sink->on_end(meta::ListMeta{"v1", "ConfigMapList", "1", "", {}}); });
    return std::make_unique<meta::Call>();
  }
  std::unique_ptr<meta::Call> watch(const meta::ListOptions&, const Strand&,
                                    std::shared_ptr<meta::StreamSink>) override {
    return std::make_unique<meta::Call>();
  }
  bool supports_watch_list() const override { return false; }
  bool supports_watch() const override { return false; }
};

void reconcile_nothing(benchmark::State& state) {
  controller::ControllerOptions options;
  options.workers = static_cast<std::size_t>(state.range(0));
  options.executor = std::make_shared<ThreadExecutor>();
  options.handlers = std::make_shared<ElasticExecutor>();
  if (state.range(1) != 0) options.reconcile_timeout = std::chrono::minutes(1);
  informer::InformerOptions source;
  source.description = "configmaps";
  source.executor = options.executor;
  source.handlers = options.handlers;
  const auto informer = informer::SharedIndexInformer::create(std::make_shared<Nothing>(), source);
  informer->start();
  if (const auto synced = informer::wait_for_cache_sync({}, {informer}); !synced) {
    return state.SkipWithError(synced.as_error()->message().c_str());
  }
  std::vector<meta::ObjectKey> keys;
  for (int i = 0; i < kKeys; ++i) {
    keys.push_back({"namespace-" + std::to_string(i % 50), "object-with-a-usual-name-" + std::to_string(i)});
  }
  {
    controller::ControllerCore controller({{"", "ConfigMap"}}, informer, {}, options);
    std::atomic<std::uint64_t> done{0};
    controller.start({}, [&](const meta::ObjectKey&, std::stop_token) -> Result<controller::Action> {
      if (done.fetch_add(1) + 1 == kKeys) done.notify_all();
      return controller::Action::done();
    });
    for (auto _ : state) {
      done = 0;
      for (const auto& key : keys) controller.enqueue(key);
      for (auto seen = done.load(); seen < kKeys; seen = done.load()) done.wait(seen);
    }
  }
  state.SetItemsProcessed(state.iterations() * kKeys);
  informer->stop();
  informer->join();
}
BENCHMARK(reconcile_nothing)
    ->ArgNames({"workers", "timeout"})
    ->Args({1, 0})
    ->Args({2, 0})
    ->Args({2, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
