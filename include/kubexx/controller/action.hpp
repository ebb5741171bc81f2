#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::controller {

/// What a controller does with a key after a reconcile that did not fail.
class [[nodiscard]] Action {
 public:
  /// What becomes of a key.
  enum class Kind : std::uint8_t { Done, Requeue, RequeueAfter, GiveUp };

  /// Nothing until something changes. The failures of the key are forgotten.
  static Action done() { return Action(Kind::Done); }
  /// Again, as soon as the rate limiter allows; the wait grows with every requeue in a row.
  static Action requeue() { return Action(Kind::Requeue); }
  /// Again after this time, or earlier if something changes. The failures of the key are forgotten.
  static Action requeue_after(Duration delay) {
    Action action(Kind::RequeueAfter);
    action.delay_ = delay;
    return action;
  }
  /// A failure that trying again would not heal: counted and reported, and not retried until something changes.
  static Action give_up(Error why) {
    Action action(Kind::GiveUp);
    action.why_ = std::move(why);
    return action;
  }

  /// What was decided: how long to wait with RequeueAfter, and why it was given up.
  Kind kind() const noexcept { return kind_; }
  Duration delay() const noexcept { return delay_; }
  const std::optional<Error>& why() const noexcept { return why_; }

 private:
  explicit Action(Kind kind) : kind_(kind) {}
  Kind kind_;
  Duration delay_{};
  std::optional<Error> why_;
};

/// Brings the world closer to what the object of this key asks for; an Error is retried, later and later. The object
/// may be gone. The token fires when the reconcile has had its time, or the controller has to end.
using Reconcile = std::function<Result<Action>(const meta::ObjectKey& key, std::stop_token stop)>;

}  // namespace kubexx::controller
