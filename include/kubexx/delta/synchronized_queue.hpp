#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/delta/delta_fifo.hpp"
#include "kubexx/delta/intake.hpp"
#include "kubexx/delta/ordered_queue.hpp"
#include "kubexx/reflector/delta_sink.hpp"

namespace kubexx::delta {

/// Either queue, for one thread at a time.
using PlainQueue = std::variant<OrderedQueue, DeltaFifo>;

/// A queue for those who use one alone: any number of producers, one consumer that may wait.
///
/// Threads: safe from any thread; meant for one consumer. The process function runs without a lock, so it may call the
/// queue, and producers do not wait for it. Keys and transforms are computed on the producer's thread, also without
/// one. KnownObjects are asked while the queue is locked.
/// Stop: close() wakes whoever waits; what is queued can still be taken, and writes are still accepted.
/// Errors: an object without a key or refused by the transform is not queued; a replace with such an object changes
/// nothing. The process function's Error is what pop returns; the changes are gone then (see add_if_not_present). One
/// that throws counts as having returned that Error.
/// Example:
///
///     delta::SynchronizedQueue queue{delta::OrderedQueue()};
///     if (auto queued = queue.add(pod); !queued) complain(queued.error());
///     while (queue.pop(process, stop)) continue;  // until it is closed or stopped, or processing fails
class KUBEXX_EXPORT SynchronizedQueue final : public reflector::DeltaSink {
 public:
  explicit SynchronizedQueue(PlainQueue queue, Intake intake = {});
  ~SynchronizedQueue() override;

  Result<void> add(meta::Object object) override;
  Result<void> update(meta::Object object) override;
  Result<void> remove(meta::Object object) override;
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version) override;
  Result<void> repair(std::vector<meta::Object> objects, std::string resource_version) override;
  Result<void> resync() override;
  void bookmark(std::string_view resource_version) override;

  /// As the plain queue's.
  Result<bool> try_pop(const Process& process);
  Result<void> add_if_not_present(Deltas deltas);
  /// Blocks until something was processed. Canceled: closed with nothing left, or stopped before there was something.
  Result<void> pop(const Process& process, std::stop_token stop = {});

  /// Called whenever the queue stops being empty, when a version came without anything to take, and when it is closed;
  /// without a lock, on the producer's thread. Set it before the first producer runs.
  void on_ready(std::function<void()> hook);
  /// Called once, when the queue becomes synced, without a lock; at once if it is. Set it before the first producer
  /// runs.
  void on_synced(std::function<void()> hook);

  /// Whether everything of the first list was processed.
  bool has_synced() const;
  std::size_t size() const;  ///< items waiting
  /// Takes nothing more; who waits in pop() is let go.
  void close();
  bool is_closed() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::delta
