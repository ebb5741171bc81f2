// The pipeline rows that client-go's figures are compared with: watch events go into a running informer, through its
// reflector, queue and store (with the namespace index), to handlers that count. Timed from the first event to the last
// call of the last handler.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <span>

#include "kubexx/informer/shared_informer.hpp"
#include "store/small_pods.hpp"

namespace {

using kubexx::ElasticExecutor;
using kubexx::Strand;
using kubexx::ThreadExecutor;
using kubexx::meta::Call;
using kubexx::meta::ListMeta;
using kubexx::meta::ListOptions;
using kubexx::meta::Object;
using kubexx::meta::StreamSink;
using kubexx::meta::WatchEventType;
using namespace kubexx::bench;
using namespace kubexx::informer;
using namespace kubexx::reflector;

constexpr std::size_t kChunk = 256;  // events that arrive together, as in one read of a busy watch

/// A list that is ready, and a watch whose events come when feed() says so.
class Feed final : public ListerWatcher {
 public:
  explicit Feed(std::vector<Object> listed) : listed_(std::move(listed)) {}

  std::unique_ptr<Call> list(const ListOptions&, const Strand& strand, std::shared_ptr<StreamSink> sink) override {
    strand.post([this, sink = std::move(sink)] {
      for (Object& object : listed_) sink->on_item(std::move(object));
      listed_.clear();
      sink->on_end(ListMeta{"v1", "PodList", "1", "", {}});
    });
    return std::make_unique<Call>();
  }
  std::unique_ptr<Call> watch(const ListOptions&, const Strand& strand, std::shared_ptr<StreamSink> sink) override {
    strand.post([this, strand, sink] {
      sink->on_open();
      open_.set_value({strand, sink});
    });
    return std::make_unique<Call>();
  }
  bool supports_watch_list() const override { return false; }

  void wait_until_open() { stream_ = open_.get_future().get(); }
  void feed(WatchEventType type, std::span<const Object> objects) {
    if (objects.empty()) return;
    stream_->strand.post([this, type, objects] {
      const auto chunk = objects.first(std::min(kChunk, objects.size()));
      for (const Object& object : chunk) stream_->sink->on_event({type, object});
      feed(type, objects.subspan(chunk.size()));
    });
  }

 private:
  struct Stream {
    Strand strand;
    std::shared_ptr<StreamSink> sink;
  };
  std::vector<Object> listed_;
  std::promise<Stream> open_;
  std::optional<Stream> stream_;
};

/// Counts calls and says when the last one came.
class Counting final : public ResourceEventHandler {
 public:
  Counting(std::size_t expected, std::latch& done) : left_(expected), done_(done) {}
  void on_add(const Object&, bool is_in_initial_list, const EventContext&) override {
    if (!is_in_initial_list) count();
  }
  void on_update(const Object&, const Object&, const EventContext&) override { count(); }
  void on_delete(const Deleted<Object>&, const EventContext&) override { count(); }

 private:
  void count() {
    if (--left_ == 0) done_.count_down();
  }
  std::size_t left_;
  std::latch& done_;
};

void pipeline(benchmark::State& state, const std::vector<Object>& events, std::size_t keys, std::size_t handlers,
              double figure) {
  for (auto _ : state) {
    const bool updates = keys != 0;
    std::latch done(static_cast<std::ptrdiff_t>(handlers));
    const auto feed = std::make_shared<Feed>(updates ? make_pods(keys, 0) : std::vector<Object>());
    InformerOptions options;
    options.description = "pods";
    options.executor = std::make_shared<ThreadExecutor>();
    options.handlers = std::make_shared<ElasticExecutor>();
    const auto informer = SharedIndexInformer::create(feed, std::move(options));
    std::vector<Registration> registrations;
    for (std::size_t i = 0; i < handlers; ++i) {
      registrations.push_back(informer->add_event_handler(std::make_shared<Counting>(events.size(), done)));
    }
    informer->start();
    feed->wait_until_open();
    for (const auto& each : registrations) each.wait_until_synced();

    measure(state, static_cast<double>(events.size()), figure, [&] {
      feed->feed(updates ? WatchEventType::Modified : WatchEventType::Added, events);
      done.wait();
    });
    registrations.clear();
    informer->stop();
    informer->join();
  }
}

const std::vector<Object>& distinct() {
  static const std::vector<Object> all = make_pods(kPods, 1);
  return all;
}
const std::vector<Object>& of_ten_thousand() {
  static const std::vector<Object> all = make_pods(kPods, 1, 10'000);
  return all;
}

const bool registered = [] {
  row("pipeline, updates of 10,000 keys, 1 handler",
      [](benchmark::State& state) { pipeline(state, of_ten_thousand(), 10'000, 1, 487'000); });
  row("pipeline, updates of 10,000 keys, 10 handlers",
      [](benchmark::State& state) { pipeline(state, of_ten_thousand(), 10'000, 10, 167'000); });
  row("pipeline, updates of 1,000,000 keys, 1 handler",
      [](benchmark::State& state) { pipeline(state, distinct(), kPods, 1, 487'000); });
  row("pipeline, adds, 1 handler", [](benchmark::State& state) { pipeline(state, distinct(), 0, 1, 367'000); });
  row("pipeline, adds, 10 handlers", [](benchmark::State& state) { pipeline(state, distinct(), 0, 10, 145'000); });
  return true;
}();

}  // namespace
