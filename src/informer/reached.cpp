// Whether a cache has what somebody wrote.
#include <algorithm>

#include "informer/scope.hpp"
#include "informer/shared_informer_impl.hpp"
#include "kubexx/meta/resource_version.hpp"

namespace kubexx::informer {
namespace {

using Facts = Progress::Facts;

bool at_least(std::string_view version, std::string_view wanted) {
  if (version.empty()) return false;
  const auto order = meta::compare_resource_versions(version, wanted);
  return order && *order != std::strong_ordering::less;
}

bool in_scope(const Scope& scope, const std::string& namespace_) {
  const auto namespaces = WholeScope(scope).namespaces;
  return namespaces.front().empty() || std::binary_search(namespaces.begin(), namespaces.end(), namespace_);
}

}  // namespace

/// From any thread. Unclear: of several namespaces, where the key is not there: not yet, or not any more.
SharedIndexInformer::Impl::Reach SharedIndexInformer::Impl::reach(const Written& written) const {
  const auto object = store.find(written.key.to_string());
  if (object && !written.removed_uid.empty() && object.uid() == written.removed_uid) return Reach::NotYet;
  if (written.resource_version.empty()) return Reach::Reached;
  if (object && at_least(object.resource_version(), written.resource_version)) return Reach::Reached;
  const auto [one_version, version] =
      progress->read([](const Facts& facts) { return std::pair(facts.has_one_version, facts.version); });
  if (one_version && at_least(version, written.resource_version)) return Reach::Reached;
  {
    const std::lock_guard lock(mutex);
    if (!in_scope(scoped.scope, written.key.namespace_)) return Reach::Reached;
  }
  return one_version || object ? Reach::NotYet : Reach::Unclear;
}

/// The watch of its namespace is that far, and all that it brought was processed.
bool SharedIndexInformer::Impl::reach_of_part(const Written& written) const {
  const auto version = controller->last_sync_resource_version(written.key.namespace_);
  return version && at_least(*version, written.resource_version) && controller->queue_depth() == 0;
}

Async<Result<void>> SharedIndexInformer::Impl::until_reached(std::vector<Written> writes, WaitOptions how) const {
  const auto before = progress->read([](const Facts& facts) { return facts.rollbacks; });
  auto condition = [weak = weak_from_this(), writes = std::move(writes),
                    before]() mutable -> std::optional<Result<void>> {
    const auto self = weak.lock();
    if (!self) return Result<void>(Error::canceled("the informer is gone"));
    const auto facts = self->progress->read([](const Facts& now) { return now; });
    if (facts.rollbacks != before) return Result<void>(Error::api(410, "Expired", "the server's versions went back"));
    if (!facts.synced || !facts.whole) return std::nullopt;
    std::erase_if(writes, [&](const Written& each) {
      const auto reached = self->reach(each);
      return reached == Reach::Reached || (reached == Reach::Unclear && self->reach_of_part(each));
    });
    if (!writes.empty()) return std::nullopt;
    return Result<void>();
  };
  return waits
      ->until(std::move(condition),
              {std::move(how.stop), how.timeout, "the cache of " + options.description + " did not get there in time"})
      .needs(options.handlers);
}

Async<Result<void>> SharedIndexInformer::wait_until_reached_async(std::vector<Written> writes,
                                                                  WaitOptions options) const {
  for (const auto& each : writes) {
    if (each.resource_version.empty() || meta::is_comparable_resource_version(each.resource_version)) continue;
    return Async<Result<void>>::ready(
        impl_->options.executor, Error::config("not a resourceVersion that can be compared: " + each.resource_version));
  }
  return impl_->until_reached(std::move(writes), std::move(options));
}

bool SharedIndexInformer::has_reached(const Written& written) const {
  const bool whole = impl_->progress->read([](const Facts& facts) { return facts.synced && facts.whole; });
  return whole && impl_->reach(written) == Impl::Reach::Reached;
}

}  // namespace kubexx::informer
