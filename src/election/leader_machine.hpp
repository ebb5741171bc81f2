#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "base/internal/insist.hpp"
#include "election/leader_guard_impl.hpp"
#include "election/leader_lease.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/election/leader_elector.hpp"

namespace kubexx::election {

constexpr double kRetryJitter = 1.2;  // of the retry period, at most, between two looks at somebody else's lease

/// One candidacy, from start to the end of its term, as a state machine on a strand:
///
///   Acquiring --written--> Leading --stop, work returned--> Releasing --> Ended
///       |                     | taken, or the guard's deadline has passed: not renewed, or stopped for too long
///       | stop                +--> Lost --work returned--> Ended; of one stopped for too long: Releasing --> Ended
///       +--> Ended
class LeaderMachine : public std::enable_shared_from_this<LeaderMachine> {
 public:
  LeaderMachine(rest::Client client, LeaderElectionOptions options, LeaderCallbacks callbacks);

  // From any thread.
  /// Both run on the strand: `ended` last, `changed` when something about status() may have.
  void start(Task ended, std::function<void()> changed = nullptr);
  void stop();
  bool is_leader() const;
  std::string leader() const;
  ElectionStatus status() const;
  Result<void> check(Duration tolerance) const;

 private:
  struct Work;
  enum class Phase { Idle, Acquiring, Leading, Lost, Releasing, Ended };

  template <class Step>
  void guarded(Step&& step);
  void recover();
  void stopped();
  void round();
  void request(rest::Request request, Duration timeout,
               UniqueFunction<void(LeaderMachine&, Result<rest::Response>)> done);
  void look();
  void create();
  void write();
  void looked(Result<rest::Response> answer);
  void written(const Result<rest::Response>& answer, TimePoint began, WallTime began_wall, bool look_on_conflict);
  void round_failed(const Error& error, const char* doing);
  void round_ended();
  void next_round_after(Duration delay);

  LeaseRecord next_record(const std::string& now) const;
  void mark(meta::Draft& lease) const;
  void begin_term(const meta::Object& lease);
  void await_deadline();
  void observe(const meta::Object& lease);
  void lead();
  void end_term(Phase next, std::string_view why);
  void ran_out();
  void lost(std::string_view why);
  void work_returned();
  void release();
  void read_for_release();
  void write_release();
  void release_failed(const Error& error);
  void release_again_later();
  void end();
  void tell(std::string_view what, std::string_view why = {});
  void tell_changed() const;
  bool leading() const noexcept { return phase_ == Phase::Leading; }
  Duration request_timeout() const;

  const rest::Client client_;
  const LeaderElectionOptions options_;
  const LeaderCallbacks callbacks_;
  Random& random_;
  const std::string title_;
  const Strand strand_;
  const Strand notices_;  // on_new_leader, in order

  // The strand's.
  Phase phase_ = Phase::Idle;
  LeaseCall call_;
  Timer round_timer_;
  Timer deadline_timer_;
  meta::Object lease_;  // as last read or written; null before
  LeaseRecord record_;
  TimePoint observed_;  // when record_ was first seen, by the local clock
  std::optional<std::string> reported_;
  std::shared_ptr<LeaderGuard::Impl> guard_;
  bool stopping_ = false;
  bool working_ = false;
  bool overdue_ = false;  // stopped, and its work took longer than it may
  bool writing_ = false;  // a write of the lease has no answer yet
  bool looked_after_conflict_ = false;
  TimePoint release_until_;
  Task ended_;
  std::function<void()> changed_;

  mutable std::mutex mutex_;
  ElectionStatus status_;             // guarded by mutex_; `leading` is a question of time
  std::optional<TimePoint> renewed_;  // guarded by mutex_; start of the last renewal while leading

  Gauge is_leader_gauge_;
};

/// What runs on the strand. Where it lacks memory, the candidacy goes on from where it is.
template <class Step>
void LeaderMachine::guarded(Step&& step) {
  try {
    step();
  } catch (const std::bad_alloc&) {
    report_error(current_exception_as_error(), "leader election");
    insist([this] { recover(); });
  }
}

}  // namespace kubexx::election
