#pragma once

#include <memory>

#include "kubexx/delta/queue.hpp"

namespace kubexx::delta {

/// Keeps every change in the order of arrival, across keys; client-go's RealFIFO. Nothing is merged.
///
/// With `atomic_events` a list is one change (ReplacedAll) and a resync another (SyncAll): the consumer sees states
/// that existed. Without, the queue takes a list apart: first a tombstone for each key that is queued, being processed
/// or known but no longer listed, then a Replaced for each object; and a resync is a Sync for each known key with
/// nothing under way.
///
/// Errors: an object without a key or refused by the transform is not queued; a replace with such an object changes
/// nothing. Options that contradict each other throw std::logic_error.
class OrderedQueue final : public Queue {
 public:
  struct Options {
    meta::KeyFunc key_func = {};  ///< absent: meta_namespace_key
    TransformFunc transform = {};
    bool atomic_events = true;
    bool emit_bookmarks = false;                                  ///< only with atomic_events
    std::shared_ptr<const KnownObjects> known_objects = {};       ///< exactly when not atomic_events
    std::function<meta::Object(meta::Object)> prefer_known = {};  ///< see DeltaSink
    std::size_t batch_size = 1'000;
  };

  OrderedQueue();
  explicit OrderedQueue(Options options);
  ~OrderedQueue() override;

  Result<void> add(meta::Object object) override;
  Result<void> update(meta::Object object) override;
  Result<void> remove(meta::Object object) override;
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version) override;
  Result<void> repair(std::vector<meta::Object> objects, std::string resource_version) override;
  Result<void> resync() override;
  void bookmark(std::string_view resource_version) override;
  meta::Object prefer_known(meta::Object fresh) override;

  Result<bool> try_pop(const Process& process) override;
  /// Up to batch_size changes. A batch ends before: a change of another key-less type, a key it already has, the first
  /// change that is not initial any more.
  Result<bool> try_pop_batch(const Process& batch, const Process& single) override;
  /// A whole list that failed goes back to the front, where it came from; bookmarks are dropped.
  Result<void> add_if_not_present(Deltas deltas) override;

  void on_ready(std::function<void()> hook) override;
  void on_synced(std::function<void()> hook) override;
  bool has_synced() const override;
  std::size_t size() const override;
  void close() override;
  bool is_closed() const override;

 protected:
  bool wait(std::stop_token stop) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kubexx::delta
