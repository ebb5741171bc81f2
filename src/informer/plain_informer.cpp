#include "informer/make_queue.hpp"
#include "kubexx/informer/controller.hpp"
#include "kubexx/informer/process_deltas.hpp"

namespace kubexx::informer {

PlainInformer new_informer(std::shared_ptr<reflector::ListerWatcher> source,
                           std::shared_ptr<ResourceEventHandler> handler, Strand strand, NewInformerOptions options) {
  auto store = std::make_shared<store::Indexer>(options.indexers);
  Config config;
  config.queue = make_queue(options.queue, store);
  config.transform = std::move(options.transform);
  config.lister_watcher = std::move(source);
  config.reflector = std::move(options.reflector);
  config.reflector.resync_period = options.resync_period;
  config.process = [store, handler = std::move(handler)](delta::Deltas& deltas, bool initial) {
    return process_deltas(deltas, initial, *store, *handler);
  };
  return {std::move(store), Controller::create(std::move(config), std::move(strand))};
}

}  // namespace kubexx::informer
