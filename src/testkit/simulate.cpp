// Runs from seeds, and the way from a run that failed to a short story.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/internal/deadline.hpp"
#include "base/internal/text.hpp"
#include "kubexx/base/log.hpp"
#include "testkit/simulation_impl.hpp"

namespace kubexx::testkit {
namespace {

using Numbers = std::vector<std::size_t>;

std::optional<std::uint64_t> number_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

Numbers numbers_of(const std::vector<SimulationFailure::Line>& story) {
  Numbers all;
  for (const auto& line : story) all.push_back(line.number);
  std::sort(all.begin(), all.end());
  return all;
}

/// Leaves out more and more of a failing run: halves of what is left, then quarters, down to single steps.
class Shrinking {
 public:
  Shrinking(const MakeScenario& make, const SimulationOptions& options, SimulationFailure& failure)
      : make_(make), options_(options), failure_(failure) {
    options_.trace = false;
  }

  void shrink() {
    for (std::size_t size = std::max<std::size_t>(failure_.story.size() / 2, 1); may_run(); size = (size + 1) / 2) {
      const bool shorter = leave_out_parts_of(size);
      if (size == 1 && !shorter) return;
    }
  }

 private:
  bool may_run() const { return failure_.runs < options_.shrink_runs && Clock::system().now() < until_; }

  bool leave_out_parts_of(std::size_t size) {
    bool shorter = false;
    for (std::size_t end = failure_.story.size(); end > 0 && may_run();) {  // what came last matters least often
      const std::size_t begin = end > size ? end - size : 0;
      auto fewer = numbers_of(failure_.story);
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin), fewer.begin() + static_cast<std::ptrdiff_t>(end));
      shorter = still_fails(fewer) || shorter;
      end = std::min(begin, failure_.story.size());
    }
    return shorter;
  }

  bool still_fails(const Numbers& only) {
    ++failure_.runs;
    SimulationRun run(make_, failure_.seed, options_, &only);
    run.play();
    if (!run.failed() || run.what() != failure_.what) return false;
    failure_.details = run.details();
    failure_.story = run.story();
    return true;
  }

  const MakeScenario& make_;
  SimulationOptions options_;
  SimulationFailure& failure_;
  const TimePoint until_ = detail::after(Clock::system().now(), options_.shrink_time);
};

/// Some things of the library take a random number when a process first needs them, and keep it. They take it in a run
/// that nobody looks at, so that it is the same for every seed and in every process.
void warm_up(const MakeScenario& make, SimulationOptions options) {
  static bool warm = false;
  if (std::exchange(warm, true)) return;
  options.trace = false;
  options.steps = 50;
  SimulationRun(make, 0, options, nullptr).play();
}

}  // namespace

SimulationOptions SimulationOptions::from_environment() const {
  auto options = *this;
  options.first_seed = number_from("KUBEXX_SIMULATION_SEED").value_or(first_seed);
  options.seeds = number_from("KUBEXX_SIMULATION_SEEDS").value_or(seeds);
  options.steps = number_from("KUBEXX_SIMULATION_STEPS").value_or(steps);
  options.trace = number_from("KUBEXX_SIMULATION_TRACE").value_or(trace ? 1 : 0) != 0;
  if (const auto limit = number_from("KUBEXX_SIMULATION_SECONDS")) {
    options.time_limit.reset();
    if (*limit > 0) options.time_limit = std::chrono::seconds(*limit);
  }
  if (const char* text = std::getenv("KUBEXX_SIMULATION_STORY")) {
    options.story.clear();
    for (char* at = nullptr; *text; text = *at == ',' ? at + 1 : at) {
      const auto number = std::strtoull(text, &at, 10);
      if (at == text) break;
      options.story.push_back(number);
    }
  }
  return options;
}

std::string SimulationReport::to_string() const {
  if (!failure) return std::to_string(seeds) + " seeds, and nothing was wrong";
  std::string text = "seed " + std::to_string(failure->seed) + ": " + failure->what + "\n";
  if (!failure->details.empty()) text += "  " + failure->details + "\n";
  text += "its story, " + std::to_string(failure->story.size()) + " of " + std::to_string(failure->steps) +
          " steps (found in " + std::to_string(failure->runs) + " runs):\n";
  for (const auto& line : failure->story) {
    const auto number = std::to_string(line.number);
    text += std::string(number.size() < 6 ? 6 - number.size() : 0, ' ') + number + "  " + line.what + "\n";
  }
  std::vector<std::string> numbers;
  for (const auto number : numbers_of(failure->story)) numbers.push_back(std::to_string(number));
  text += "again: KUBEXX_SIMULATION_SEED=" + std::to_string(failure->seed) +
          " KUBEXX_SIMULATION_STEPS=" + std::to_string(steps) + " KUBEXX_SIMULATION_STORY=" + joined(numbers) +
          " KUBEXX_SIMULATION_TRACE=1\n";
  return text;
}

SimulationReport simulate(const MakeScenario& make, const SimulationOptions& options) {
  const auto began = Clock::system().now();
  warm_up(make, options);
  if (options.trace) set_log_sink(stderr_log_sink(), LogLevel::Debug);
  SimulationReport report;
  report.steps = options.steps;
  const bool told = !options.story.empty();
  const auto count = told ? 1 : options.seeds;
  for (auto seed = options.first_seed; report.seeds < count && !report.failure; ++seed) {
    if (options.time_limit && Clock::system().now() - began >= *options.time_limit) break;
    if (options.trace) std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed));
    SimulationRun run(make, seed, options, told ? &options.story : nullptr);
    run.play();
    ++report.seeds;
    report.digest = (report.digest ^ run.digest()) * 1099511628211ULL;
    if (run.failed()) {
      report.failure = SimulationFailure{seed, run.what(), run.details(), run.story(), run.story().size(), 0};
    }
  }
  if (report.failure && !told) Shrinking(make, options, *report.failure).shrink();
  if (options.trace) set_log_sink(nullptr);
  return report;
}

}  // namespace kubexx::testkit
