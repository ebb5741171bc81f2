#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/delta/delta_fifo.hpp"
#include "kubexx/delta/intake.hpp"
#include "kubexx/delta/ordered_queue.hpp"
#include "unit/store/test_objects.hpp"

namespace kubexx::test {

/// What a consumer holds, as the queues see it.
class FakeKnownObjects final : public delta::KnownObjects {
 public:
  explicit FakeKnownObjects(const std::vector<meta::Object>& objects = {}) {
    for (const auto& object : objects) put(object);
  }
  void put(const meta::Object& object) { objects_[meta::ObjectKey::of(object).to_string()] = object; }
  void erase(const std::string& key) { objects_.erase(key); }
  /// Listed, but not found any more when asked for.
  void lose(const std::string& key) { objects_[key] = {}; }

  std::vector<std::string> list_keys() const override {
    std::vector<std::string> keys;
    for (const auto& entry : objects_) keys.push_back(entry.first);
    return keys;
  }
  meta::Object find(std::string_view key) const override {
    const auto at = objects_.find(std::string(key));
    return at == objects_.end() ? meta::Object() : at->second;
  }

 private:
  std::map<std::string, meta::Object> objects_;
};

inline std::shared_ptr<FakeKnownObjects> known(const std::vector<meta::Object>& objects) {
  return std::make_shared<FakeKnownObjects>(objects);
}

/// "Added default/a@1", "Deleted! default/a@1" for a tombstone, "Deleted! default/a" for one without a last state,
/// "ReplacedAll@7[default/a@1]", "SyncAll", "Bookmark@9".
inline std::string text_of(const meta::Object& object) {
  return meta::ObjectKey::of(object).to_string() + "@" + std::string(object.resource_version());
}
inline std::string text_of(const delta::Delta& delta) {
  std::string text(delta::to_string(delta.type()));
  if (!delta.has_key()) {
    if (delta.type() != delta::DeltaType::SyncAll) text += "@" + delta.resource_version();
    if (delta.type() == delta::DeltaType::ReplacedAll) {
      text += "[";
      for (const auto& each : delta.objects()) text += (text.back() == '[' ? "" : " ") + text_of(each.object);
      text += "]";
    }
    return text;
  }
  if (!delta.is_tombstone()) return text + " " + text_of(delta.object());
  return text + "! " + (delta.object() ? text_of(delta.object()) : delta.key().text());
}
inline std::string text_of(const delta::Deltas& deltas) {
  std::string text;
  for (const auto& delta : deltas) text += (text.empty() ? "" : ", ") + text_of(delta);
  return text;
}

/// A plain queue as a producer of objects uses it: behind an intake. With it a test of a plain queue reads as one of a
/// SynchronizedQueue.
template <class Plain>
class Fed : public Plain {
 public:
  using Options = typename Plain::Options;
  Fed() = default;
  explicit Fed(Options options, delta::Intake intake = {}) : Plain(std::move(options)), intake_(std::move(intake)) {}
  explicit Fed(delta::Intake intake) : intake_(std::move(intake)) {}

  Result<void> add(meta::Object object) { return feed(&Plain::add, std::move(object)); }
  Result<void> update(meta::Object object) { return feed(&Plain::update, std::move(object)); }
  Result<void> remove(meta::Object object) { return feed(&Plain::remove, std::move(object)); }
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version) {
    return replace(std::move(objects), std::move(resource_version), false);
  }
  Result<void> repair(std::vector<meta::Object> objects, std::string resource_version) {
    return replace(std::move(objects), std::move(resource_version), true);
  }
  Result<void> resync() {
    Plain::resync();
    return {};
  }

 private:
  Result<void> feed(void (Plain::*into)(meta::Key, meta::Object), meta::Object object) {
    auto keyed = intake_.take(std::move(object));
    if (!keyed) return keyed.error();
    (this->*into)(std::move(keyed->key), std::move(keyed->object));
    return {};
  }
  Result<void> replace(std::vector<meta::Object> objects, std::string resource_version, bool repairs) {
    auto keyed = intake_.take(std::move(objects));
    if (!keyed) return keyed.error();
    Plain::replace(std::move(*keyed), std::move(resource_version), repairs);
    return {};
  }
  delta::Intake intake_;
};
/// One change at a time.
inline constexpr delta::OrderedQueue::Options kSingly{.batch_size = 1};

using FedFifo = Fed<delta::DeltaFifo>;
using FedOrdered = Fed<delta::OrderedQueue>;

/// Takes one item (or batch); "(empty)" when there is none.
template <class Queue>
std::string pop_text(Queue& queue) {
  std::string text = "(empty)";
  static_cast<void>(queue.try_pop([&](delta::Deltas& deltas, bool) -> Result<void> {
    text = text_of(deltas);
    return {};
  }));
  return text;
}
/// Takes everything, one item (or batch) at a time.
template <class Queue>
std::vector<std::string> drain(Queue& queue) {
  std::vector<std::string> texts;
  for (std::string text = pop_text(queue); text != "(empty)"; text = pop_text(queue)) texts.push_back(text);
  return texts;
}

}  // namespace kubexx::test
