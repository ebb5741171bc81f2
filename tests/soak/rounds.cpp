#include "soak/rounds.hpp"

#include <iostream>

#include "kubexx/base/stop.hpp"

namespace kubexx::soak {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// How long everybody may take to come to rest. The sample controller tries again later and later, up to twice as late
/// as its storm was long.
constexpr Duration kSettling = seconds(60) * kSlowness;
constexpr Duration kStep = milliseconds(5);

// How often, a second.
constexpr double kLeastWrites = 20.0 / kSlowness;
constexpr double kMostWrites = 400.0 / kSlowness;
constexpr double kFooWrites = 5;
constexpr double kProgramChanges = 3;
constexpr double kRestarts = 0.25;
constexpr double kControllerRestarts = 0.1;
constexpr double kHandOvers = 0.15;

}  // namespace

bool Rounds::is_over(const std::stop_token& stop) const {
  return stop.stop_requested() || world_.journal.over().stop_requested();
}

void Rounds::run(Duration length, const std::stop_token& stop) {
  quiet_point(stop);  // everybody has begun
  while (!is_over(stop) && world_.journal.elapsed() < length) {
    const Duration wanted = milliseconds(1000 + world_.random.below(5000));
    storm(std::min(wanted, length - world_.journal.elapsed()), stop);
    quiet_point(stop);
  }
}

void Rounds::storm(Duration length, const std::stop_token& stop) {
  watchdog_.step("a storm");
  write_rate_ = kLeastWrites + world_.random.uniform() * (kMostWrites - kLeastWrites);
  world_.journal.fault("a storm begins");
  world_.faults.begin_storm();
  world_.surroundings.storm = true;
  const auto& clock = Clock::system();
  auto last = clock.now();
  const auto until = last + length;
  while (last < until && !is_over(stop)) {
    wait_for_stop(stop, kStep);
    const auto now = clock.now();
    stir(std::chrono::duration<double>(now - last).count());
    last = now;
    look();
  }
  world_.surroundings.storm = false;
}

void Rounds::stir(double passed) {
  for (writes_due_ += write_rate_ * passed; writes_due_ >= 1; --writes_due_) world_.workload.step();
  world_.faults.step();
  if (happens(kFooWrites, passed)) world_.foos.step();
  if (happens(kProgramChanges, passed)) world_.steady.change_something();
  if (happens(kProgramChanges, passed)) world_.restarted.change_something();
  if (happens(kHandOvers, passed)) world_.election.hand_over();
  if (happens(kRestarts, passed)) {
    watchdog_.step("a program ends and comes back");
    world_.restarted.restart();
  }
  if (happens(kControllerRestarts, passed)) {
    watchdog_.step("the sample controller ends and comes back");
    world_.foos.restart();
  }
  watchdog_.step("a storm");
}

void Rounds::quiet_point(const std::stop_token& stop) {
  watchdog_.step("waiting for a quiet point");
  world_.faults.heal();
  const auto& clock = Clock::system();
  const auto began = clock.now();
  std::optional<Difference> wrong;
  while (!is_over(stop) && (wrong = world_.wrong())) {
    if (clock.now() - began > kSettling) {
      return world_.journal.violation(
          wrong->key, "not settled " + seconds_text(kSettling) + " after everything was healed: " + wrong->what);
    }
    wait_for_stop(stop, milliseconds(20));
    look(wrong->what);
  }
  if (is_over(stop)) return;
  ++world_.quiet_points;
  world_.foos.forget_events();
  flatness_.add(read_figures());
  if (const auto growth = flatness_.growth()) world_.journal.violation("", *growth);
}

void Rounds::look(std::string_view waits_for) {
  const auto elapsed = world_.journal.elapsed();
  if (elapsed >= next_collection_) {
    next_collection_ = elapsed + milliseconds(100);
    world_.terms.collect(world_.server.core());
  }
  if (elapsed < next_line_) return;
  next_line_ += seconds(10);
  std::cout << progress_line(world_.progress()) << std::endl;
  if (!waits_for.empty()) std::cout << "soak: it waits: " << waits_for << std::endl;
}

}  // namespace kubexx::soak
