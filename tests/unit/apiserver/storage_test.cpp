#include "apiserver/storage/storage.hpp"

#include <gtest/gtest.h>

#include <map>

#include "kubexx/base/random.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::apiserver {
namespace {

meta::Object config_map(const std::string& name, std::size_t bytes) {
  meta::Draft draft;
  draft["apiVersion"].set("v1");
  draft["kind"].set("ConfigMap");
  draft["metadata"]["name"].set(name);
  draft["metadata"]["resourceVersion"].set("0");
  draft["data"]["v"].set(std::string(bytes, 'x'));
  return draft.to_object();
}

/// The bytes of every state that an event holds and that is not the current one, each counted once.
std::size_t held_by_history(const Bucket& bucket) {
  std::map<std::string, std::size_t> states;
  for (const auto& event : bucket.history) {
    for (const meta::Object& state : {event->object, event->previous}) {
      if (!state) continue;
      const auto current = bucket.objects.find(event->key);
      if (current != bucket.objects.end() && current->second.resource_version() == state.resource_version()) continue;
      states[std::string(state.resource_version())] = state.byte_size() + state.shared_bytes();
    }
  }
  std::size_t sum = 0;
  for (const auto& [version, bytes] : states) sum += bytes;
  return sum;
}

TEST(StorageTest, TheHistoryHoldsNoMoreThanItsLimitWhateverWasReplacedByWhat) {
  constexpr std::size_t kLimit = 1 << 20;
  Storage storage(100'000, kLimit);
  const auto bucket = storage.bucket("", "configmaps");
  Random random(5);
  std::size_t most = 0;

  for (int step = 0; step < 2000; ++step) {
    const std::string key = "m" + std::to_string(random.below(60));
    static constexpr std::size_t kSizes[] = {10, 2'000, 50'000};
    if (random.below(4) == 0) {
      storage.erase(*bucket, key);
    } else {
      storage.put(*bucket, key, config_map(key, kSizes[random.below(3)]));
    }
    const std::size_t held = held_by_history(*bucket);
    ASSERT_LE(held, storage.history_bytes());
    ASSERT_LE(storage.history_bytes(), kLimit);
    most = std::max(most, held);
  }

  EXPECT_GT(most, kLimit * 3 / 4);  // the limit is used, too
}

}  // namespace
}  // namespace kubexx::apiserver
