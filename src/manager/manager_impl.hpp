#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/internal/condition_waits.hpp"
#include "kubexx/manager/manager.hpp"
#include "manager/sequence.hpp"

namespace kubexx::manager {

/// The states:
///
///     NotStarted --start-->                                      Starting
///     Starting   --all are up that need no leader-->             Running: it stands for election
///     any        --stop, a failure, leadership lost for good-->  Stopping: the candidacy first, with its components
///     Stopping   --nothing is left to wait for-->                Ended
///
/// Everything but what is public runs on the strand.
class KUBEXX_HIDDEN Manager::Impl : public std::enable_shared_from_this<Impl> {
 public:
  using Ended = Async<Result<void>>;

  Impl(rest::Client client, ManagerOptions options);
  static Result<std::shared_ptr<Impl>> make(rest::Client client, ManagerOptions options);
  void close();

  void add(Component component);
  void add(informer::SharedInformerFactory& factory, std::string name);
  void start(std::stop_token stop);
  void stop();
  Ended ended();
  ManagerStatus status() const;
  Async<Result<ManagerStatus>> until(std::function<bool(const ManagerStatus&)> condition,
                                     election::ElectionWaitOptions options);
  std::string page_url() const;
  HealthChecks& health() const noexcept { return *health_; }
  const rest::Client& client() const noexcept { return client_; }
  kubexx::detail::Awaited awaited() const { return {client_.executor().get(), client_.handlers().get()}; }

 private:
  struct OnStop {
    std::weak_ptr<Impl> manager;
    void (Impl::*what)();
    Strand strand;
    void operator()() const noexcept;
  };

  void make_sequences();
  Result<void> make_elector();
  void add_checks();
  Component pages_component(const inspect::Options& options);
  Result<void> open_pages(inspect::Options options);
  Health check() const;
  bool leads_first(const Component& component) const { return component.needs_leader && options_.election; }

  void begin();
  void all_up(const Result<void>& up);
  void begin_term(const election::LeaderGuard& guard, std::shared_ptr<void> hold);
  void end_term();
  void term_over(const Result<void>& ended);
  void candidacy_over();
  void begin_stop() { begin_stop(std::nullopt); }
  void begin_stop(std::optional<Error> reason);
  void stop_rest();
  void finish(const Result<void>& ended);
  void note(const Result<void>& result);
  template <class F>
  void post(F what);

  const rest::Client client_;
  const ManagerOptions options_;
  const std::shared_ptr<HealthChecks> health_;
  const Strand strand_;
  const std::shared_ptr<StatusBoard> board_;
  const std::shared_ptr<ConditionWaits<ManagerStatus>> waits_;
  std::vector<HealthRegistration> checks_;

  // The strand's, once it has started.
  std::shared_ptr<Sequence> always_;
  std::shared_ptr<Sequence> leading_;
  ManagerState state_ = ManagerState::NotStarted;
  bool standing_ = false;
  bool in_term_ = false;
  std::shared_ptr<void> hold_;  // of the term, while something of it runs
  std::optional<std::stop_callback<OnStop>> on_term_stop_;
  std::optional<std::stop_callback<OnStop>> on_stop_;
  std::optional<Error> reason_;  // why it ends; then the first that went wrong

  mutable std::mutex mutex_;
  std::vector<Component> added_;                               // guarded by mutex_; until the start
  std::vector<const informer::SharedInformerFactory*> shown_;  // guarded by mutex_
  std::unique_ptr<inspect::Server> page_;                      // guarded by mutex_
  std::shared_ptr<election::LeaderElector> elector_;           // changed by close(), with mutex_; null: no election
  bool started_ = false;                                       // guarded by mutex_
  bool has_ended_ = false;                                     // guarded by mutex_
  Result<void> result_;                                        // guarded by mutex_; once it has ended
  std::vector<Ended::Done> waiting_;                           // guarded by mutex_; for the end
};

template <class F>
void Manager::Impl::post(F what) {
  strand_.post([weak = weak_from_this(), what = std::move(what)]() mutable {
    if (const auto self = weak.lock()) what(*self);
  });
}

}  // namespace kubexx::manager
