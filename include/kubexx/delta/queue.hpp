#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/delta/delta.hpp"
#include "kubexx/meta/object.hpp"

/// Between a reflector and the cache: takes changes in, hands them to a process function. Two queues exist:
/// OrderedQueue (arrival order, batches; what informers use) and DeltaFifo (changes collected per key). Both are plain
/// structures for one thread or strand at a time; SynchronizedQueue makes one of them safe from any thread.
namespace kubexx::delta {

/// What the consumer of a queue already holds, so that the queue can tell what a list no longer has.
///
/// Threads: asked by whoever writes to the queue; inside a SynchronizedQueue with its lock held. It must not call the
/// queue back.
/// Errors: what it throws comes out where the queue was written to.
/// Example:
///
///     class Known final : public delta::KnownObjects {
///      public:
///       explicit Known(std::shared_ptr<const store::Store> store) : store_(std::move(store)) {}
///       std::vector<std::string> list_keys() const override { return store_->list_keys(); }
///       meta::Object find(std::string_view key) const override { return store_->find(key); }
///
///      private:
///       std::shared_ptr<const store::Store> store_;
///     };
class KUBEXX_EXPORT KnownObjects {
 public:
  virtual ~KnownObjects() = default;
  /// Keys of all that is known.
  virtual std::vector<std::string> list_keys() const = 0;
  virtual meta::Object find(std::string_view key) const = 0;  ///< null: not there (any more)
};

/// What a queue hands over: one change, all changes of one key (oldest first), or a batch of changes of different keys,
/// which are all initial or none. `deltas` may be moved from. It may call the queue.
using Process = std::function<Result<void>(Deltas& deltas, bool is_in_initial_list)>;

/// What was taken from a queue and is not finished.
struct Taken {
  Deltas deltas = {};
  bool is_in_initial_list = false;
  std::uint64_t ticket = 0;  ///< the queue's
};

namespace detail {
/// Runs what a Process would hold; an exception is its Error.
template <class Function>
Result<void> run(const Function& process, Taken& taken) {
  try {
    return process(taken.deltas, taken.is_in_initial_list);
  } catch (...) {
    return current_exception_as_error();
  }
}
/// An Error when there is nothing, or a change of one object that lacks its key.
Result<void> check_put_back(const Deltas& deltas);

template <class Queue, class Function>
Result<bool> try_pop(Queue& queue, const Function& process) {
  Taken taken;
  if (!queue.take(taken)) return false;
  auto done = run(process, taken);
  queue.finish(taken);
  if (!done) return done.error();
  return true;
}
}  // namespace detail

}  // namespace kubexx::delta
