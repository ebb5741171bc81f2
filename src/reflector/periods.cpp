#include "kubexx/base/log.hpp"
#include "kubexx/meta/resource_version.hpp"
#include "reflector/machine.hpp"

/// What happens every so often beside the watch.
namespace kubexx::reflector {

OwnTimer Reflector::Impl::arm_resync() {
  if (options.resync_period <= Duration::zero() || !due.resync) return {};
  return OwnTimer(after(*due.resync - strand.clock().now(), [this] { resync(); }));
}

void Reflector::Impl::resync() {
  due.resync = detail::after(strand.clock().now(), options.resync_period);
  bool wanted = !options.should_resync;
  if (!wanted) call_isolated("resync check", [&] { wanted = options.should_resync(); });
  if (wanted) {
    if (auto done = sink->resync(); !done) {
      log(LogLevel::Error, "resync failed", {{"reflector", options.name}, {"error", done.error()}});
      return end_round("resync_failed", &done.error(), false);
    }
  }
  if (auto* watching = std::get_if<Watching>(&state)) watching->resync = arm_resync();
  if (auto* polling = std::get_if<Polling>(&state)) polling->resync = arm_resync();
}

OwnTimer Reflector::Impl::arm_verify() {
  if (options.verify_every <= Duration::zero()) return {};
  return OwnTimer(after(due.verify - strand.clock().now(), [this] {
    count_restart("verify");
    start_list({.verifying = true});
  }));
}

OwnTimer Reflector::Impl::arm_version_check() {
  if (options.version_check <= Duration::zero()) return {};
  return OwnTimer(after(options.version_check, [this] {
    std::get<Watching>(state).version_check = arm_version_check();
    check_version();
  }));
}

/// Asks for the server's current version beside the running watch. Lower than ours: the server's data was restored, our
/// versions are from a future that never happened, and only a full list helps.
void Reflector::Impl::check_version() {
  auto& watching = std::get<Watching>(state);
  watching.asking.end();  // its answer would be compared with a later version
  watching.version_then = last_version;
  const auto asked_in = generation;
  auto call = own(source->current_version(
      strand, incoming([](Impl& machine, const Result<meta::ListMeta>& end) { machine.version_answered(end); })));
  if (generation == asked_in) watching.asking = std::move(call);
}

void Reflector::Impl::version_answered(const Result<meta::ListMeta>& answer) {
  if (!answer) return;
  const auto& ours = std::get<Watching>(state).version_then;
  const auto order = meta::compare_resource_versions(answer->resource_version, ours);
  if (!order) return;
  if (*order != std::strong_ordering::less) return confirm();
  log(LogLevel::Warning, "the server's versions went back, listing anew",
      {{"reflector", options.name}, {"ours", ours}, {"server", answer->resource_version}});
  versions.went_back = true;
  count_restart("versions_went_back");
  tell_rollback();
  round();
}

}  // namespace kubexx::reflector
