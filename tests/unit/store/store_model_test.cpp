/// The store against a naive model: a map, and indexes computed from scratch.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <random>
#include <set>
#include <utility>

#include "kubexx/store/store.hpp"
#include "unit/store/writes.hpp"

namespace kubexx::store {
namespace {

using meta::Object;

Result<std::vector<std::string>> letters_of(const Object& object) {
  const std::string_view text = object.labels()["letters"].string();
  std::vector<std::string> values;
  for (const char letter : text) values.emplace_back(1, letter);
  return values;
}

using Model = std::map<std::string, Object>;
using Values = std::map<std::string, std::set<std::string>>;

Indexers all_indexers() {
  return {{"namespace", meta_namespace_index}, {"app", label_index("app")}, {"letters", letters_of}};
}

Values naive_index(const Model& model, const IndexFunc& function) {
  Values values;
  for (const auto& [key, object] : model) {
    const auto of_this = function(object);
    for (const std::string& value : *of_this) values[value].insert(key);
  }
  return values;
}

void check(const Snapshot& snapshot, const Model& model, const Indexers& indexers) {
  RC_ASSERT(snapshot.size() == model.size());
  for (const auto& [key, object] : model) RC_ASSERT(snapshot.find(key).same_document(object));
  std::set<std::string> keys;
  snapshot.for_each_with_key([&](std::string_view key, const Object& object) {
    RC_ASSERT(model.at(std::string(key)).same_document(object));
    keys.emplace(key);
  });
  RC_ASSERT(keys.size() == model.size());
  for (const auto& [name, function] : indexers) {
    const Values expected = naive_index(model, function);
    const auto values = snapshot.list_index_values(name);
    RC_ASSERT(values.size() == expected.size());
    for (const auto& [value, members] : expected) {
      const auto found = snapshot.index_keys(name, value);
      RC_ASSERT(found.has_value());
      RC_ASSERT(*found == std::vector<std::string>(members.begin(), members.end()));
    }
  }
}

class Run {
 public:
  explicit Run(std::uint32_t seed) : random_(seed), indexers_(all_indexers()), store_(indexers_, key_func()) {}

  void step() {
    switch (below(40)) {
      case 0:
        return replace();
      case 1:
        return apply();
      case 2:
      case 3:
        return take_snapshot();
      case 4:
      case 5:
        return drop_snapshot();
      case 6:
        return toggle_index();
      default:
        return below(3) == 0 ? remove() : put();
    }
  }
  void check_now() { check(store_.snapshot(), model_, indexers_); }
  void finish() {
    check_now();
    while (!held_.empty()) drop_snapshot();
  }

 private:
  struct Held {
    Snapshot snapshot;
    Model model;
    Indexers indexers;
  };

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  /// By name, by uid, or both in one store: keys that the object has by default and keys it has not.
  meta::KeyFunc key_func() {
    const std::uint32_t kind = below(3);
    if (kind == 0) return {};
    return [kind](const Object& object) -> Result<std::string> {
      if (kind == 1 || object.name().back() % 2 == 0) return std::string(object.uid());
      return meta::ObjectKey::of(object).to_string();
    };
  }
  Object random_object() {
    const std::uint32_t number = below(keys_);
    std::string some;
    for (std::uint32_t i = below(4); i > 0; --i) some += static_cast<char>('a' + below(5));
    return test::make_pod({.namespace_ = "ns" + std::to_string(number % 3),
                           .name = "pod-" + std::to_string(number),
                           .version = std::to_string(++version_),
                           .labels = {{"app", std::to_string(below(200))}, {"letters", some}}});
  }
  void put() {
    const Object object = random_object();
    RC_ASSERT(store_.add(object).has_value());
    model_[store_.key_of(object).value()] = object;
  }
  void remove() {
    const Object object = random_object();
    RC_ASSERT(store_.remove(object).has_value());
    model_.erase(store_.key_of(object).value());
  }
  /// What the model has under the key; null: nothing.
  Object known(const std::string& key) const {
    const auto at = model_.find(key);
    return at == model_.end() ? Object() : at->second;
  }
  static bool is_same(const Object& a, const Object& b) { return !a ? !b : a.same_document(b); }
  void apply() {
    std::vector<Write> all;
    std::vector<Object> expected;
    for (std::uint32_t i = below(30); i > 0; --i) {
      const Object object = random_object();
      const std::string key = store_.key_of(object).value();
      expected.push_back(known(key));
      if (below(3) == 0) {
        all.push_back(below(2) == 0 ? test::removal_of(object) : test::removal(key));
        model_.erase(key);
      } else {
        all.push_back(below(2) == 0 ? test::put(object) : test::put(key, object));
        model_[key] = object;
      }
    }
    RC_ASSERT(store_.apply(all).has_value());
    for (std::size_t i = 0; i < all.size(); ++i) RC_ASSERT(is_same(all[i].previous, expected[i]));
  }
  void replace() {
    keys_ = 1 + below(1500);
    std::vector<Write> all;
    Model next;
    for (std::uint32_t i = below(2 * keys_); i > 0; --i) {
      const Object object = below(2) == 0 || model_.empty() ? random_object() : model_.begin()->second;
      all.push_back(test::put(object));
      next[store_.key_of(object).value()] = object;
    }
    const auto gone = store_.replace(all, "r");
    RC_ASSERT(gone.has_value());
    for (const Write& write : all) RC_ASSERT(is_same(write.previous, known(write.key.text())));
    for (const auto& [key, object] : *gone) {
      RC_ASSERT(!next.contains(key.text()));
      RC_ASSERT(is_same(object, known(key.text())));
      RC_ASSERT(model_.erase(key.text()) == 1U);
    }
    for (const auto& entry : model_) RC_ASSERT(next.contains(entry.first));
    model_ = std::move(next);
  }
  void take_snapshot() {
    if (held_.size() < 6) held_.push_back({store_.snapshot(), model_, indexers_});
  }
  void drop_snapshot() {
    if (held_.empty()) return;
    const std::size_t at = below(static_cast<std::uint32_t>(held_.size()));
    check(held_[at].snapshot, held_[at].model, held_[at].indexers);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void toggle_index() {
    const std::string name = below(2) == 0 ? "app" : "letters";
    if (indexers_.erase(name) != 0) {
      RC_ASSERT(store_.remove_indexer(name).has_value());
    } else {
      const IndexFunc function = all_indexers().at(name);
      RC_ASSERT(store_.add_indexers({{name, function}}).has_value());
      indexers_.emplace(name, function);
    }
  }

  std::mt19937 random_;
  Indexers indexers_;
  Indexer store_;
  Model model_;
  std::vector<Held> held_;
  std::uint32_t keys_ = 600;
  int version_ = 0;
};

RC_GTEST_PROP(StoreModelTest, EqualsTheModelAfterRandomOperationsWithRandomSnapshotsHeld, (std::uint32_t seed)) {
  Run run(seed);
  for (int i = 0; i < 600; ++i) {
    run.step();
    if (i % 150 == 149) run.check_now();
  }
  run.finish();
}

TEST(StoreModelTest, AGreatManyObjectsUnderOneValueAreFoundAndRemovedInAnyOrder) {
  constexpr int kObjects = 20'000;
  Indexer store(namespace_indexers());
  std::vector<Object> all;
  for (int i = 0; i < kObjects; ++i) all.push_back(test::pod("p" + std::to_string(i)));
  for (const Object& object : all) ASSERT_TRUE(store.add(object));
  EXPECT_EQ(store.by_index("namespace", "default")->size(), static_cast<std::size_t>(kObjects));

  std::shuffle(all.begin(), all.end(), std::mt19937(7));
  for (int i = 0; i < kObjects; ++i) {
    ASSERT_TRUE(store.remove(all[static_cast<std::size_t>(i)]));
    if (i % 4'999 == 0) {
      const auto left = store.by_index("namespace", "default");
      ASSERT_EQ(left->size(), static_cast<std::size_t>(kObjects - i - 1));
      std::set<std::string_view> names;
      for (const Object& object : *left) names.insert(object.name());
      EXPECT_EQ(names.size(), left->size());
    }
  }
  EXPECT_TRUE(store.list_index_values("namespace").empty());
}

}  // namespace
}  // namespace kubexx::store
