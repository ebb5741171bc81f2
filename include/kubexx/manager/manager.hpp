#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kubexx/base/async.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/health.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/inspect/server.hpp"
#include "kubexx/manager/component.hpp"
#include "kubexx/manager/status.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::manager {

/// What a program does that led and leads no more, without having been stopped.
enum class LostLeadership : std::uint8_t {
  End,         ///< it ends with an Error, to be started anew by who watches over it
  StandAgain,  ///< what needs the leader has ended; it stands for election again
};

/// Its pages, its election, and how long its parts may take.
struct ManagerOptions {
  std::optional<inspect::Options> pages = {};                    ///< the inspector with its health; absent: none
  std::optional<election::LeaderElectionOptions> election = {};  ///< absent: what needs the leader runs as all else
  LostLeadership on_lost_leadership = LostLeadership::End;
  Duration start_deadline = std::chrono::minutes(2);  ///< of each component
  Duration stop_deadline = std::chrono::seconds(30);  ///< of each component
};

/// Runs the components of a program: pages, informers, controllers, tasks, an election.
///
/// They start in this order, each when the one before is up: the pages, so that probes are answered from the beginning;
/// informers and other components in the order they were added; then the program stands for election, and with every
/// term what needs the leader starts, in the order it was added. They stop in reverse. One that fails, at its start or
/// later, stops everything, with its Error as that of the manager; one that does not end within its deadline is named
/// in the log, and not waited for any longer.
///
/// When the lease is lost, what needs the leader is stopped, and the program ends or stands again, as the options say.
/// Where one of them does not end in time the program ends in any case: its old work must not meet a new term.
///
/// `/readyz` has the check "manager", which fails until everything that needs no leader is up, and again when it stops;
/// with an election also "leader", by which a standby says that it is one.
///
/// Threads: none of its own; a state machine on the client's executor. Members are safe from any thread. Code of the
/// components runs on the client's executor for handlers.
/// Stop: its token, or stop(). The destructor does the same and blocks until the end; a program whose executor runs on
/// the same thread lets it end first.
/// Errors: create() refuses options; run() and ended_async() have the reason why it ended when nobody asked, or the
/// first that went wrong at the stop. add() after the start, an empty or a repeated name throw std::logic_error.
/// Example:
///
///     manager::ManagerOptions options;
///     options.pages = inspect::Options{.listen = "127.0.0.1:8080"};
///     options.election = election::LeaderElectionOptions{.name = "widgets", .identity = "pod-1"};
///     auto made = manager::Manager::create(client, options);
///     if (!made) complain(made.error());
///     manager::Manager& program = **made;
///     program.add(factory);
///     program.add_controller<demo::v1::Widget>("widget", [](const manager::ComponentRun&) {
///       manager::ControllerParts<demo::v1::Widget> parts;
///       parts.controller = std::make_shared<controller::Controller<demo::v1::Widget>>(factory);
///       parts.reconcile = [](const meta::ObjectKey& key, std::stop_token) -> Result<controller::Action> {
///         work(key);
///         return controller::Action::done();
///       };
///       return parts;
///     });
///     if (auto ended = program.run(stop_on_signals()); !ended) complain(ended.error());
class KUBEXX_EXPORT Manager {
 public:
  /// An Error where the options cannot be.
  static Result<std::unique_ptr<Manager>> create(rest::Client client, ManagerOptions options = {});
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  void add(Component component);
  /// The informers of a factory, which the pages show too. It must outlive the manager.
  void add(informer::SharedInformerFactory& factory, std::string name = "informers");
  /// Needs the leader, unless told otherwise or there is no election.
  template <class T>
  void add_controller(std::string name, std::function<ControllerParts<T>(const ComponentRun& run)> make,
                      bool needs_leader = true) {
    auto component = controller_component<T>(client(), std::move(name), std::move(make));
    component.needs_leader = needs_leader;
    add(std::move(component));
  }
  HealthChecks& health() noexcept;  ///< where the program adds its own checks, for /healthz and /readyz

  /// Returns at once. Once; a second time throws std::logic_error.
  void start(std::stop_token stop = {});
  void stop();  ///< as if the token had fired; no effect before the start
  /// Completes when everything has ended, or is not waited for any longer; soon, if it was never started.
  Async<Result<void>> ended_async() const;
  /// start(), and blocks until the end.
  Result<void> run(std::stop_token stop);

  /// A picture for people and probes.
  ManagerStatus status() const;
  /// Until the condition is true of status(). It is asked when something changes, on the client's executor, and must
  /// not block. Canceled too when the manager ends without.
  Async<Result<ManagerStatus>> until_async(std::function<bool(const ManagerStatus&)> condition,
                                           election::ElectionWaitOptions options = {}) const;
  Result<ManagerStatus> wait_until(std::function<bool(const ManagerStatus&)> condition,
                                   election::ElectionWaitOptions options = {}) const;
  std::string page_url() const;  ///< of the pages, with the token; empty while there are none
  const rest::Client& client() const noexcept;

 private:
  class Impl;
  explicit Manager(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kubexx::manager
