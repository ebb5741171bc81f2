// What happens in every simulation: work, time, faults, quiet points.
#include <chrono>

#include "testkit/simulation_impl.hpp"

namespace kubexx::testkit {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

bool chance(Random& random, double p) {
  return random.uniform() < p;
}

std::string spoken(Duration span) {
  if (span >= seconds(1)) return std::to_string(span / seconds(1)) + " s";
  return std::to_string(span / milliseconds(1)) + " ms";
}

}  // namespace

std::vector<SimulationStep> Simulation::Impl::own_steps(const SimulationWeights& weights) {
  return {
      {"work", [this](Random& random) { work(random); }, weights.work},
      {"time", [this](Random& random) { pass_time(random); }, weights.time, true},
      {"fault", [this, verbs = weights.verbs](Random& random) { break_something(random, verbs); }, weights.faults,
       true},
      {"heal", [this](Random& random) { heal_one(random); }, weights.heal, true},
      {"quiet", [this](Random&) { settle(); }, weights.quiet},
      {"freeze", [this](Random& random) { freeze_one(random); }, weights.freeze},
  };
}

void Simulation::Impl::work(Random& random) {
  std::size_t ran = 0;
  for (auto left = 1 + random.below(25); left > 0 && scheduler->run_one(); --left) ++ran;
  if (ran > 0) describe(std::to_string(ran) + (ran == 1 ? " task runs" : " tasks run"));
}

/// The clock moves, but what became due runs when the scheduler likes.
void Simulation::Impl::pass_time(Random& random) {
  const Duration spans[] = {milliseconds(1), milliseconds(100), seconds(1), seconds(5), seconds(30), minutes(2)};
  const auto span = spans[random.below(chance(random, 0.1) ? 6 : 4)];
  scheduler->pass(span);
  describe(spoken(span) + " pass");
}

void Simulation::Impl::break_something(Random& random, const std::vector<std::string>& verbs) {
  switch (random.below(7)) {
    case 0:
    case 1:
      return break_a_request(random, verbs);
    case 2:
      describe("the server's history is compacted");
      return core->compact_history();
    case 3: {
      const auto all = living();
      if (all.empty()) return;
      const auto& program = all[random.below(all.size())];
      describe(program->name() + " cannot reach the server");
      outages.push_back(program->disconnect());
      return;
    }
    default:
      return break_a_watch(random);
  }
}

void Simulation::Impl::break_a_watch(Random& random) {
  switch (random.below(8)) {
    case 0:
      describe("the watches are cut");
      core->cut_watches();
      return;
    case 1:
      describe("the watches end");
      core->end_watches();
      return;
    case 2:
      describe("the watches stall");
      outages.push_back(core->stall_watches());
      return;
    case 3: {
      const auto by = milliseconds(1 + random.below(3000));
      describe("the watches are late by " + spoken(by));
      outages.push_back(core->delay_watches(by));
      return;
    }
    case 4:
      describe("no bookmarks come");
      outages.push_back(core->drop_bookmarks());
      return;
    case 5:
      describe("the watches are cut inside an event");
      core->truncate_watches();
      return;
    case 6:
      describe("the watches carry garbage");
      core->inject("{\"type\":\"MODIFIED\",\"object\":{nonsense}}\n");
      return;
    default:
      describe("bookmarks come");
      core->send_bookmarks();
      return;
  }
}

void Simulation::Impl::break_a_request(Random& random, const std::vector<std::string>& verbs) {
  constexpr int kStatuses[] = {429, 500, 503, 410, 422, 400, 504, 401};
  if (verbs.empty()) return;
  apiserver::Fault fault;
  fault.verb = verbs[random.below(verbs.size())];
  const bool reads = fault.verb == "list" || fault.verb == "watch" || fault.verb == "get";
  fault.times = 1 + random.below(3);
  auto text = std::to_string(fault.times) + " requests (" + fault.verb + ") ";
  switch (random.below(5)) {
    case 0:
      fault.reset = true;
      text += "are cut without an answer";
      break;
    case 1:
      fault.truncate_after = random.below(400);
      text += "are cut after " + std::to_string(*fault.truncate_after) + " bytes of the answer";
      break;
    case 2:
      if (reads) {
        fault.delay = seconds(random.below(40));
        text += "are late by " + spoken(fault.delay);
        break;
      }
      [[fallthrough]];
    default:
      fault.status = kStatuses[random.below(std::size(kStatuses))];
      if ((fault.status == 429 || fault.status == 503) && chance(random, 0.5)) {
        fault.retry_after = static_cast<int>(random.below(3));
      }
      text += "are answered " + std::to_string(fault.status);
      break;
  }
  describe(std::move(text));
  outages.push_back(core->add_fault(std::move(fault)));
}

void Simulation::Impl::heal_one(Random& random) {
  if (outages.empty()) return;
  describe("one of " + std::to_string(outages.size()) + " outages ends");
  std::swap(outages[random.below(outages.size())], outages.back());
  outages.pop_back();
}

void Simulation::Impl::freeze_one(Random& random) {
  const auto all = living();
  if (all.empty()) return;
  const auto& program = all[random.below(all.size())];
  if (program->frozen()) return;
  describe(program->name() + " is stopped");
  outages.push_back(program->freeze());
}

}  // namespace kubexx::testkit
