#include "kubexx/meta/conditions.hpp"

#include "kubexx/meta/time.hpp"

namespace kubexx::meta {

namespace {

DraftRef conditions_of(const Draft& draft) {
  return draft["status"]["conditions"];
}

DraftRef find_in(DraftRef conditions, std::string_view type) {
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (conditions[i]["type"].string() == type) return conditions[i];
  }
  return {};
}

bool set_text(DraftRef field, std::string_view text) {
  if (field.get_string() == text) return false;
  field.set(text);
  return true;
}

}  // namespace

Value find_condition(const Object& object, std::string_view type) noexcept {
  return find_condition(object["status"]["conditions"], type);
}

Value find_condition(Value conditions, std::string_view type) noexcept {
  for (const Value condition : conditions.items()) {
    if (condition["type"].string() == type) return condition;
  }
  return {};
}

bool is_condition_true(const Object& object, std::string_view type) noexcept {
  return find_condition(object, type)["status"].string() == "True";
}

bool is_condition_false(const Object& object, std::string_view type) noexcept {
  return find_condition(object, type)["status"].string() == "False";
}

bool set_condition(Draft& draft, const Condition& condition, WallTime now) {
  return set_condition(conditions_of(draft), condition, now);
}

bool set_condition(DraftRef conditions, const Condition& condition, WallTime now) {
  auto entry = find_in(conditions, condition.type);
  if (!entry.exists()) {
    entry = conditions.append();
    entry["type"].set(condition.type);
  }
  bool changed = false;
  if (entry["status"].get_string() != std::string_view(condition.status)) {
    entry["status"].set(condition.status);
    if (condition.observed_generation) entry["observedGeneration"].set(*condition.observed_generation);
    entry["lastTransitionTime"].set(Time::from_wall(now).to_string());
    changed = true;
  }
  if (condition.observed_generation && entry["observedGeneration"].get_int() != condition.observed_generation) {
    entry["observedGeneration"].set(*condition.observed_generation);
    changed = true;
  }
  changed |= set_text(entry["reason"], condition.reason);
  changed |= set_text(entry["message"], condition.message);
  return changed;
}

bool remove_condition(Draft& draft, std::string_view type) {
  return remove_condition(conditions_of(draft), type);
}

bool remove_condition(DraftRef conditions, std::string_view type) {
  const auto entry = find_in(conditions, type);
  if (!entry.exists()) return false;
  entry.erase();
  return true;
}

}  // namespace kubexx::meta
