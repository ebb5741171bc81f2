#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kubexx/base/async.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/controller/controller.hpp"
#include "kubexx/election/leader_guard.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::manager {

/// What a component is given for one run.
struct ComponentRun {
  std::stop_token stop = {};           ///< fires when it is to end
  std::function<void()> started = {};  ///< to be called when it is up, from any thread; those after it wait for that
  election::LeaderGuard guard = {};    ///< of the term, where it needs the leader; else it guards nothing
};

/// Something that a Manager starts and stops. It runs once, or in every term where it needs the leader.
///
/// Threads: `run` and `missing` are called on the client's executor for handlers, without a lock.
/// Stop: the token of the run fires; the operation completes when nothing of it runs any more.
/// Errors: an operation that ends with an Error, or before it said that it is up, has failed, and with it the program;
/// what `run` throws is the same. After the token fired, Canceled is no failure.
/// Example:
///
///     manager::Component ticker = manager::task_component(client, "ticker", [](const manager::ComponentRun& run) {
///       while (!wait_for_stop(run.stop, 10s)) greet("still here");
///       return Result<void>();
///     });
///     ticker.needs_leader = true;
struct Component {
  std::string name = {};
  /// Makes the operation of one run, which is begun at once.
  std::function<Async<Result<void>>(ComponentRun run)> run = {};
  bool needs_leader = false;
  std::optional<Duration> start_deadline = {};  ///< how long until it is up; absent: the manager's
  std::optional<Duration> stop_deadline = {};   ///< how long until it has ended; absent: the manager's
  std::function<std::string()> missing = {};    ///< what it waits for when it is not up in time, for people
};

/// A function that runs until its stop, where code may block; it counts as up when it begins. Where it returns without
/// an Error before that, the component has ended and the program goes on.
KUBEXX_EXPORT Component task_component(const rest::Client& client, std::string name,
                                       std::function<Result<void>(const ComponentRun& run)> work);

/// The informers of a factory, which must outlive the manager: up when those that it has by then are synced. Their stop
/// is final.
KUBEXX_EXPORT Component informers_component(informer::SharedInformerFactory& factory, std::string name = "informers");

/// A controller for one run, and what it calls.
template <class T = meta::Object>
struct ControllerParts {
  std::shared_ptr<controller::Controller<T>> controller = {};
  controller::Reconcile reconcile = {};
};

namespace detail {
struct ErasedController {
  std::shared_ptr<controller::ControllerCore> core = {};
  controller::Reconcile reconcile = {};
};
KUBEXX_EXPORT_INTERNAL Component controller_component(const rest::Client& client, std::string name,
                                                      std::function<ErasedController(const ComponentRun&)> make);
}  // namespace detail

/// A controller, made anew for every run: it runs once. It counts as up when it was started; with the informers of its
/// factory before it they are synced by then.
template <class T>
Component controller_component(const rest::Client& client, std::string name,
                               std::function<ControllerParts<T>(const ComponentRun& run)> make) {
  return detail::controller_component(client, std::move(name), [make = std::move(make)](const ComponentRun& run) {
    auto parts = make(run);
    auto* const core = parts.controller ? &parts.controller->core() : nullptr;
    return detail::ErasedController{{std::move(parts.controller), core}, std::move(parts.reconcile)};
  });
}

}  // namespace kubexx::manager
