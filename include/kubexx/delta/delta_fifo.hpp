#pragma once

#include <memory>

#include "kubexx/delta/queue.hpp"

namespace kubexx::delta {

/// Collects the changes of each key and hands them over together, keys in the order they were first queued; client-go's
/// DeltaFIFO. Two deletions in a row become one.
///
/// replace() queues a Replaced (or Sync) for each object and a tombstone, with the last state the queue or the known
/// objects have, for each key that is queued, being processed or known but no longer listed. resync() queues a Sync for
/// each known object whose key has nothing under way. Without known objects deletions of keys that are not queued are
/// dropped, and resync does nothing.
///
/// Errors: an object without a key or refused by the transform is not queued; a replace with such an object changes
/// nothing.
class DeltaFifo final : public Queue {
 public:
  struct Options {
    meta::KeyFunc key_func = {};  ///< absent: meta_namespace_key
    TransformFunc transform = {};
    std::shared_ptr<const KnownObjects> known_objects = {};
    bool emit_delta_type_replaced = false;                        ///< false: objects of a replace are Sync
    std::function<meta::Object(meta::Object)> prefer_known = {};  ///< see DeltaSink
  };

  DeltaFifo();
  explicit DeltaFifo(Options options);
  ~DeltaFifo() override;

  Result<void> add(meta::Object object) override;
  Result<void> update(meta::Object object) override;
  Result<void> remove(meta::Object object) override;
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version) override;
  Result<void> repair(std::vector<meta::Object> objects, std::string resource_version) override;
  Result<void> resync() override;
  /// Queues nothing; the consumer is called, so that it can look how far the producer is.
  void bookmark(std::string_view resource_version) override;
  meta::Object prefer_known(meta::Object fresh) override;

  Result<bool> try_pop(const Process& process) override;
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
