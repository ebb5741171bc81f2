#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/informer/event_handler.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::controller {

/// One change as a predicate sees it. Both objects are null when a deletion was inferred and nothing was known.
struct Change {
  const meta::Object& before;  ///< null: the object was added
  const meta::Object& after;   ///< null: the object was deleted
  informer::EventCause cause = informer::EventCause::Watch;

  /// Which of the three it is.
  bool is_add() const noexcept { return !before && after; }
  bool is_update() const noexcept { return before && after; }
  bool is_delete() const noexcept { return !after; }
};

/// Which changes of a source lead to a reconcile. A value; combine with `&&`, `||` and `!`.
///
/// The predicates named after a change look at updates: adds and deletes pass them, hence never pass their negation.
///
/// Threads: called from the informer's handler, one change at a time; several sources may call one at once.
/// Errors: a custom one that throws is reported to the error sink and counts as true, so that no change is lost.
/// Example:
///
///     using controller::Predicate;
///     controller::Controller<Pod> controller(factory, {.name = "pod"},
///                                            Predicate::generation_changed() || Predicate::labels_changed());
class KUBEXX_EXPORT Predicate {
 public:
  /// Whether a change matters.
  using Function = std::function<bool(const Change&)>;

  Predicate() = default;  ///< everything
  /// A predicate of your own. What it throws is reported, and the change counts.
  static Predicate custom(Function function);
  /// metadata.generation, which a server raises with the spec and not with the status.
  static Predicate generation_changed();
  static Predicate labels_changed();
  static Predicate annotations_changed();
  /// One of the values at these JSON pointers ("/spec/replicas").
  static Predicate fields_changed(std::vector<std::string> json_pointers);
  /// The resourceVersion: all but resyncs.
  static Predicate version_changed();

  bool operator()(const Change& change) const { return !function_ || function_(change); }

  friend Predicate operator&&(Predicate a, Predicate b);
  friend Predicate operator||(Predicate a, Predicate b);
  friend Predicate operator!(Predicate a);

 private:
  explicit Predicate(Function function) : function_(std::move(function)) {}
  Function function_;
};
KUBEXX_EXPORT Predicate operator&&(Predicate a, Predicate b);
KUBEXX_EXPORT Predicate operator||(Predicate a, Predicate b);
KUBEXX_EXPORT Predicate operator!(Predicate a);

}  // namespace kubexx::controller
