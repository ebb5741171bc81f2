#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
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
/// It is synced once everything of its first content was processed, not merely taken: after the last item of the first
/// replace(), or at once when something else came first.
///
/// Threads: one at a time. A process function may call the queue.
/// Errors: only the process function's and those of putting back; what is queued has a key already.
/// Example:
///
///     delta::DeltaFifo queue;
///     queue.add(meta::Key::of(pod), pod);
///     queue.update(meta::Key::of(pod), pod);
///     auto popped = queue.try_pop([](delta::Deltas& deltas, bool) -> Result<void> {
///       greet(deltas.size());  // 2: the changes of one key
///       return {};
///     });
class KUBEXX_EXPORT DeltaFifo {
 public:
  /// What it is told before it begins.
  struct Options {
    std::shared_ptr<const KnownObjects> known_objects = {};
    bool emit_delta_type_replaced = false;  ///< false: objects of a replace are Sync
  };

  DeltaFifo();
  explicit DeltaFifo(Options options);
  DeltaFifo(DeltaFifo&&) noexcept;
  DeltaFifo& operator=(DeltaFifo&&) noexcept;
  ~DeltaFifo();

  /// What happened to an object; several changes of one key are one entry.
  void add(meta::Key key, meta::Object object);
  void update(meta::Key key, meta::Object object);
  void remove(meta::Key key, meta::Object object);
  /// The whole state, or that of a part; `repairs`: what differs was wrong (DeltaSink::repair). The version is not
  /// queued.
  void replace(std::vector<meta::KeyedObject> objects, std::string resource_version, bool repairs = false,
               const Coverage& of = {});
  void resync();
  void bookmark(std::string_view resource_version) { static_cast<void>(resource_version); }  ///< queues nothing

  /// Takes all changes of one key and processes them. False: nothing is queued. An Error is the process function's; the
  /// changes are gone then.
  template <class Function>
  Result<bool> try_pop(const Function& process) {
    return detail::try_pop(*this, process);
  }
  /// The two halves of try_pop, for a consumer of its own: what was taken is finished when it was processed.
  bool take(Taken& into);
  void finish(Taken& taken);

  /// Puts back what could not be processed: nothing happens if its key is queued again already (that is newer),
  /// otherwise it is appended. Marks the queue populated. An Error for Deltas without a key.
  Result<void> add_if_not_present(Deltas deltas);

  bool is_populated() const noexcept;  ///< something came
  /// Whether everything of the first list was processed.
  bool has_synced() const noexcept;
  std::size_t size() const;  ///< keys waiting
  /// Everything that came so far, for has_processed().
  std::int64_t mark() const;
  bool has_processed(std::int64_t mark) const noexcept;
  bool empty() const { return size() == 0; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexx::delta
