#include "kubexx/informer/options.hpp"

#include "informer/reflector_options.hpp"

namespace kubexx::informer {
namespace {

template <class T>
void take_default(std::optional<T>& value, const std::optional<T>& fallback) {
  if (!value) value = fallback;
}

template <class T>
void take_default(T& value, const T& fallback) {
  if (!value) value = fallback;
}

}  // namespace

Scope with_defaults(Scope scope, const Scope& defaults) {
  if (scope.namespaces.empty()) scope.namespaces = defaults.namespaces;
  take_default(scope.label_selector, defaults.label_selector);
  take_default(scope.field_selector, defaults.field_selector);
  take_default(scope.projection, defaults.projection);
  take_default(scope.metadata_only, defaults.metadata_only);
  scope.cluster_wide = scope.cluster_wide || defaults.cluster_wide;
  return scope;
}

InformerOptions with_defaults(InformerOptions options, const InformerOptions& defaults) {
  options.scope = with_defaults(std::move(options.scope), defaults.scope);
  // A tag is of certain functions: those that have none of their own are named by the defaults.
  const bool own_functions = options.admit || options.transform || options.key_func || options.tweak_list_options;
  if (options.cache_tag.empty() && !own_functions) options.cache_tag = defaults.cache_tag;
  if (options.cache_directory.empty()) options.cache_directory = defaults.cache_directory;
  take_default(options.cache_interval, defaults.cache_interval);
  take_default(options.cache_secrets, defaults.cache_secrets);
  if (options.cluster.configured.empty()) options.cluster = defaults.cluster;
  options.indexers.insert(defaults.indexers.begin(), defaults.indexers.end());
  take_default(options.admit, defaults.admit);
  take_default(options.transform, defaults.transform);
  take_default(options.key_func, defaults.key_func);
  take_default(options.resync_period, defaults.resync_period);
  take_default(options.queue, defaults.queue);
  take_default(options.page_size, defaults.page_size);
  take_default(options.watch_list, defaults.watch_list);
  take_default(options.backoff, defaults.backoff);
  take_default(options.verify_every, defaults.verify_every);
  take_default(options.stale_after, defaults.stale_after);
  take_default(options.start_jitter, defaults.start_jitter);
  take_default(options.watch_error_handler, defaults.watch_error_handler);
  take_default(options.mutation_detector, defaults.mutation_detector);
  take_default(options.on_mutation, defaults.on_mutation);
  take_default(options.tweak_list_options, defaults.tweak_list_options);
  take_default(options.reflector, defaults.reflector);
  if (options.name.empty()) options.name = defaults.name;
  if (options.description.empty()) options.description = defaults.description;
  if (options.resource == meta::GroupVersionResource()) options.resource = defaults.resource;
  take_default(options.expected_kind, defaults.expected_kind);
  take_default(options.executor, defaults.executor);
  take_default(options.handlers, defaults.handlers);
  take_default(options.metrics, defaults.metrics);
  return options;
}

reflector::ReflectorOptions reflector_options(const InformerOptions& options) {
  auto made = options.reflector.value_or(reflector::ReflectorOptions());
  if (!options.name.empty()) made.name = options.name;
  if (!options.description.empty()) made.type_description = options.description;
  if (options.resource != meta::GroupVersionResource()) made.resource = options.resource;
  if (options.expected_kind) made.expected_kind = options.expected_kind;
  if (options.metrics) made.metrics = options.metrics;
  if (options.resync_period) made.resync_period = *options.resync_period;
  if (options.page_size) made.page_size = *options.page_size;
  if (options.watch_list) made.watch_list = *options.watch_list;
  if (options.backoff) made.backoff = *options.backoff;
  if (options.verify_every) made.verify_every = *options.verify_every;
  if (options.admit) made.admit = options.admit;
  if (options.watch_error_handler) made.watch_error_handler = options.watch_error_handler;
  return made;
}

}  // namespace kubexx::informer
