#include "simulation/checked_handler.hpp"

#include "kubexx/meta/resource_version.hpp"

namespace kubexx::simulation {
namespace {

std::string key_of(const meta::Object& object) {
  return meta::ObjectKey::of(object).to_string();
}

bool fell(const meta::Object& before, const meta::Object& after) {
  const auto order = meta::compare_resource_versions(after.resource_version(), before.resource_version());
  return !order || *order == std::strong_ordering::less;
}

std::string text(const meta::Object& object) {
  return object ? to_string(seen(object)) : "nothing";
}

}  // namespace

View CheckedHandler::view() const {
  View view;
  for (const auto& [key, object] : last_) view[key] = seen(object);
  return view;
}

void CheckedHandler::problem(const char* call, const std::string& key, const std::string& what) {
  world_.illegal_call(name_ + " " + call + " " + key + ": " + what);
}

void CheckedHandler::check_state(const char* call, const meta::Object& object) {
  if (removed) problem(call, key_of(object), "called after its removal");
  if (!world_.existed(object)) problem(call, key_of(object), text(object) + " was never written");
}

void CheckedHandler::on_add(const meta::Object& object, bool initial, const informer::EventContext& context) {
  const auto key = key_of(object);
  world_.note(name_ + " add " + key + text(object) + " " + std::string(informer::to_string(context.cause())));
  check_state("add", object);
  if (last_.contains(key)) problem("add", key, "it is there already, as " + text(last_[key]));
  if (initial && registration.has_synced()) problem("add", key, "an initial add after the handler was synced");
  last_[key] = object;
}

void CheckedHandler::on_update(const meta::Object& before, const meta::Object& after,
                               const informer::EventContext& context) {
  const auto key = key_of(after);
  world_.note(name_ + " update " + key + text(before) + text(after) + " " +
              std::string(informer::to_string(context.cause())));
  check_state("update", after);
  const auto known = last_.find(key);
  if (known == last_.end()) {
    problem("update", key, "it was never added");
  } else if (seen(known->second) != seen(before)) {
    problem("update", key, "from " + text(before) + ", but last was " + text(known->second));
  }
  if (fell(before, after) && !world_.may_fall(before)) {
    problem("update", key, "the version fell from " + text(before) + " to " + text(after));
  }
  if (context.cause() == informer::EventCause::Resync && seen(before) != seen(after)) {
    problem("update", key, "a resync that changed something");
  }
  last_[key] = after;
}

void CheckedHandler::on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) {
  const auto& key = gone.key();
  world_.note(name_ + " delete " + key + text(gone.last_known()) + " " +
              std::string(informer::to_string(context.cause())));
  if (removed) problem("delete", key, "called after its removal");
  const auto known = last_.find(key);
  if (known == last_.end()) return problem("delete", key, "it was never added");
  if (!gone.last_known()) {
    problem("delete", key, "without the last state");
  } else if (!gone.final_state_known() && !coalesces_ && seen(known->second) != seen(gone.last_known())) {
    problem("delete", key, "last state " + text(gone.last_known()) + ", but last was " + text(known->second));
  } else if (fell(known->second, gone.last_known()) && !world_.may_fall(known->second)) {
    problem("delete", key, "the version fell from " + text(known->second) + " to " + text(gone.last_known()));
  }
  last_.erase(known);
}

}  // namespace kubexx::simulation
