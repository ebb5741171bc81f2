#include <utility>

#include "informer/scope.hpp"
#include "informer/shared_informer_impl.hpp"
#include "kubexx/base/error_sink.hpp"

/// Other namespaces or selectors for a running informer.
namespace kubexx::informer {
namespace {

bool same_selectors(const WholeScope& a, const WholeScope& b) {
  return a.label_selector == b.label_selector && a.field_selector == b.field_selector;
}

}  // namespace

/// The sources that the wanted scope needs: those that are there already, and new ones.
Result<SharedIndexInformer::Impl::Scoped> SharedIndexInformer::Impl::next_scope(const Scope& wanted,
                                                                                const Scoped& now) const {
  Scoped next{wanted, {}, now.changes + 1};
  // What is said of the objects stays unless it is said again.
  if (!next.scope.projection) next.scope.projection = now.scope.projection;
  if (!next.scope.metadata_only) next.scope.metadata_only = now.scope.metadata_only;
  next.scope.cluster_wide |= now.scope.cluster_wide;
  const WholeScope before(now.scope);
  const WholeScope after(next.scope);
  if (before.projection != after.projection || before.metadata_only != after.metadata_only) {
    return Error::config("of the scope of an informer only namespaces and selectors can be changed");
  }
  const bool selected_alike = same_selectors(before, after);
  for (const auto& each : after.namespaces) {
    const auto known = now.sources.find(each);
    if (selected_alike && known != now.sources.end()) {
      next.sources.insert(*known);
      continue;
    }
    try {
      auto source = make_source(next.scope, each);
      if (!source) return Error::config("a source of " + options.description + " is null");
      next.sources.emplace(each, std::move(source));
    } catch (...) {
      return current_exception_as_error().with_context("a source of " + options.description);
    }
  }
  return next;
}

Result<void> SharedIndexInformer::Impl::set_scope(const Scope& wanted) {
  if (!make_source) {
    return Error::config("the scope of " + options.description + " cannot be changed: its source was given as it is");
  }
  while (true) {
    Scoped now;
    Scope whole = wanted;
    {
      const std::lock_guard lock(mutex);
      now = scoped;
      if (kept) whole = with_defaults(wanted, kept->defaults);
    }
    if (progress->read([](const Progress::Facts& facts) { return facts.stopping; })) {
      return Error::canceled("the scope of a stopped informer was changed");
    }
    auto next = next_scope(whole, now);
    if (!next) return next.error();
    if (next->sources == now.sources) return {};

    const std::lock_guard lock(mutex);
    if (scoped.changes != now.changes) continue;  // somebody else changed it meanwhile
    if (kept) {
      if (auto claimed = kept->claim(next->scope); !claimed) return claimed;
    }
    scoped = std::move(*next);
    progress->change([&](Progress::Facts& facts) {
      facts.whole = false;
      facts.scope_changes = scoped.changes;
      facts.has_one_version = scoped.sources.size() == 1;
      facts.version.clear();  // of other watches
    });
    controller->set_sources(scoped.sources,
                            [self = shared_from_this(), change = scoped.changes] { self->scope_changes_met = change; });
    return {};
  }
}

}  // namespace kubexx::informer
