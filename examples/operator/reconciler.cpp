#include "reconciler.hpp"

namespace greeting_operator {

using namespace kubexx;
using api::core::v1::ConfigMapDraft;
using controller::Action;
using meta::ObjectKey;

Reconciler::Reconciler(const controller::CachedClient& cached, std::string show_in, events::EventRecorder recorder)
    : objects_(cached.api<Greeting>()),
      maps_(cached.api<ConfigMap>()),
      show_in_(std::move(show_in)),
      recorder_(std::move(recorder)) {}

// [begin reconcile]
Result<Action> Reconciler::operator()(const ObjectKey& key, std::stop_token stop) const {
  const auto found = objects_.get(key, {.stop = stop});  // with all that was written to it before
  if (!found && found.error().is_not_found()) return Action::done();
  if (!found) return found.error();

  const auto cleanup = [&](const Greeting& dying) { return hide(dying, stop); };
  const auto finalized = controller::finalize(objects_, *found, kFinalizer, cleanup, {.stop = stop});
  if (!finalized) return finalized.error();
  if (finalized->deleted) return Action::done();

  const auto current = Greeting::unchecked(finalized->object);
  const auto changed = show(current, stop);
  if (!changed) return changed.error();
  if (auto saved = save_status(current, stop); !saved) return saved.error();
  if (*changed) recorder_.event(current, "Normal", "Shown", "shown as " + place_of(current).to_string());
  return Action::done();
}
// [end reconcile]

ObjectKey Reconciler::place_of(const Greeting& wanted) const {
  return {show_in_, std::string(wanted.namespace_()) + "." + std::string(wanted.name())};
}

Result<void> Reconciler::hide(const Greeting& wanted, const std::stop_token& stop) const {
  auto removed = maps_.remove(place_of(wanted), {.stop = stop});
  if (!removed && !removed.error().is_not_found()) return removed;
  recorder_.event(wanted, "Normal", "Hidden", "shown no more");
  return {};
}

Result<bool> Reconciler::show(const Greeting& wanted, const std::stop_token& stop) const {
  const auto place = place_of(wanted);
  const auto shown = maps_.get(place, {.stop = stop});
  if (!shown && !shown.error().is_not_found()) return shown.error();
  if (shown && shown->data()["message"] == wanted.spec().message()) return false;
  ConfigMapDraft draft;
  draft.metadata().set_name(place.name);
  draft.metadata().set_namespace_(place.namespace_);
  draft.data().set("message", wanted.spec().message());
  const auto applied = maps_.apply(draft, {.field_manager = "greeting-operator", .force = true, .stop = stop});
  if (!applied) return applied.error();
  return true;
}

Result<void> Reconciler::save_status(const Greeting& wanted, const std::stop_token& stop) const {
  if (wanted.status().shown() == wanted.spec().message()) return {};
  auto draft = wanted.edit();
  draft.status().set_shown(wanted.spec().message());
  draft.status().set_updates(wanted.status().updates() + 1);
  const auto saved = objects_.update_status(draft, {.stop = stop});
  if (!saved) return saved.error();
  return {};
}

}  // namespace greeting_operator
