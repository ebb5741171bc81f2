#include "kubexx/testkit/simulation.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "testkit/simulation_impl.hpp"

namespace kubexx::testkit {

SimulatedProgram::SimulatedProgram(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
SimulatedProgram::~SimulatedProgram() = default;
const std::string& SimulatedProgram::name() const noexcept {
  return impl_->name;
}
const rest::Client& SimulatedProgram::client() const noexcept {
  return *impl_->client;
}
apiserver::Outage SimulatedProgram::disconnect() {
  return impl_->transport->refuse_connections();
}
apiserver::Outage SimulatedProgram::freeze() {
  impl_->executor->freeze();
  return apiserver::Outage([executor = impl_->executor] { executor->thaw(); });
}
bool SimulatedProgram::frozen() const noexcept {
  return impl_->executor->frozen();
}

Simulation::Impl::Impl(std::uint64_t seed_, const SimulationOptions& options_)
    : seed(seed_), options(options_), scheduler(std::make_shared<Scheduler>(2 * seed_ + 1)), meanwhile(~seed_) {
  apiserver::Options server;
  server.authentication = false;
  server.seed = 2 * seed + 1;  // 0 would be one from the system
  server.executor = std::make_shared<ScheduledExecutor>(scheduler);
  server.bookmark_interval = std::chrono::seconds(5);
  core = std::make_unique<apiserver::Core>(std::move(server));
  scheduler->meanwhile = [this] {
    if (over || settling || failed_or_done() || !steps[plan[next].which].while_blocked || meanwhile.below(8) != 0)
      return false;
    perform(plan[next++]);
    return true;
  };
}

Simulation::Impl::~Impl() {
  scheduler->meanwhile = nullptr;
  scheduler->shut_down();
}

bool Simulation::Impl::failed_or_done() const {
  return !what.empty() || next >= plan.size();
}

void Simulation::Impl::note(std::string_view line) {
  if (over) return;
  const auto whole = std::string("[").append(std::to_string(core->version())).append("] ").append(line);
  for (const char c : whole) digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  if (options.trace) std::fprintf(stderr, "%s\n", whole.c_str());
}

void Simulation::Impl::describe(std::string text) {
  note(text);
  if (!over && !describing.empty()) story[describing.back()].what = std::move(text);
}

void Simulation::Impl::fail(std::string what_, std::string_view details_) {
  if (over || !what.empty()) return;
  note("failed: " + what_ + ": " + std::string(details_));
  what = std::move(what_);
  details = details_;
}

void Simulation::Impl::check() {
  if (!what.empty()) return;
  if (scheduler->stuck()) return fail("the clock stands still", "tasks make each other run, and none waits");
  if (auto wrong = scenario->violated(); !wrong.empty()) fail(std::move(wrong), {});
}

void Simulation::Impl::perform(const PlannedStep& step) {
  story.push_back({step.number, steps[step.which].name});
  describing.push_back(story.size() - 1);
  Random random(step.seed);
  scheduler->run_as_one([&] { steps[step.which].act(random); });
  describing.pop_back();
  check();
}

void Simulation::Impl::heal_all() {
  outages.clear();
  scenario->heal();
}

/// Everything works again; in a while everything must be as it has to be.
void Simulation::Impl::settle() {
  if (scheduler->blocked()) throw std::logic_error("Simulation: a quiet point while a task is blocked");
  if (!what.empty()) return;
  struct Settling {
    bool& settling;
    explicit Settling(bool& flag) : settling(flag) { settling = true; }
    ~Settling() { settling = false; }
  } const now(settling);
  heal_all();
  note("quiet");
  constexpr Duration kLook = std::chrono::seconds(10);
  scheduler->advance(std::chrono::seconds(1));
  auto missing = scenario->unsettled();
  for (Duration waited{}; waited < options.patience && !missing.empty(); waited += kLook) {
    check();
    if (!what.empty()) return;
    scheduler->advance(kLook);
    missing = scenario->unsettled();
  }
  check();
  if (!missing.empty()) fail("not settled", missing);
}

std::vector<std::shared_ptr<SimulatedProgram>> Simulation::Impl::living() const {
  std::vector<std::shared_ptr<SimulatedProgram>> all;
  for (const auto& each : programs) {
    auto program = each.lock();
    const auto is = [&](const Dead& one) { return one.program == program; };
    if (program && std::none_of(dead.begin(), dead.end(), is)) all.push_back(std::move(program));
  }
  return all;
}

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::~Simulation() = default;

std::uint64_t Simulation::seed() const noexcept {
  return impl_->seed;
}
apiserver::Core& Simulation::server() noexcept {
  return *impl_->core;
}
const Clock& Simulation::clock() const noexcept {
  return impl_->scheduler->clock();
}
void Simulation::describe(std::string what) {
  impl_->describe(std::move(what));
}
void Simulation::note(std::string_view line) {
  impl_->note(line);
}
void Simulation::fail(std::string what, std::string_view details) {
  impl_->fail(std::move(what), details);
}
bool Simulation::failed() const noexcept {
  return !impl_->what.empty();
}
void Simulation::keep(apiserver::Outage outage) {
  impl_->outages.push_back(std::move(outage));
}
void Simulation::settle() {
  impl_->settle();
}

std::shared_ptr<SimulatedProgram> Simulation::start_program(std::string name) {
  auto made = std::make_shared<SimulatedProgram::Impl>();
  made->executor = std::make_shared<ScheduledExecutor>(impl_->scheduler);
  made->transport = std::make_shared<InProcessTransport>(*impl_->core, made->executor,
                                                         std::make_shared<ScheduledNetwork>(impl_->scheduler));
  // A host of its own: what is remembered about a server must not pass from one run to the next.
  static std::atomic<std::uint64_t> hosts{0};
  rest::Config config;
  config.host = "http://simulated-" + std::to_string(++hosts);
  config.user_agent = name;
  rest::ClientOptions options;
  options.transport = made->transport;
  options.executor = made->executor;
  options.handlers = made->executor;
  options.metrics = std::make_shared<MetricsRegistry>();
  made->client = rest::Client::create(std::move(config), std::move(options)).value();
  made->name = std::move(name);
  std::shared_ptr<SimulatedProgram> program(new SimulatedProgram(std::move(made)));
  std::erase_if(impl_->programs, [](const auto& each) { return each.expired(); });
  impl_->programs.push_back(program);
  return program;
}

void Simulation::kill(std::shared_ptr<SimulatedProgram> program, std::shared_ptr<void> had) {
  impl_->scheduler->pass(Duration::zero());  // what it sent before arrives
  Impl::Dead dead{std::move(program), {}, std::move(had)};
  dead.outages.push_back(dead.program->disconnect());
  dead.outages.push_back(dead.program->freeze());
  impl_->dead.push_back(std::move(dead));
}

namespace {

/// Whoever has no Random of its own takes that of the process: in a run its numbers come from the seed too.
void seed_process_random(std::uint64_t seed) {
  Random& random = Random::process();
  std::destroy_at(&random);
  std::construct_at(&random, seed);
}

/// A plan depends on the seed, the weights and the length alone: what comes of it decides nothing.
std::vector<PlannedStep> make_plan(std::uint64_t seed, const std::vector<SimulationStep>& steps, std::size_t length) {
  Random random(seed);
  const double all =
      std::accumulate(steps.begin(), steps.end(), 0.0, [](double sum, const auto& step) { return sum + step.weight; });
  std::vector<PlannedStep> plan;
  for (std::size_t number = 1; number <= length; ++number) {
    double left = random.uniform() * all;
    std::size_t which = 0;
    while (which + 1 < steps.size() && left >= steps[which].weight) left -= steps[which++].weight;
    plan.push_back({number, which, random.next()});
  }
  return plan;
}

}  // namespace

SimulationRun::SimulationRun(const MakeScenario& make, std::uint64_t seed, const SimulationOptions& options,
                             const std::vector<std::size_t>* only) {
  seed_process_random(seed);
  auto impl = std::make_unique<Simulation::Impl>(seed, options);
  world_ = impl.get();
  simulation_.reset(new Simulation(std::move(impl)));
  world_->scheduler->run_as_one([&] { world_->scenario = make(*simulation_); });
  if (!world_->scenario) throw std::logic_error("simulate: the scenario is null");
  world_->steps = world_->own_steps(world_->scenario->weights());
  for (auto& step : world_->scenario->steps()) world_->steps.push_back(std::move(step));
  world_->plan = make_plan(seed, world_->steps, options.steps);
  if (!only) return;
  std::erase_if(world_->plan,
                [&](const auto& step) { return std::find(only->begin(), only->end(), step.number) == only->end(); });
}

SimulationRun::~SimulationRun() {
  end();
}

void SimulationRun::play() {
  world_->check();
  while (!world_->failed_or_done()) world_->perform(world_->plan[world_->next++]);
  world_->settle();
}

/// Nothing may be left that calls back into what goes now.
void SimulationRun::end() {
  auto& world = *world_;
  world.over = true;
  world.outages.clear();
  world.scheduler->forget_stuck();
  for (auto& dead : world.dead) {
    dead.outages.pop_back();  // it runs again, and reaches nobody
    world.scheduler->run_as_one([&] { dead.had.reset(); });
    dead.program.reset();
  }
  world.scheduler->forget_stuck();
  world.scheduler->run_as_one([&] { world.scenario.reset(); });
  world.scheduler->forget_stuck();
  while (world.scheduler->run_one()) {
  }
  world.dead.clear();
}

}  // namespace kubexx::testkit
