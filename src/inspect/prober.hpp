#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/base/health.hpp"

namespace kubexx::inspect {

/// What a run of the checks found.
struct HealthReport {
  std::vector<HealthResult> results;
  bool whole = true;  ///< not: it took too long, and the only result is the check that it was at
};

/// Runs the checks of /healthz and /readyz on the executor: one run at a time, so that a check that blocks keeps one
/// thread and no more; whoever asks while a run of its probe is under way or waits shares it; nobody waits longer than
/// `patience`. While a run is late, those who ask are told so at once.
///
/// Threads: safe from any thread; answers are given on the executor, without a lock.
class Prober {
 public:
  using Answer = std::function<void(const HealthReport& report)>;

  Prober(std::vector<std::shared_ptr<const HealthChecks>> checks, Duration patience, Executor& executor);
  void ask(HealthProbe probe, Answer answer);  ///< Liveness or Readiness

 private:
  struct Line {
    HealthProbe probe = HealthProbe::Liveness;
    bool waits = false;  // for its run to begin or to end
    bool late = false;   // the run has had its time
    unsigned long run = 0;
    Timer patience = {};
    std::vector<Answer> answers = {};
  };
  Line& line(HealthProbe probe) { return probe == HealthProbe::Liveness ? lines_[0] : lines_[1]; }
  void begin_locked();
  void run(HealthProbe probe);
  void ran_out(HealthProbe probe, unsigned long run);
  HealthReport late_locked() const;

  const std::vector<std::shared_ptr<const HealthChecks>> checks_;
  const Duration patience_;
  Executor& executor_;
  std::mutex mutex_;
  Line lines_[2]{{HealthProbe::Liveness}, {HealthProbe::Readiness}};  // guarded by mutex_
  bool busy_ = false;                                                 // guarded by mutex_
  std::string running_;                                               // guarded by mutex_; the check that is called
};

}  // namespace kubexx::inspect
