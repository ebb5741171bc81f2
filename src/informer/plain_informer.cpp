#include "informer/apply_deltas.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/delta/ordered_queue.hpp"
#include "kubexx/informer/controller.hpp"

namespace kubexx::informer {
namespace {

/// Calls one handler at once, on the strand that applies the changes.
class Direct final : public Announcer {
 public:
  explicit Direct(std::shared_ptr<ResourceEventHandler> handler) : handler_(std::move(handler)) {}
  void announce(Notification n) override {
    const EventContext context(n.cause, {}, n.before ? &n.before : nullptr, n.after ? &n.after : nullptr);
    call_isolated("handler of an informer", [&] { call_handler(*handler_, n, context); });
  }

 private:
  std::shared_ptr<ResourceEventHandler> handler_;
};

}  // namespace

PlainInformer new_informer(std::shared_ptr<reflector::ListerWatcher> source,
                           std::shared_ptr<ResourceEventHandler> handler, Strand strand, NewInformerOptions options) {
  auto store = std::make_shared<store::Indexer>(options.indexers);
  auto direct = std::make_shared<Direct>(std::move(handler));
  delta::OrderedQueue::Options queue;
  queue.transform = std::move(options.transform);
  queue.emit_bookmarks = true;
  Config config;
  config.queue = std::make_shared<delta::OrderedQueue>(std::move(queue));
  config.lister_watcher = std::move(source);
  config.reflector = std::move(options.reflector);
  config.reflector.resync_period = options.resync_period;
  config.process = [store, direct](delta::Deltas& deltas, bool initial) {
    return apply_deltas(deltas, initial, *store, *direct);
  };
  config.process_batch = [store, direct](delta::Deltas& deltas, bool initial) {
    return apply_batch(deltas, initial, *store, *direct);
  };
  return {std::move(store), Controller::create(std::move(config), std::move(strand))};
}

}  // namespace kubexx::informer
