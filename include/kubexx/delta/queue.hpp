#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/result.hpp"
#include "kubexx/delta/delta.hpp"
#include "kubexx/delta/transform.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/reflector/delta_sink.hpp"

namespace kubexx::delta {

/// What the consumer of a queue already holds, so that the queue can tell what a list no longer has. Called while the
/// queue is locked: it must not call the queue back.
class KnownObjects {
 public:
  virtual ~KnownObjects() = default;
  virtual std::vector<std::string> list_keys() const = 0;
  virtual meta::Object get(std::string_view key) const = 0;  ///< null: not there (any more)
};

/// Between a reflector and the cache: takes changes in, hands them to a process function. Two exist: OrderedQueue
/// (arrival order, batches; what informers use) and DeltaFifo (changes collected per key).
///
/// The queue is synced once everything of its first content was processed, not merely taken: after the last item of
/// the first replace(), or at once when something else came first.
///
/// Threads: safe from any thread; meant for one consumer. The process function runs without a lock, so it may call the
/// queue, and producers do not wait for it. Keys and transforms are computed on the producer's thread, also without
/// one. Stop: close() wakes whoever waits; what is queued can still be taken, and writes are still accepted. Errors:
/// the process function's Error is what pop returns; the item is gone then (see add_if_not_present). One that throws
/// counts as having returned that Error.
class Queue : public reflector::DeltaSink {
 public:
  /// `deltas` may be moved from.
  using Process = std::function<Result<void>(Deltas& deltas, bool is_in_initial_list)>;

  /// Takes the next item and processes it. False: nothing is queued. An Error is the process function's.
  virtual Result<bool> try_pop(const Process& process) = 0;
  /// Takes several items if the queue can: `batch` gets two or more changes, each of another key and all of them
  /// initial or none; `single` gets what stands alone.
  virtual Result<bool> try_pop_batch(const Process& batch, const Process& single) {
    static_cast<void>(batch);
    return try_pop(single);
  }
  /// Blocks until an item was processed. Canceled: closed with nothing left, or stopped before there was something.
  Result<void> pop(const Process& process, std::stop_token stop = {});
  Result<void> pop_batch(const Process& batch, const Process& single, std::stop_token stop = {});

  /// Puts back what could not be processed: nothing happens if its key is queued again already (that is newer),
  /// otherwise it is appended. Marks the queue populated. An Error for Deltas without a key.
  virtual Result<void> add_if_not_present(Deltas deltas) = 0;

  /// Called whenever the queue stops being empty, when a version came without anything to take, and when it is closed;
  /// without a lock, on the producer's thread. Set it before the first producer runs.
  virtual void on_ready(std::function<void()> hook) = 0;
  /// Called once, when the queue becomes synced, without a lock; at once if it is. Set it before the first producer
  /// runs.
  virtual void on_synced(std::function<void()> hook) = 0;

  virtual bool has_synced() const = 0;
  virtual std::size_t size() const = 0;  ///< items waiting
  virtual void close() = 0;
  virtual bool is_closed() const = 0;

 protected:
  /// Blocks until there is an item (true), or the queue is closed and empty or stop fired (false).
  virtual bool wait(std::stop_token stop) = 0;
};

}  // namespace kubexx::delta
