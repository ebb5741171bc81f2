#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "delta/ordered_queue_state.hpp"

/// The operations that look at everything under way: they hold both mutexes, in the order head, tail.
namespace kubexx::delta {
namespace {

/// The last change under way of each key, in the order the keys were first seen.
class UnderWay {
 public:
  struct Last {
    std::string key;
    meta::Object object;
    bool deleted;
  };
  void note(std::string key, const meta::Object& object, bool deleted) {
    const auto [at, is_new] = places_.try_emplace(std::move(key), order_.size());
    if (is_new) {
      order_.push_back({at->first, object, deleted});
    } else {
      order_[at->second].object = object;
      order_[at->second].deleted = deleted;
    }
  }
  bool contains(const std::string& key) const { return places_.contains(key); }
  const std::vector<Last>& all() const noexcept { return order_; }

 private:
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<Last> order_;
};

template <class State>
UnderWay collect(const State& state) {
  UnderWay found;
  for (const auto& each : state.in_flight) found.note(each.key, each.object, each.deleted);
  const auto note = [&](const auto& item) {
    if (!item.delta.has_key()) return;
    found.note(state.key_text(item), item.delta.object(), item.delta.type() == DeltaType::Deleted);
  };
  std::for_each(state.head.begin() + static_cast<std::ptrdiff_t>(state.head_at), state.head.end(), note);
  std::for_each(state.tail.begin(), state.tail.end(), note);
  return found;
}

}  // namespace

Result<void> OrderedQueue::State::replace_piecewise(std::vector<meta::Object> objects, bool repairs) {
  std::vector<Item> items;
  std::unordered_set<std::string> listed;
  items.reserve(objects.size());
  listed.reserve(objects.size());
  for (auto& object : objects) {
    if (auto changed = intake.transform(object); !changed) return changed.error().with_context("replace");
    auto keyed = intake.with_key(object, [&](std::string_view key) {
      listed.emplace(key);
      items.push_back(
          {Delta(DeltaType::Replaced, std::move(object)).marked(repairs), meta::hash_key(key), own_key(key)});
    });
    if (!keyed) return keyed.error().with_context("replace");
  }

  bool was_empty = false;
  std::vector<std::string> vanished;
  {
    const std::scoped_lock lock(head_mutex, tail_mutex);
    const auto bury = [&](const std::string& key, meta::Object last) {
      was_empty |= push({Delta::tombstone({key, std::move(last)}).marked(repairs), meta::hash_key(key), own_key(key)});
    };
    const UnderWay under_way = collect(*this);
    for (const auto& last : under_way.all()) {
      if (!last.deleted && !listed.contains(last.key)) bury(last.key, last.object);
    }
    for (const std::string& key : options.known_objects->list_keys()) {
      if (listed.contains(key) || under_way.contains(key)) continue;
      meta::Object last = options.known_objects->get(key);
      if (!last) vanished.push_back(key);
      bury(key, std::move(last));
    }
    for (Item& item : items) was_empty |= push(std::move(item));
    populate(pushed.load(std::memory_order_relaxed));
  }
  warn_of_vanished(vanished);
  after_push(was_empty);
  return {};
}

Result<void> OrderedQueue::State::resync_piecewise() {
  bool was_empty = false;
  {
    const std::scoped_lock lock(head_mutex, tail_mutex);
    const UnderWay under_way = collect(*this);
    for (const std::string& key : options.known_objects->list_keys()) {
      if (under_way.contains(key)) continue;
      meta::Object known = options.known_objects->get(key);
      if (!known) continue;
      was_empty |= push({Delta(DeltaType::Sync, std::move(known)), meta::hash_key(key), own_key(key)});
    }
  }
  after_push(was_empty);
  return {};
}

Result<void> OrderedQueue::State::replace(std::vector<meta::Object> objects, std::string resource_version,
                                          bool repairs) {
  if (!options.atomic_events) return replace_piecewise(std::move(objects), repairs);
  for (auto& object : objects) {
    if (auto changed = intake.transform(object); !changed) return changed.error().with_context("replace");
    auto keyed = intake.with_key(object, [](std::string_view) {});
    if (!keyed) return keyed.error().with_context("replace");
  }
  enqueue_keyless(Delta::replaced_all(std::move(objects), std::move(resource_version)).marked(repairs), true);
  return {};
}

Result<void> OrderedQueue::replace(std::vector<meta::Object> objects, std::string resource_version) {
  return state_->replace(std::move(objects), std::move(resource_version), false);
}

Result<void> OrderedQueue::repair(std::vector<meta::Object> objects, std::string resource_version) {
  return state_->replace(std::move(objects), std::move(resource_version), true);
}

Result<void> OrderedQueue::resync() {
  if (!state_->options.atomic_events) return state_->resync_piecewise();
  state_->enqueue_keyless(Delta::sync_all(), false);
  return {};
}

Result<void> OrderedQueue::add_if_not_present(Deltas deltas) {
  if (deltas.empty()) return Error::config("nothing to put back: no deltas");
  State& state = *state_;
  std::vector<std::string> keys;
  for (const Delta& delta : deltas) {
    auto key = delta.has_key() ? state.intake.key_of(delta) : Result<std::string>(std::string());
    if (!key) return key.error();
    keys.push_back(std::move(*key));
  }
  bool was_empty = false;
  {
    const std::scoped_lock lock(state.head_mutex, state.tail_mutex);
    state.populate(0);
    std::unordered_set<std::string> queued;
    bool list_queued = false;
    const auto note = [&](const State::Item& item) {
      if (item.delta.has_key()) queued.insert(state.key_text(item));
      list_queued |= item.delta.type() == DeltaType::ReplacedAll;
    };
    std::for_each(state.head.begin() + static_cast<std::ptrdiff_t>(state.head_at), state.head.end(), note);
    std::for_each(state.tail.begin(), state.tail.end(), note);
    for (std::size_t i = 0; i < deltas.size(); ++i) {
      Delta& delta = deltas[i];
      if (delta.type() == DeltaType::Bookmark) continue;
      if (delta.type() == DeltaType::ReplacedAll) {
        // Behind later changes it would undo them. It counts as not processed, so the queue is not synced before it is.
        const auto front = state.head.begin() + static_cast<std::ptrdiff_t>(state.head_at);
        state.head.insert(front, State::Item{std::move(delta), 0, nullptr});
        was_empty |= state.depth() == 0;
        state.taken.fetch_sub(1);
        state.processed.fetch_sub(1);
        continue;
      }
      // A whole list that waits is newer, and behind it the change would undo what the list says.
      if (delta.has_key() && (list_queued || queued.contains(keys[i]))) continue;
      was_empty |= state.push({std::move(delta), meta::hash_key(keys[i]), state.own_key(keys[i])});
    }
  }
  state.after_push(was_empty);
  return {};
}

}  // namespace kubexx::delta
