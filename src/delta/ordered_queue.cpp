#include "kubexx/delta/ordered_queue.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "delta/ordered_queue_state.hpp"
#include "delta/prefetch.hpp"

namespace kubexx::delta {
namespace {

constexpr std::size_t kKeptCapacity = 4096;  // a vector that grew beyond it is given back once it is used up

OrderedQueue::Options checked(OrderedQueue::Options options) {
  if (options.atomic_events && options.known_objects) {
    throw std::logic_error("a queue with atomic events needs no known objects");
  }
  if (!options.atomic_events && !options.known_objects) {
    throw std::logic_error("a queue without atomic events needs known objects");
  }
  if (!options.atomic_events && options.emit_bookmarks) {
    throw std::logic_error("bookmarks are emitted with atomic events only");
  }
  if (options.batch_size == 0) throw std::logic_error("the batch size is at least 1");
  return options;
}

}  // namespace

OrderedQueue::State::State(Options given)
    : options(checked(std::move(given))), intake(options.key_func, options.transform) {}

std::unique_ptr<std::string> OrderedQueue::State::own_key(std::string_view key) const {
  return intake.default_keys() ? nullptr : std::make_unique<std::string>(key);
}

std::string OrderedQueue::State::key_text(const Item& item) const {
  if (item.key) return *item.key;
  if (item.delta.is_tombstone()) return item.delta.tombstone_key();
  return std::string(meta::KeyText(item.delta.object()).view());
}

bool OrderedQueue::State::push(Item item) {
  const std::int64_t before = pushed.load(std::memory_order_relaxed);
  tail.push_back(std::move(item));
  pushed.store(before + 1);
  return taken.load() == before;
}

void OrderedQueue::State::populate(std::int64_t initial) {
  if (initial_end.load(std::memory_order_relaxed) == kUnpopulated) initial_end.store(initial);
}

void OrderedQueue::State::after_push(bool was_empty) {
  if (was_empty) gate.became_ready();
  latch_if_synced();
}

void OrderedQueue::State::latch_if_synced() {
  if (!gate.synced() && processed.load() >= initial_end.load()) gate.latch_synced();
}

Result<void> OrderedQueue::State::enqueue(DeltaType type, meta::Object object) {
  if (auto changed = intake.transform(object); !changed) return changed.error();
  return intake.with_key(object, [&](std::string_view key) {
    Item item{Delta(type, std::move(object)), meta::hash_key(key), own_key(key)};
    bool was_empty = false;
    {
      const BriefLock lock(tail_mutex);
      populate(0);
      was_empty = push(std::move(item));
    }
    after_push(was_empty);
  });
}

void OrderedQueue::State::enqueue_keyless(Delta delta, bool is_replace) {
  bool was_empty = false;
  {
    const BriefLock lock(tail_mutex);
    was_empty = push({std::move(delta), 0, nullptr});
    if (is_replace) populate(pushed.load(std::memory_order_relaxed));
  }
  after_push(was_empty);
}

bool OrderedQueue::State::refill() {
  if (head_at < head.size()) return true;
  head_at = 0;
  if (head.capacity() > kKeptCapacity) {
    head = std::vector<Item>();
  } else {
    head.clear();
  }
  const BriefLock lock(tail_mutex);
  head.swap(tail);
  return !head.empty();
}

void OrderedQueue::State::take_one(Taken& into) {
  Item& item = head[head_at++];
  prefetch_document(item.delta.object());
  if (!options.atomic_events) {
    in_flight.push_back({into.ticket, key_text(item), item.delta.object(), item.delta.type() == DeltaType::Deleted});
  }
  into.deltas.push_back(std::move(item.delta));
}

bool OrderedQueue::State::take(Taken& into, std::size_t limit) {
  const BriefLock lock(head_mutex);
  if (!refill()) return false;
  const std::int64_t first = taken.load(std::memory_order_relaxed);
  const std::int64_t end_of_initial = initial_end.load();
  into.initial = !gate.synced();
  into.ticket = next_ticket++;
  if (limit == 1 || !head[head_at].delta.has_key()) {
    take_one(into);
    taken.store(first + 1);
    return true;
  }

  std::size_t room = std::min(limit, head.size() - head_at);
  if (first < end_of_initial && end_of_initial != kUnpopulated) {
    room = std::min(room, static_cast<std::size_t>(end_of_initial - first));
  }
  // Keys met so far, by hash: two keys that share one end the batch early, which changes nothing else.
  std::size_t slots = 4;
  while (slots < 2 * room) slots *= 2;
  seen.assign(slots, 0);
  into.deltas.reserve(room);
  for (std::size_t n = 0; n < room; ++n) {
    const Item& item = head[head_at];
    if (!item.delta.has_key()) break;
    const std::uint64_t mark = item.hash | 1;
    std::size_t at = (item.hash >> 1) & (slots - 1);
    while (seen[at] != 0 && seen[at] != mark) at = (at + 1) & (slots - 1);
    if (seen[at] == mark) break;
    seen[at] = mark;
    take_one(into);
  }
  taken.store(first + static_cast<std::int64_t>(into.deltas.size()));
  return true;
}

Result<bool> OrderedQueue::State::run(Taken& taken_now, const Process& process) {
  const auto count = static_cast<std::int64_t>(taken_now.deltas.size());
  const Result<void> done = run_process(process, taken_now.deltas, taken_now.initial);
  if (!options.atomic_events) {
    const BriefLock lock(head_mutex);
    std::erase_if(in_flight, [&](const InFlight& each) { return each.ticket == taken_now.ticket; });
  }
  processed.fetch_add(count);
  latch_if_synced();
  if (!done) return done.error();
  return true;
}

OrderedQueue::OrderedQueue() : OrderedQueue(Options{}) {}
OrderedQueue::OrderedQueue(Options options) : state_(std::make_unique<State>(std::move(options))) {}
OrderedQueue::~OrderedQueue() = default;

Result<void> OrderedQueue::add(meta::Object object) {
  return state_->enqueue(DeltaType::Added, std::move(object));
}

Result<void> OrderedQueue::update(meta::Object object) {
  return state_->enqueue(DeltaType::Updated, std::move(object));
}

Result<void> OrderedQueue::remove(meta::Object object) {
  return state_->enqueue(DeltaType::Deleted, std::move(object));
}

void OrderedQueue::bookmark(std::string_view resource_version) {
  if (state_->options.emit_bookmarks) state_->enqueue_keyless(Delta::bookmark(std::string(resource_version)), false);
}

meta::Object OrderedQueue::prefer_known(meta::Object fresh) {
  return state_->options.prefer_known ? state_->options.prefer_known(std::move(fresh)) : fresh;
}

Result<bool> OrderedQueue::try_pop(const Process& process) {
  State::Taken taken;
  if (!state_->take(taken, 1)) return false;
  return state_->run(taken, process);
}

Result<bool> OrderedQueue::try_pop_batch(const Process& batch, const Process& single) {
  State::Taken taken;
  if (!state_->take(taken, state_->options.batch_size)) return false;
  return state_->run(taken, taken.deltas.size() == 1 ? single : batch);
}

void OrderedQueue::on_ready(std::function<void()> hook) {
  state_->gate.on_ready(std::move(hook));
}

void OrderedQueue::on_synced(std::function<void()> hook) {
  state_->gate.on_synced(std::move(hook));
}

bool OrderedQueue::has_synced() const {
  return state_->gate.synced();
}

std::size_t OrderedQueue::size() const {
  return state_->depth();
}

void OrderedQueue::close() {
  state_->gate.close();
}

bool OrderedQueue::is_closed() const {
  return state_->gate.closed();
}

bool OrderedQueue::wait(std::stop_token stop) {
  return state_->gate.wait(stop, [this] { return state_->depth() != 0; });
}

}  // namespace kubexx::delta
