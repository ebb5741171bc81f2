/// A consumer that applies changes as an informer does sees the same history however a queue hands them over.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "kubexx/delta/synchronized_queue.hpp"
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
  Object find(std::string_view key) const override {
    const auto at = cache_.find(std::string(key));
    return at == cache_.end() ? Object() : at->second;
  }
  const std::map<std::string, Object>& cache() const { return cache_; }

 private:
  void put(const meta::Key& key, const Object& object, bool initial, std::vector<std::string>& callbacks) {
    Object& place = cache_[key.text()];
    callbacks.push_back(place ? "update " + test::text_of(place) + " " + test::text_of(object)
                              : "add " + test::text_of(object) + (initial ? " initial" : ""));
    place = object;
  }
  void apply(const Delta& delta, bool initial, std::vector<std::string>& callbacks) {
    switch (delta.type()) {
      case DeltaType::Deleted: {
        const std::string key = delta.key().text();
        cache_.erase(key);
        callbacks.push_back("delete " + key);
        return;
      }
      case DeltaType::ReplacedAll: {
        std::map<std::string, Object> next;
        for (const auto& [key, object] : delta.objects()) next[key.text()] = object;
        for (const auto& entry : cache_) {
          if (!next.contains(entry.first)) callbacks.push_back("delete " + entry.first);
        }
        for (const auto& [key, object] : delta.objects()) put(key, object, initial, callbacks);
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
        put(delta.key(), delta.object(), initial, callbacks);
    }
  }
  std::map<std::string, Object> cache_;
};

/// The same random input for every queue that is driven with the same seed.
template <class Queue, class Pop>
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

/// What a consumer has seen in the end.
struct Seen {
  std::vector<std::string> history;
  std::vector<std::string> cache;
  friend bool operator==(const Seen&, const Seen&) = default;
};

template <class Queue>
Seen run(Queue& queue, Consumer& consumer, std::uint32_t seed) {
  const Process process = [&](Deltas& deltas, bool initial) { return consumer.process(deltas, initial); };
  drive(queue, seed, [&] {
    while (queue.try_pop(process).value()) {
    }
  });
  Seen seen{consumer.history, {}};
  for (const auto& [key, object] : consumer.cache()) seen.cache.push_back(key + " " + test::text_of(object));
  return seen;
}

Seen run_ordered(std::uint32_t seed, std::size_t batch_size) {
  Consumer consumer;
  test::FedOrdered queue({.batch_size = batch_size});
  return run(queue, consumer, seed);
}

Seen run_fifo(std::uint32_t seed) {
  const auto consumer = std::make_shared<Consumer>();
  test::FedFifo queue({.known_objects = consumer});
  return run(queue, *consumer, seed);
}

RC_GTEST_PROP(QueueHistoryTest, SplittingIntoBatchesNeverChangesTheHistory, (std::uint32_t seed, std::uint8_t size)) {
  RC_ASSERT(run_ordered(seed, 1) == run_ordered(seed, std::size_t{2} + size % 9));
}

RC_GTEST_PROP(QueueHistoryTest, ASynchronizedQueueGivesTheHistoryOfThePlainOne,
              (std::uint32_t seed, std::uint8_t size)) {
  const std::size_t batch_size = std::size_t{1} + size % 9;
  Consumer ordered;
  SynchronizedQueue queue(OrderedQueue({.batch_size = batch_size}));
  RC_ASSERT(run(queue, ordered, seed) == run_ordered(seed, batch_size));

  const auto collected = std::make_shared<Consumer>();
  SynchronizedQueue fifo(DeltaFifo({.known_objects = collected}));
  RC_ASSERT(run(fifo, *collected, seed) == run_fifo(seed));
}

RC_GTEST_PROP(QueueHistoryTest, BothQueuesLeadToTheSameCache, (std::uint32_t seed, std::uint8_t size)) {
  RC_ASSERT(run_fifo(seed).cache == run_ordered(seed, std::size_t{1} + size % 9).cache);
}

}  // namespace
}  // namespace kubexx::delta
