#include "kubexx/delta/delta_fifo.hpp"

#include <atomic>
#include <list>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "delta/delta_fifo_items.hpp"
#include "delta/gate.hpp"
#include "delta/intake.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::delta {

struct DeltaFifo::State {
  explicit State(Options given) : options(std::move(given)), intake(options.key_func, options.transform) {}

  /// What is being processed: neither queued nor known yet.
  struct InFlight {
    std::string key;
    meta::Object object;
    bool deleted;
  };

  Result<void> enqueue(DeltaType type, meta::Object object);
  Result<void> replace(std::vector<meta::Object> objects);
  void resync();
  Result<void> put_back(Deltas deltas);
  Result<bool> pop(const Process& process);

  // With mutex held.
  void append(std::string_view key, std::uint64_t hash, Delta delta);
  const InFlight* find_in_flight(std::string_view key) const;
  bool is_worth_deleting(std::string_view key, std::uint64_t hash);
  void bury(const std::string& key, meta::Object last);
  void populate(std::size_t initial);

  /// Runs a change under the lock, then tells who waits for it.
  template <class Change>
  void change(Change make) {
    bool became_ready = false;
    bool is_synced = false;
    {
      const std::lock_guard lock(mutex);
      const bool was_empty = items.empty();
      make();
      depth.store(items.size());
      became_ready = was_empty && !items.empty();
      is_synced = populated && initial == 0;
    }
    if (became_ready) gate.became_ready();
    if (is_synced && !gate.synced()) gate.latch_synced();
  }

  const Options options;
  const Intake intake;
  Gate gate;
  std::atomic<std::size_t> depth{0};

  std::mutex mutex;
  DeltaFifoItems items;           // guarded by mutex
  std::list<InFlight> in_flight;  // guarded by mutex
  bool populated = false;         // guarded by mutex
  std::size_t initial = 0;        // guarded by mutex: items of the first replace that are not processed yet
};

void DeltaFifo::State::append(std::string_view key, std::uint64_t hash, Delta delta) {
  Deltas& deltas = items.find_or_append(key, hash).deltas;
  // Of two deletions in a row the one that was seen on the watch says more; of two equal ones the first is kept.
  if (delta.type() == DeltaType::Deleted && !deltas.empty() && deltas.back().type() == DeltaType::Deleted) {
    if (deltas.back().is_tombstone()) deltas.back() = std::move(delta);
    return;
  }
  deltas.push_back(std::move(delta));
}

const DeltaFifo::State::InFlight* DeltaFifo::State::find_in_flight(std::string_view key) const {
  for (const InFlight& each : in_flight) {
    if (each.key == key) return &each;
  }
  return nullptr;
}

bool DeltaFifo::State::is_worth_deleting(std::string_view key, std::uint64_t hash) {
  if (items.find(key, hash) != nullptr) return true;
  if (!options.known_objects) return false;
  return find_in_flight(key) != nullptr || options.known_objects->get(key);
}

void DeltaFifo::State::bury(const std::string& key, meta::Object last) {
  append(key, meta::hash_key(key), Delta::tombstone({key, std::move(last)}));
}

void DeltaFifo::State::populate(std::size_t count) {
  if (std::exchange(populated, true)) return;
  initial = count;
}

Result<void> DeltaFifo::State::enqueue(DeltaType type, meta::Object object) {
  if (auto changed = intake.transform(object); !changed) return changed.error();
  return intake.with_key(object, [&](std::string_view key) {
    const std::uint64_t hash = meta::hash_key(key);
    change([&] {
      populate(0);
      if (type == DeltaType::Deleted && !is_worth_deleting(key, hash)) return;
      append(key, hash, Delta(type, std::move(object)));
    });
  });
}

Result<void> DeltaFifo::State::replace(std::vector<meta::Object> objects) {
  std::vector<std::string> keys;
  keys.reserve(objects.size());
  for (auto& object : objects) {
    if (auto changed = intake.transform(object); !changed) return changed.error().with_context("replace");
    auto keyed = intake.with_key(object, [&](std::string_view key) { keys.emplace_back(key); });
    if (!keyed) return keyed.error().with_context("replace");
  }
  const std::unordered_set<std::string_view> listed(keys.begin(), keys.end());
  const DeltaType type = options.emit_delta_type_replaced ? DeltaType::Replaced : DeltaType::Sync;
  change([&] {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      append(keys[i], meta::hash_key(keys[i]), Delta(type, std::move(objects[i])));
    }
    std::vector<std::pair<std::string, meta::Object>> gone;
    items.for_each([&](const DeltaFifoItems::Item& item) {
      if (!listed.contains(item.key)) gone.emplace_back(item.key, item.deltas.back().object());
    });
    for (const InFlight& each : in_flight) {
      const bool queued = items.find(each.key, meta::hash_key(each.key)) != nullptr;
      if (!queued && !each.deleted && !listed.contains(each.key)) gone.emplace_back(each.key, each.object);
    }
    for (auto& [key, last] : gone) bury(key, std::move(last));
    if (options.known_objects) {
      for (const std::string& key : options.known_objects->list_keys()) {
        if (listed.contains(key) || items.find(key, meta::hash_key(key)) || find_in_flight(key)) continue;
        meta::Object last = options.known_objects->get(key);
        if (!last) log(LogLevel::Warning, "a known object vanished during a replace", {{"key", key}});
        bury(key, std::move(last));
      }
    }
    populate(items.size());
  });
  return {};
}

void DeltaFifo::State::resync() {
  if (!options.known_objects) return;
  change([&] {
    for (const std::string& key : options.known_objects->list_keys()) {
      const std::uint64_t hash = meta::hash_key(key);
      // What is queued or being processed is newer than what is known.
      if (items.find(key, hash) != nullptr || find_in_flight(key) != nullptr) continue;
      if (meta::Object known = options.known_objects->get(key)) {
        append(key, hash, Delta(DeltaType::Sync, std::move(known)));
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
    const std::uint64_t hash = meta::hash_key(*key);
    if (items.find(*key, hash) == nullptr) items.find_or_append(*key, hash).deltas = std::move(deltas);
  });
  return {};
}

Result<bool> DeltaFifo::State::pop(const Process& process) {
  DeltaFifoItems::Item item;
  std::list<InFlight> mine(1);
  const auto place = mine.begin();  // stays valid from list to list
  {
    const std::lock_guard lock(mutex);
    if (items.empty()) return false;
    item = items.pop_front();
    depth.store(items.size());
    const Delta& newest = item.deltas.back();
    mine.front() = {std::move(item.key), newest.object(), newest.type() == DeltaType::Deleted};
    in_flight.splice(in_flight.end(), mine);
  }
  const Result<void> done = run_process(process, item.deltas, !gate.synced());
  change([&] {
    mine.splice(mine.end(), in_flight, place);
    if (initial > 0) --initial;
  });
  if (!done) return done.error();
  return true;
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
  return state_->replace(std::move(objects));
}

Result<void> DeltaFifo::resync() {
  state_->resync();
  return {};
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
  return state_->depth.load();
}

void DeltaFifo::close() {
  state_->gate.close();
}

bool DeltaFifo::is_closed() const {
  return state_->gate.closed();
}

bool DeltaFifo::wait(std::stop_token stop) {
  return state_->gate.wait(stop, [this] { return state_->depth.load() != 0; });
}

}  // namespace kubexx::delta
