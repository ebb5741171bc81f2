#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/manager/component.hpp"
#include "manager/status_board.hpp"

namespace kubexx::manager {

/// Components that start one after the other and stop in reverse.
///
///     Idle      --start-->                        Starting  --says that it is up-->  Running
///     Starting, Running  --stop-->                Stopping  --ended-->               Idle
///     Starting  --late, ended-->                  fails     Running  --Error-->      fails
///     Stopping  --late-->                         Stuck: it is left alone
///
/// Threads: the strand's, but for what components call.
class Sequence : public std::enable_shared_from_this<Sequence> {
 public:
  struct Setting {
    Strand strand;
    std::shared_ptr<Executor> handlers;
    Duration start_deadline;
    Duration stop_deadline;
    std::shared_ptr<StatusBoard> board;
  };
  using Done = std::function<void(const Result<void>&)>;

  /// `failed` hears of a component that fails after all were up.
  Sequence(Setting setting, std::function<void(const Error&)> failed)
      : setting_(std::move(setting)), failed_(std::move(failed)) {}

  void add(Component component, std::size_t place);  ///< `place`: on the board; before the start
  /// `up` is called when all are up, or with the Error of one that failed; what runs then is still to be stopped.
  void start(const election::LeaderGuard& guard, Done up);
  /// `ended` is called when none is left to wait for, with the first that went wrong; also when none ran.
  void stop(Done ended);
  bool has_stuck() const noexcept { return stuck_ > 0; }
  void show(ComponentState state);  ///< of those that have ended

 private:
  enum class Phase : std::uint8_t { Idle, Starting, Running, Stopping, Stuck };
  struct Entry {
    Component component;
    std::size_t place = 0;
    Phase phase = Phase::Idle;
    std::uint64_t run = 0;
    std::stop_source stop = std::stop_source(std::nostopstate);
    Timer timer = {};
  };

  void begin(std::size_t which);
  void launch(std::size_t which);
  void came_up(std::size_t which, std::uint64_t run);
  void ended(std::size_t which, std::uint64_t run, const Result<void>& result);
  void start_is_late(std::size_t which, std::uint64_t run);
  void stop_is_late(std::size_t which, std::uint64_t run);
  void fail(Entry& entry, const Error& error);
  void stop_next();
  void note(const Error& error) {
    if (!first_error_) first_error_ = error;
  }
  template <class F>
  void post(F what) {
    setting_.strand.post([self = shared_from_this(), what = std::move(what)] { what(*self); });
  }

  const Setting setting_;
  const std::function<void(const Error&)> failed_;
  std::vector<Entry> entries_;
  election::LeaderGuard guard_;
  Done up_;
  Done ended_;
  bool stopping_ = false;
  int stuck_ = 0;
  std::optional<Error> first_error_;
};

}  // namespace kubexx::manager
