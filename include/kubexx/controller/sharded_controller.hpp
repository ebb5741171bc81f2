#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include "kubexx/base/stop.hpp"
#include "kubexx/controller/controller.hpp"
#include "kubexx/election/shard_membership.hpp"

namespace kubexx::controller {

/// Like Reconcile, with the guard of the key: write through `guard.guarded(client)`.
using ShardReconcile =
    std::function<Result<Action>(const meta::ObjectKey& key, const election::LeaderGuard& guard, std::stop_token stop)>;

/// A Controller<T> that runs in several replicas, each of which reconciles its share of the keys. The contract is
/// ShardMembership's: at any time a key is reconciled by at most one replica, and what a replica gains it looks at
/// anew. Every replica caches all objects. A key whose object was deleted while it moved is not reconciled again: what
/// a deletion must do belongs behind a finalizer.
///
/// Threads: as Controller; run() blocks.
/// Stop: the token; the controller ends first, then the share is handed over, within the renew deadline.
/// Errors: create() refuses bad options; run() returns what Controller::run() does. An Error of a reconcile that lost
/// its key meanwhile counts as done.
/// Example:
///
///     controller::Controller<demo::v1::Widget> widgets(factory, {.name = "widget"});
///     auto sharded = controller::ShardedController<demo::v1::Widget>::create(
///         widgets, client, {.group = "widget", .identity = "widget-7c9f-x2x1p"});
///     if (!sharded) complain(sharded.error());
///     factory.start(stop);
///     auto ended = (*sharded)->run(stop, [](const meta::ObjectKey& key, const election::LeaderGuard& guard,
///                                           std::stop_token) -> Result<controller::Action> {
///       work(key, guard.guarded(client));
///       return controller::Action::done();
///     });
template <class T>
class ShardedController {
 public:
  /// The controller must outlive it and be run by it alone.
  static Result<std::unique_ptr<ShardedController>> create(Controller<T>& controller, rest::Client client,
                                                           election::ShardOptions options) {
    const auto patience = options.renew_deadline;
    election::ShardCallbacks callbacks;
    callbacks.on_gained = [&controller](const election::ShardSet& gained) {
      for (const auto& object : controller.lister().list()) {
        auto key = meta::ObjectKey::of(object);
        if (gained.contains(key.to_string())) controller.enqueue(key);
      }
    };
    auto membership = election::ShardMembership::create(std::move(client), std::move(options), std::move(callbacks));
    if (!membership) return membership.error();
    return std::unique_ptr<ShardedController>(new ShardedController(controller, std::move(*membership), patience));
  }

  /// Blocks until the token fires, the controller has ended and the share has been handed over. See Controller::run.
  Result<void> run(std::stop_token stop, ShardReconcile reconcile) {
    membership_->start();
    auto ended = controller_->run(
        std::move(stop), [this, reconcile = std::move(reconcile)](const meta::ObjectKey& key, std::stop_token token) {
          return reconcile_owned(key, std::move(token), reconcile);
        });
    membership_->leave(patience_);
    return ended;
  }

  /// Which keys are this replica's.
  election::ShardMembership& membership() noexcept { return *membership_; }

 private:
  ShardedController(Controller<T>& controller, std::unique_ptr<election::ShardMembership> membership, Duration patience)
      : controller_(&controller), membership_(std::move(membership)), patience_(patience) {}

  Result<Action> reconcile_owned(const meta::ObjectKey& key, std::stop_token stop, const ShardReconcile& reconcile) {
    const auto work = membership_->begin(key.to_string());
    if (!work) return Action::done();  // another replica's; should it become ours, it is enqueued
    const LinkedStop both{std::move(stop), work.guard().stop_token()};
    auto action = reconcile(key, work.guard(), both.token());
    if (!action && !work.guard().valid()) return Action::done();  // the error is that it is not ours any more
    return action;
  }

  Controller<T>* controller_;
  std::unique_ptr<election::ShardMembership> membership_;
  const Duration patience_;
};

}  // namespace kubexx::controller
