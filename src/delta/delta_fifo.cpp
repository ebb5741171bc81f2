#include "kubexx/delta/delta_fifo.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "delta/delta_fifo_items.hpp"
#include "delta/prefetch.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::delta {

struct KUBEXX_HIDDEN DeltaFifo::Impl {
  /// What is being processed: neither queued nor known yet.
  struct InFlight {
    std::uint64_t ticket;
    meta::Key key;
    meta::Object object;
    bool deleted;
  };

  void append(Delta delta) {
    all.prefetch_slot(delta.key());
    prefetch_key(delta.key());
    staged.push_back(std::move(delta));
    if (staged.size() == kStaged) static_cast<void>(items());
  }
  void put(Delta delta);
  /// With everything that was appended.
  DeltaFifoItems& items();
  const InFlight* find_in_flight(const meta::Key& key) const;
  bool is_under_way(const meta::Key& key) { return items().find(key) != nullptr || find_in_flight(key) != nullptr; }
  bool is_worth_deleting(const meta::Key& key);
  void populate(std::size_t count) {  // the first call decides
    if (!std::exchange(populated, true)) initial = count;
  }

  static constexpr std::size_t kStaged = 64;  // changes at most

  Options options;
  Deltas staged;           // changes on their way into `all`: a few at a time, whose memory is asked for ahead
  std::size_t put_in = 0;  // of staged
  DeltaFifoItems all;
  std::vector<InFlight> in_flight;
  std::uint64_t next_ticket = 0;
  bool populated = false;
  std::size_t initial = 0;  // items of the first replace that are not processed yet
  std::int64_t finished = 0;
  Deltas spare;  // an empty vector whose buffer is used again
};

namespace {

constexpr std::size_t kSpareCapacity = 128;  // larger buffers are not kept
constexpr std::size_t kChangesAhead = 6;     // so many changes from one step of preparing for them to the next

}  // namespace

DeltaFifoItems& DeltaFifo::Impl::items() {
  const std::size_t count = staged.size();
  while (put_in < count) {
    const std::size_t next = put_in++;
    if (next + 2 * kChangesAhead < count) all.prefetch_item(staged[next + 2 * kChangesAhead].key());
    if (next + kChangesAhead < count) all.prefetch_deltas(staged[next + kChangesAhead].key());
    put(std::move(staged[next]));
  }
  staged.clear();
  put_in = 0;
  return all;
}

void DeltaFifo::Impl::put(Delta delta) {
  DeltaFifoItems::Item* const item = all.find_or_append(std::move(delta));
  if (item == nullptr) return;
  // Of two deletions in a row the one that was seen on the watch says more; of two equal ones the first is kept.
  // NOLINTNEXTLINE(bugprone-use-after-move): an item that was there already took nothing
  if (delta.type() == DeltaType::Deleted && item->newest().type() == DeltaType::Deleted) {
    if (item->newest().is_tombstone()) item->set_newest(std::move(delta));
    return;
  }
  item->push(std::move(delta));
}

const DeltaFifo::Impl::InFlight* DeltaFifo::Impl::find_in_flight(const meta::Key& key) const {
  const auto found =
      std::find_if(in_flight.begin(), in_flight.end(), [&](const auto& each) { return each.key == key; });
  return found == in_flight.end() ? nullptr : &*found;
}

bool DeltaFifo::Impl::is_worth_deleting(const meta::Key& key) {
  if (items().find(key) != nullptr) return true;
  if (!options.known_objects) return false;
  return find_in_flight(key) != nullptr || options.known_objects->find(key.text());
}

DeltaFifo::DeltaFifo() : DeltaFifo(Options{}) {}
DeltaFifo::DeltaFifo(Options options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
}
DeltaFifo::DeltaFifo(DeltaFifo&&) noexcept = default;
DeltaFifo& DeltaFifo::operator=(DeltaFifo&&) noexcept = default;
DeltaFifo::~DeltaFifo() = default;

void DeltaFifo::add(meta::Key key, meta::Object object) {
  impl_->populate(0);
  impl_->append({DeltaType::Added, std::move(key), std::move(object)});
}

void DeltaFifo::update(meta::Key key, meta::Object object) {
  impl_->populate(0);
  impl_->append({DeltaType::Updated, std::move(key), std::move(object)});
}

void DeltaFifo::remove(meta::Key key, meta::Object object) {
  impl_->populate(0);
  if (impl_->is_worth_deleting(key)) impl_->append({DeltaType::Deleted, std::move(key), std::move(object)});
}

void DeltaFifo::replace(std::vector<meta::KeyedObject> objects, std::string /*resource_version*/, bool repairs,
                        const Coverage& of) {
  Impl& impl = *impl_;
  std::unordered_set<meta::Key> listed;
  listed.reserve(objects.size());
  for (const auto& [key, object] : objects) listed.insert(key);
  const DeltaType type = impl.options.emit_delta_type_replaced ? DeltaType::Replaced : DeltaType::Sync;
  for (auto& [key, object] : objects) impl.append(Delta(type, std::move(key), std::move(object)).marked(repairs));

  // Of an object that nobody knows any more only a list of everything can tell.
  const auto lacks = [&](const meta::Key& key, const meta::Object& last) {
    return !listed.contains(key) && (of.all() || (last && of.has(last.namespace_())));
  };
  std::vector<meta::KeyedObject> gone;
  impl.items().for_each([&](const DeltaFifoItems::Item& item) {
    if (lacks(item.key(), item.newest().object())) gone.push_back({item.key(), item.newest().object()});
  });
  for (const auto& each : impl.in_flight) {
    if (impl.items().find(each.key) == nullptr && !each.deleted && lacks(each.key, each.object)) {
      gone.push_back({each.key, each.object});
    }
  }
  for (auto& [key, last] : gone) impl.append(Delta::tombstone(std::move(key), std::move(last)).marked(repairs));
  if (impl.options.known_objects) {
    for (const std::string& text : impl.options.known_objects->list_keys()) {
      meta::Object last = impl.options.known_objects->find(text);
      auto key = meta::Key::of(last, text);
      if (!lacks(key, last) || impl.is_under_way(key)) continue;
      if (!last) log(LogLevel::Warning, "a known object vanished during a replace", {{"key", text}});
      impl.append(Delta::tombstone(std::move(key), std::move(last)).marked(repairs));
    }
  }
  impl.populate(impl.items().size() + impl.in_flight.size());  // what is under way is finished before it
}

void DeltaFifo::resync() {
  Impl& impl = *impl_;
  if (!impl.options.known_objects) return;
  for (const std::string& text : impl.options.known_objects->list_keys()) {
    meta::Object known = impl.options.known_objects->find(text);
    if (!known) continue;
    auto key = meta::Key::of(known, text);
    if (impl.is_under_way(key)) continue;  // which is newer than what is known
    impl.append({DeltaType::Sync, std::move(key), std::move(known)});
  }
}

Result<void> DeltaFifo::add_if_not_present(Deltas deltas) {
  if (auto refused = detail::check_put_back(deltas); !refused) return refused;
  if (!deltas.back().has_key()) {
    return Error::config("a change of type " + std::string(to_string(deltas.back().type())) + " has no key");
  }
  impl_->populate(0);
  if (impl_->items().find(deltas.back().key()) == nullptr) impl_->all.append(std::move(deltas));
  return {};
}

bool DeltaFifo::take(Taken& into) {
  Impl& impl = *impl_;
  if (impl.items().empty()) return false;
  into.deltas.swap(impl.spare);
  into.deltas.clear();
  impl.all.pop_front(into.deltas);
  into.is_in_initial_list = !has_synced();
  into.ticket = ++impl.next_ticket;
  const Delta& newest = into.deltas.back();
  impl.in_flight.push_back({into.ticket, newest.key(), newest.object(), newest.type() == DeltaType::Deleted});
  for (const Delta& delta : into.deltas) prefetch_document(delta.object());
  return true;
}

void DeltaFifo::finish(Taken& taken) {
  Impl& impl = *impl_;
  std::erase_if(impl.in_flight, [&](const auto& each) { return each.ticket == taken.ticket; });
  if (impl.initial > 0) --impl.initial;
  ++impl.finished;
  taken.deltas.clear();
  if (taken.deltas.capacity() <= kSpareCapacity) impl.spare.swap(taken.deltas);
}

bool DeltaFifo::is_populated() const noexcept {
  return impl_->populated;
}

bool DeltaFifo::has_synced() const noexcept {
  return impl_->populated && impl_->initial == 0;
}

std::size_t DeltaFifo::size() const {
  return impl_->items().size();
}

/// Keys are taken in the order they came: those under way are the next to be finished.
std::int64_t DeltaFifo::mark() const {
  return impl_->finished + static_cast<std::int64_t>(impl_->items().size() + impl_->in_flight.size());
}

bool DeltaFifo::has_processed(std::int64_t mark) const noexcept {
  return impl_->finished >= mark;
}

}  // namespace kubexx::delta
