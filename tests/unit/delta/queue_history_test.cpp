/// A consumer that applies changes as an informer does sees the same history however a queue hands them over.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>

#include "kubexx/delta/ordered_queue.hpp"
#include "unit/delta/queue_support.hpp"

namespace kubexx::delta {
namespace {

using meta::Object;

/// Cache first, callbacks second; the cache decides between add and update.
class Consumer final : public KnownObjects {
 public:
  std::vector<std::string> history;

  Result<void> process(const Deltas& deltas, bool initial) {
    std::vector<std::string> callbacks;
    for (const Delta& delta : deltas) apply(delta, initial, callbacks);
    history.insert(history.end(), callbacks.begin(), callbacks.end());
    return {};
  }
  std::vector<std::string> list_keys() const override {
    std::vector<std::string> keys;
    for (const auto& entry : cache_) keys.push_back(entry.first);
    return keys;
  }
  Object get(std::string_view key) const override {
    const auto at = cache_.find(std::string(key));
    return at == cache_.end() ? Object() : at->second;
  }
  const std::map<std::string, Object>& cache() const { return cache_; }

 private:
  void put(const Object& object, bool initial, std::vector<std::string>& callbacks) {
    Object& place = cache_[meta::ObjectKey::of(object).to_string()];
    callbacks.push_back(place ? "update " + test::text_of(place) + " " + test::text_of(object)
                              : "add " + test::text_of(object) + (initial ? " initial" : ""));
    place = object;
  }
  void apply(const Delta& delta, bool initial, std::vector<std::string>& callbacks) {
    switch (delta.type()) {
      case DeltaType::Deleted: {
        const std::string key = key_of(delta).value();
        cache_.erase(key);
        callbacks.push_back("delete " + key);
        return;
      }
      case DeltaType::ReplacedAll: {
        std::map<std::string, Object> next;
        for (const Object& object : delta.objects()) next[meta::ObjectKey::of(object).to_string()] = object;
        for (const auto& entry : cache_) {
          if (!next.contains(entry.first)) callbacks.push_back("delete " + entry.first);
        }
        for (const Object& object : delta.objects()) put(object, initial, callbacks);
        cache_ = std::move(next);
        return;
      }
      case DeltaType::SyncAll:
        for (const auto& entry : cache_) {
          callbacks.push_back("update " + test::text_of(entry.second) + " " + test::text_of(entry.second));
        }
        return;
      case DeltaType::Bookmark:
        return;
      default:
        put(delta.object(), initial, callbacks);
    }
  }
  std::map<std::string, Object> cache_;
};

/// The same random input for every queue that is driven with the same seed.
template <class Pop>
void drive(Queue& queue, std::uint32_t seed, Pop pop_all) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  int version = 0;
  const auto any = [&] { return test::pod("p" + std::to_string(below(12)), ++version); };
  const auto list = [&] {
    std::vector<Object> objects;
    for (std::uint32_t i = 0; i < 12; ++i) {
      if (below(2) == 0) objects.push_back(test::pod("p" + std::to_string(i), ++version));
    }
    return objects;
  };
  if (below(2) == 0) RC_ASSERT(queue.replace(list(), "0").has_value());
  for (int step = 0; step < 120; ++step) {
    switch (below(16)) {
      case 0:
        RC_ASSERT(queue.replace(list(), std::to_string(version)).has_value());
        break;
      case 1:
        pop_all();
        RC_ASSERT(queue.resync().has_value());
        break;
      case 2:
      case 3:
        pop_all();
        break;
      case 4:
      case 5:
      case 6:
        RC_ASSERT(queue.remove(any()).has_value());
        break;
      default:
        RC_ASSERT((below(2) == 0 ? queue.add(any()) : queue.update(any())).has_value());
    }
  }
  pop_all();
}

void pop_singly(Queue& queue, Consumer& consumer) {
  const auto process = [&](const Deltas& deltas, bool initial) { return consumer.process(deltas, initial); };
  while (queue.try_pop(process).value()) {
  }
}

void pop_in_batches(Queue& queue, Consumer& consumer) {
  const auto process = [&](const Deltas& deltas, bool initial) { return consumer.process(deltas, initial); };
  while (queue.try_pop_batch(process, process).value()) {
  }
}

/// Deletions that follow each other have no order among themselves.
std::vector<std::string> without_order_of_deletions(std::vector<std::string> history) {
  const auto is_deletion = [](const std::string& text) { return text.starts_with("delete "); };
  for (auto at = history.begin(); at != history.end();) {
    const auto end = std::find_if_not(at, history.end(), is_deletion);
    std::sort(at, end);
    at = std::find_if(end, history.end(), is_deletion);
  }
  return history;
}

RC_GTEST_PROP(QueueHistoryTest, SplittingIntoBatchesNeverChangesTheHistory, (std::uint32_t seed, std::uint8_t size)) {
  for (const bool atomic : {true, false}) {
    const auto make = [&](const std::shared_ptr<Consumer>& consumer) {
      return OrderedQueue::Options{.atomic_events = atomic,
                                   .known_objects = atomic ? nullptr : consumer,
                                   .batch_size = std::size_t{1} + size % 9};
    };
    const auto one = std::make_shared<Consumer>();
    const auto many = std::make_shared<Consumer>();
    OrderedQueue singly(make(one));
    OrderedQueue batched(make(many));
    drive(singly, seed, [&] { pop_singly(singly, *one); });
    drive(batched, seed, [&] { pop_in_batches(batched, *many); });

    RC_ASSERT(one->history == many->history);
    RC_ASSERT(one->list_keys() == many->list_keys());
  }
}

RC_GTEST_PROP(QueueHistoryTest, AtomicAndPiecewiseListsGiveTheSameHistoryUpToTheOrderOfDeletions,
              (std::uint32_t seed)) {
  const auto whole = std::make_shared<Consumer>();
  const auto pieces = std::make_shared<Consumer>();
  OrderedQueue atomic;
  OrderedQueue piecewise({.atomic_events = false, .known_objects = pieces});
  drive(atomic, seed, [&] { pop_singly(atomic, *whole); });
  drive(piecewise, seed, [&] { pop_singly(piecewise, *pieces); });

  RC_ASSERT(without_order_of_deletions(whole->history) == without_order_of_deletions(pieces->history));
  RC_ASSERT(whole->list_keys() == pieces->list_keys());
}

}  // namespace
}  // namespace kubexx::delta
