#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "delta/gate.hpp"
#include "delta/intake.hpp"
#include "kubexx/delta/ordered_queue.hpp"

namespace kubexx::delta {

/// The consumer takes from `head` under its own mutex; producers append to `tail` under the other, and the two vectors
/// are swapped when the head is used up. So producers wait for the consumer only while the vectors are swapped.
///
/// Changes are counted: the first `initial_end` ones ever pushed are the initial ones, and the queue is synced when
/// that many were processed.
struct OrderedQueue::State {
  struct Item {
    Delta delta;
    std::uint64_t hash = 0;            // of the key
    std::unique_ptr<std::string> key;  // only with a key function of the user; else the object or tombstone has it
  };
  /// What is being processed, which neither the queue nor the known objects show. Kept only when not atomic.
  struct InFlight {
    std::uint64_t ticket;
    std::string key;
    meta::Object object;
    bool deleted;
  };
  /// What is taken and not finished.
  struct Taken {
    Deltas deltas;
    std::uint64_t ticket = 0;
    bool initial = false;
  };
  static constexpr std::int64_t kUnpopulated = std::numeric_limits<std::int64_t>::max();

  explicit State(Options given);

  std::unique_ptr<std::string> own_key(std::string_view key) const;  // null with default keys
  std::string key_text(const Item& item) const;

  Result<void> enqueue(DeltaType type, meta::Object object);
  void enqueue_keyless(Delta delta, bool is_replace);
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version, bool repairs);
  Result<void> replace_piecewise(std::vector<meta::Object> objects, bool repairs);
  Result<void> resync_piecewise();

  bool refill();  // head_mutex held: false when nothing is queued
  void take_one(Taken& taken);
  bool take(Taken& taken, std::size_t limit);
  Result<bool> run(Taken& taken, const Process& process);

  bool push(Item item);                 // tail_mutex held; true: the queue was empty
  void populate(std::int64_t initial);  // tail_mutex held; the first call decides
  void after_push(bool was_empty);      // no lock held
  void latch_if_synced();               // no lock held
  std::size_t depth() const noexcept {
    const std::int64_t gone = taken.load();  // read first: it never passes what was pushed
    return static_cast<std::size_t>(pushed.load() - gone);
  }

  const Options options;
  const Intake intake;
  Gate gate;

  // The consumer's side and the producers' stand on different cache lines.
  alignas(64) std::mutex head_mutex;   // before tail_mutex
  std::vector<Item> head;              // guarded by head_mutex
  std::size_t head_at = 0;             // guarded by head_mutex
  std::vector<InFlight> in_flight;     // guarded by head_mutex
  std::uint64_t next_ticket = 0;       // guarded by head_mutex
  std::vector<std::uint64_t> seen;     // guarded by head_mutex; hashes of the batch being taken
  std::atomic<std::int64_t> taken{0};  // written under head_mutex
  std::atomic<std::int64_t> processed{0};

  alignas(64) std::mutex tail_mutex;
  std::vector<Item> tail;                               // guarded by tail_mutex
  std::atomic<std::int64_t> pushed{0};                  // written under tail_mutex
  std::atomic<std::int64_t> initial_end{kUnpopulated};  // written under tail_mutex
};

}  // namespace kubexx::delta
