#include "inspect/prober.hpp"

#include <iterator>
#include <utility>

namespace kubexx::inspect {

Prober::Prober(std::vector<std::shared_ptr<const HealthChecks>> checks, Duration patience, Executor& executor)
    : checks_(std::move(checks)), patience_(patience), executor_(executor) {}

void Prober::ask(HealthProbe probe, Answer answer) {
  HealthReport late;
  {
    const std::lock_guard lock(mutex_);
    Line& asked = line(probe);
    if (!asked.late) {
      asked.answers.push_back(std::move(answer));
      if (std::exchange(asked.waits, true)) return;
      const auto number = ++asked.run;
      asked.patience = executor_.post_after(patience_, [this, probe, number] { ran_out(probe, number); });
      return begin_locked();
    }
    late = late_locked();
  }
  answer(late);
}

void Prober::begin_locked() {
  if (busy_) return;
  for (const Line& each : lines_) {
    if (!each.waits) continue;
    busy_ = true;
    executor_.post([this, probe = each.probe] { run(probe); });
    return;
  }
}

void Prober::run(HealthProbe probe) {
  HealthReport report;
  for (const auto& each : checks_) {
    auto found = each->run(probe, [this](std::string_view name) {
      const std::lock_guard lock(mutex_);
      running_ = name;
      return true;
    });
    std::move(found.begin(), found.end(), std::back_inserter(report.results));
  }
  std::vector<Answer> answers;
  {
    const std::lock_guard lock(mutex_);
    Line& ended = line(probe);
    ended.patience.cancel();
    ended.waits = false;
    ended.late = false;
    answers = std::exchange(ended.answers, {});
    running_.clear();
    busy_ = false;
    begin_locked();
  }
  for (const Answer& answer : answers) answer(report);
}

void Prober::ran_out(HealthProbe probe, unsigned long run) {
  std::vector<Answer> answers;
  HealthReport late;
  {
    const std::lock_guard lock(mutex_);
    Line& slow = line(probe);
    if (!slow.waits || slow.run != run) return;
    slow.late = true;
    answers = std::exchange(slow.answers, {});
    late = late_locked();
  }
  for (const Answer& answer : answers) answer(late);
}

HealthReport Prober::late_locked() const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience_).count();
  HealthResult result;
  result.name = running_.empty() ? "checks" : running_;
  result.state = HealthState::Failed;
  result.reason = "no answer within " + std::to_string(seconds) + " s";
  result.duration = patience_;
  return {{std::move(result)}, false};
}

}  // namespace kubexx::inspect
