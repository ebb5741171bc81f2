#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/delta/queue.hpp"
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
  meta::Object get(std::string_view key) const override {
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
      for (const auto& object : delta.objects()) text += (text.back() == '[' ? "" : " ") + text_of(object);
      text += "]";
    }
    return text;
  }
  if (!delta.is_tombstone()) return text + " " + text_of(delta.object());
  return text + "! " + (delta.object() ? text_of(delta.object()) : delta.tombstone_key());
}
inline std::string text_of(const delta::Deltas& deltas) {
  std::string text;
  for (const auto& delta : deltas) text += (text.empty() ? "" : ", ") + text_of(delta);
  return text;
}

/// Takes one item; "(empty)" when there is none.
inline std::string pop_text(delta::Queue& queue) {
  std::string text = "(empty)";
  static_cast<void>(queue.try_pop([&](delta::Deltas& deltas, bool) -> Result<void> {
    text = text_of(deltas);
    return {};
  }));
  return text;
}
/// Takes everything, one item at a time.
inline std::vector<std::string> drain(delta::Queue& queue) {
  std::vector<std::string> texts;
  for (std::string text = pop_text(queue); text != "(empty)"; text = pop_text(queue)) texts.push_back(text);
  return texts;
}

}  // namespace kubexx::test
