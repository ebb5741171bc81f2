#include "informer/make_queue.hpp"
#include "informer/reflector_options.hpp"
#include "kubexx/informer/controller.hpp"
#include "kubexx/informer/process_deltas.hpp"

namespace kubexx::informer {

std::pair<std::shared_ptr<store::Indexer>, std::shared_ptr<Controller>> new_informer(
    std::shared_ptr<reflector::ListerWatcher> source, std::shared_ptr<ResourceEventHandler> handler, Strand strand,
    InformerOptions options) {
  auto store = std::make_shared<store::Indexer>(options.indexers, options.key_func);
  Config config;
  config.queue = make_queue(options.queue.value_or(QueueKind::Ordered), store);
  config.key_func = options.key_func;
  config.transform = options.transform;
  config.lister_watcher = std::move(source);
  config.reflector = reflector_options(options);
  config.process = [store, handler = std::move(handler)](delta::Deltas& deltas, bool initial) {
    return process_deltas(deltas, initial, *store, *handler);
  };
  return {std::move(store), Controller::create(std::move(config), std::move(strand))};
}

}  // namespace kubexx::informer
