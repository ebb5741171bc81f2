#include "kubexx/delta/delta_fifo.hpp"

#include <atomic>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "delta/brief_lock.hpp"
#include "delta/delta_fifo_items.hpp"
#include "delta/gate.hpp"
#include "delta/intake.hpp"
#include "delta/prefetch.hpp"
#include "delta/small_key.hpp"

namespace kubexx::delta {

/// Producers of additions and updates only note them in `staged`, under a mutex of their own; whoever holds the main
/// mutex moves them to their keys before it looks at the items. So a producer and the consumer rarely meet, and what
/// happens is the same as if each change had gone to its key at once.
struct DeltaFifo::State {
  explicit State(Options given) : options(std::move(given)), intake(options.key_func, options.transform) {}

  struct Staged {
    SmallKey key;
    Delta delta;
  };
  /// What is being processed: neither queued nor known yet. Lives where it is processed.
  struct InFlight {
    SmallKey key;
    meta::Object object;
    bool deleted = false;
  };

  Result<void> enqueue(DeltaType type, meta::Object object);
  void stage(SmallKey key, Delta delta);
  Result<void> replace(std::vector<meta::Object> objects, bool repairs);
  void resync();
  Result<void> put_back(Deltas deltas);
  Result<bool> pop(const Process& process);
  std::size_t size();

  // With mutex held.
  void merge_staged();
  void append(SmallKey key, Delta delta);
  const InFlight* find_in_flight(std::string_view key) const;
  bool is_worth_deleting(const SmallKey& key);
  void bury(std::string_view key, meta::Object last, bool repairs);
  void populate(std::size_t initial);
  bool leave_empty();  // true: it was empty before

  /// Runs a change under the lock, then tells who waits for it.
  template <class Change>
  void change(Change make) {
    bool became_ready = false;
    bool is_synced = false;
    {
      const BriefLock lock(mutex);
      merge_staged();
      make();
      became_ready = !items.empty() && leave_empty();
      is_synced = populated && initial == 0;
    }
    if (became_ready) gate.became_ready();
    if (is_synced && !gate.synced()) gate.latch_synced();
  }

  const Options options;
  const Intake intake;
  Gate gate;
  std::atomic<bool> populated{false};  // set under mutex

  std::mutex mutex;                        // before staged_mutex
  DeltaFifoItems items;                    // guarded by mutex
  std::vector<const InFlight*> in_flight;  // guarded by mutex
  std::vector<Staged> merging;             // guarded by mutex; empty between uses
  Deltas spare;                            // guarded by mutex; an empty vector whose buffer is used again
  std::size_t initial = 0;                 // guarded by mutex: items of the first replace that are not processed yet

  alignas(64) std::mutex staged_mutex;
  std::vector<Staged> staged;           // guarded by staged_mutex
  std::atomic<bool> has_staged{false};  // written under staged_mutex
  std::atomic<bool> is_empty{true};     // written under staged_mutex: neither items nor staged
};

namespace {

constexpr std::size_t kStagedLimit = 1024;   // then the producer moves them itself
constexpr std::size_t kSpareCapacity = 128;  // larger buffers are not kept
constexpr std::size_t kChangesAhead = 6;     // so many changes from one step of preparing for them to the next

}  // namespace

void DeltaFifo::State::merge_staged() {
  if (!has_staged.load(std::memory_order_acquire)) return;
  {
    const BriefLock lock(staged_mutex);
    merging.swap(staged);
    has_staged.store(false, std::memory_order_relaxed);
  }
  const std::size_t count = merging.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i + 3 * kChangesAhead < count) items.prefetch_slot(merging[i + 3 * kChangesAhead].key);
    if (i + 2 * kChangesAhead < count) items.prefetch_item(merging[i + 2 * kChangesAhead].key);
    if (i + kChangesAhead < count) items.prefetch_deltas(merging[i + kChangesAhead].key);
    append(std::move(merging[i].key), std::move(merging[i].delta));
  }
  merging.clear();
}

void DeltaFifo::State::append(SmallKey key, Delta delta) {
  DeltaFifoItems::Item* const item = items.find_or_append(std::move(key), std::move(delta));
  if (item == nullptr) return;
  // Of two deletions in a row the one that was seen on the watch says more; of two equal ones the first is kept.
  // NOLINTNEXTLINE(bugprone-use-after-move): an item that was there already took nothing
  if (delta.type() == DeltaType::Deleted && item->newest().type() == DeltaType::Deleted) {
    if (item->newest().is_tombstone()) item->newest() = std::move(delta);
    return;
  }
  item->push(std::move(delta));
}

const DeltaFifo::State::InFlight* DeltaFifo::State::find_in_flight(std::string_view key) const {
  for (const InFlight* each : in_flight) {
    if (each->key.text() == key) return each;
  }
  return nullptr;
}

bool DeltaFifo::State::is_worth_deleting(const SmallKey& key) {
  if (items.find(key.text(), key.hash()) != nullptr) return true;
  if (!options.known_objects) return false;
  return find_in_flight(key.text()) != nullptr || options.known_objects->get(key.text());
}

void DeltaFifo::State::bury(std::string_view key, meta::Object last, bool repairs) {
  append(SmallKey(key), Delta::tombstone({std::string(key), std::move(last)}).marked(repairs));
}

void DeltaFifo::State::populate(std::size_t count) {
  if (!populated.exchange(true)) initial = count;
}

bool DeltaFifo::State::leave_empty() {
  if (!is_empty.load()) return false;
  const BriefLock lock(staged_mutex);
  return is_empty.exchange(false);
}

Result<void> DeltaFifo::State::enqueue(DeltaType type, meta::Object object) {
  if (auto changed = intake.transform(object); !changed) return changed.error();
  return intake.with_key(object, [&](std::string_view text) {
    SmallKey key(text);
    // A deletion is decided by what is known now, and the first change of all by what came before it.
    if (type != DeltaType::Deleted && populated.load(std::memory_order_acquire)) {
      return stage(std::move(key), Delta(type, std::move(object)));
    }
    change([&] {
      populate(0);
      if (type == DeltaType::Deleted && !is_worth_deleting(key)) return;
      append(std::move(key), Delta(type, std::move(object)));
    });
  });
}

void DeltaFifo::State::stage(SmallKey key, Delta delta) {
  bool became_ready = false;
  bool full = false;
  {
    const BriefLock lock(staged_mutex);
    staged.push_back({std::move(key), std::move(delta)});
    full = staged.size() >= kStagedLimit;
    if (staged.size() == 1) {
      has_staged.store(true, std::memory_order_release);
      became_ready = is_empty.load(std::memory_order_relaxed);
      if (became_ready) is_empty.store(false);
    }
  }
  if (became_ready) gate.became_ready();
  if (full && mutex.try_lock()) {
    const std::lock_guard lock(mutex, std::adopt_lock);
    merge_staged();
  }
}

Result<void> DeltaFifo::State::replace(std::vector<meta::Object> objects, bool repairs) {
  std::vector<std::string> keys;
  keys.reserve(objects.size());
  for (auto& object : objects) {
    if (auto changed = intake.transform(object); !changed) return changed.error().with_context("replace");
    auto keyed = intake.with_key(object, [&](std::string_view key) { keys.emplace_back(key); });
    if (!keyed) return keyed.error().with_context("replace");
  }
  const std::unordered_set<std::string_view> listed(keys.begin(), keys.end());
  const DeltaType type = options.emit_delta_type_replaced ? DeltaType::Replaced : DeltaType::Sync;
  std::vector<std::string> vanished;
  bool nothing_to_take = false;
  change([&] {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      append(SmallKey(keys[i]), Delta(type, std::move(objects[i])).marked(repairs));
    }
    std::vector<std::pair<std::string, meta::Object>> gone;
    items.for_each([&](const DeltaFifoItems::Item& item) {
      if (!listed.contains(item.key())) gone.emplace_back(item.key(), item.newest().object());
    });
    for (const InFlight* each : in_flight) {
      const std::string_view key = each->key.text();
      const bool queued = items.find(key) != nullptr;
      if (!queued && !each->deleted && !listed.contains(key)) gone.emplace_back(key, each->object);
    }
    for (auto& [key, last] : gone) bury(key, std::move(last), repairs);
    if (options.known_objects) {
      for (const std::string& key : options.known_objects->list_keys()) {
        if (listed.contains(key) || items.find(key) != nullptr || find_in_flight(key) != nullptr) continue;
        meta::Object last = options.known_objects->get(key);
        if (!last) vanished.push_back(key);
        bury(key, std::move(last), repairs);
      }
    }
    populate(items.size());
    nothing_to_take = items.empty();
  });
  warn_of_vanished(vanished);
  if (nothing_to_take) gate.became_ready();  // as at a bookmark: there is a version, and nothing before it
  return {};
}

void DeltaFifo::State::resync() {
  if (!options.known_objects) return;
  change([&] {
    for (const std::string& key : options.known_objects->list_keys()) {
      // What is queued or being processed is newer than what is known.
      if (items.find(key) != nullptr || find_in_flight(key) != nullptr) continue;
      if (meta::Object known = options.known_objects->get(key)) {
        append(SmallKey(key), Delta(DeltaType::Sync, std::move(known)));
      }
    }
  });
}

Result<void> DeltaFifo::State::put_back(Deltas deltas) {
  if (deltas.empty()) return Error::config("nothing to put back: no deltas");
  const auto key = intake.key_of(deltas.back());
  if (!key) return key.error();
  change([&] {
    populate(0);
    if (items.find(*key) == nullptr) items.append(SmallKey(*key), std::move(deltas));
  });
  return {};
}

Result<bool> DeltaFifo::State::pop(const Process& process) {
  InFlight mine;
  Deltas deltas;
  {
    const BriefLock lock(mutex);
    merge_staged();
    if (items.empty()) return false;
    deltas.swap(spare);
    mine.key = items.pop_front(deltas);
    mine.object = deltas.back().object();
    mine.deleted = deltas.back().type() == DeltaType::Deleted;
    in_flight.push_back(&mine);
    if (items.empty()) {
      const BriefLock staged_lock(staged_mutex);
      if (staged.empty()) is_empty.store(true);
    }
  }
  for (const Delta& delta : deltas) prefetch_document(delta.object());
  const Result<void> done = run_process(process, deltas, !gate.synced());
  deltas.clear();
  bool is_synced = false;
  {
    const BriefLock lock(mutex);
    std::erase(in_flight, &mine);
    if (deltas.capacity() <= kSpareCapacity) deltas.swap(spare);
    if (initial > 0) --initial;
    is_synced = populated && initial == 0;
  }
  if (is_synced && !gate.synced()) gate.latch_synced();
  if (!done) return done.error();
  return true;
}

std::size_t DeltaFifo::State::size() {
  const BriefLock lock(mutex);
  merge_staged();
  return items.size();
}

DeltaFifo::DeltaFifo() : DeltaFifo(Options{}) {}
DeltaFifo::DeltaFifo(Options options) : state_(std::make_unique<State>(std::move(options))) {}
DeltaFifo::~DeltaFifo() = default;

Result<void> DeltaFifo::add(meta::Object object) {
  return state_->enqueue(DeltaType::Added, std::move(object));
}

Result<void> DeltaFifo::update(meta::Object object) {
  return state_->enqueue(DeltaType::Updated, std::move(object));
}

Result<void> DeltaFifo::remove(meta::Object object) {
  return state_->enqueue(DeltaType::Deleted, std::move(object));
}

Result<void> DeltaFifo::replace(std::vector<meta::Object> objects, std::string /*resource_version*/) {
  return state_->replace(std::move(objects), false);
}

Result<void> DeltaFifo::repair(std::vector<meta::Object> objects, std::string /*resource_version*/) {
  return state_->replace(std::move(objects), true);
}

Result<void> DeltaFifo::resync() {
  state_->resync();
  return {};
}

void DeltaFifo::bookmark(std::string_view /*resource_version*/) {
  state_->gate.became_ready();
}

meta::Object DeltaFifo::prefer_known(meta::Object fresh) {
  return state_->options.prefer_known ? state_->options.prefer_known(std::move(fresh)) : fresh;
}

Result<bool> DeltaFifo::try_pop(const Process& process) {
  return state_->pop(process);
}

Result<void> DeltaFifo::add_if_not_present(Deltas deltas) {
  return state_->put_back(std::move(deltas));
}

void DeltaFifo::on_ready(std::function<void()> hook) {
  state_->gate.on_ready(std::move(hook));
}

void DeltaFifo::on_synced(std::function<void()> hook) {
  state_->gate.on_synced(std::move(hook));
}

bool DeltaFifo::has_synced() const {
  return state_->gate.synced();
}

std::size_t DeltaFifo::size() const {
  return state_->size();
}

void DeltaFifo::close() {
  state_->gate.close();
}

bool DeltaFifo::is_closed() const {
  return state_->gate.closed();
}

bool DeltaFifo::wait(std::stop_token stop) {
  return state_->gate.wait(stop, [this] { return !state_->is_empty.load(); });
}

}  // namespace kubexx::delta
