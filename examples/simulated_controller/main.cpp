// simulated_controller [--with-bug]: the controller of copier.cpp in a simulation. 0: nothing was wrong.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "copier.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/simulation.hpp"

using namespace kubexx;

namespace {

const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

// [begin scenario]
/// The controller, people who write and remove, and what has to be in the end.
class CopierScenario : public testkit::Scenario {
 public:
  CopierScenario(testkit::Simulation& simulation, bool with_bug)
      : world_(simulation),
        program_(simulation.start_program("copier")),
        copier_(std::make_shared<Copier>(program_->client(), with_bug)),
        with_bug_(with_bug) {}

  std::vector<testkit::SimulationStep> steps() override {
    return {
        {"write", [this](Random& random) { write(random); }, 10, /*while_blocked=*/true},
        {"remove", [this](Random& random) { remove(random); }, 4, /*while_blocked=*/true},
        {"restart", [this](Random&) { restart(); }, 0.5},
    };
  }

  /// At quiet points: everything was healed, and some time has passed.
  std::string unsettled() override {
    const auto originals = contents("default");
    const auto copies = contents("kube-public");
    for (const auto& [name, value] : originals) {
      const auto copy = copies.find(name);
      if (copy == copies.end()) return "default/" + name + " has no copy";
      if (copy->second != value) return "the copy of default/" + name + " is old";
    }
    return copies.size() == originals.size() ? "" : "a copy has no original";
  }

  // [end scenario]

 private:
  void write(Random& random) {
    const auto key = "default/n" + std::to_string(random.below(3));
    const auto value = std::to_string(random.below(1000));
    world_.describe("write " + key + " = " + value);
    if (auto done = world_.server().seed(testkit::make_config_map(key, value)); !done) {
      world_.fail("the server refuses a ConfigMap", done.error().message());
    }
  }
  void remove(Random& random) {
    const auto key = "default/n" + std::to_string(random.below(3));
    const auto removed = world_.server().remove(kConfigMaps, meta::ObjectKey::parse(key).value());
    if (removed) world_.describe("remove " + key);
  }
  void restart() {
    if (program_->frozen()) return;
    world_.describe("the controller ends and starts again");
    copier_.reset();
    copier_ = std::make_shared<Copier>(program_->client(), with_bug_);
  }
  std::map<std::string, std::string> contents(const char* namespace_) {
    std::map<std::string, std::string> all;
    for (const auto& map : world_.server().list(kConfigMaps, namespace_)) {
      all[std::string(map.name())] = std::string(map["data"]["v"].string());
    }
    return all;
  }

  testkit::Simulation& world_;
  std::shared_ptr<testkit::SimulatedProgram> program_;
  std::shared_ptr<Copier> copier_;
  const bool with_bug_;
};

}  // namespace

int main(int argc, char** argv) {
  const bool with_bug = argc > 1 && std::string_view(argv[1]) == "--with-bug";
  set_log_sink(nullptr);  // the faults are no news; KUBEXX_SIMULATION_TRACE=1 shows all of it
  // [begin simulate]
  const auto report = testkit::simulate(
      [=](testkit::Simulation& simulation) { return std::make_unique<CopierScenario>(simulation, with_bug); },
      testkit::SimulationOptions{.seeds = 200, .steps = 200}.from_environment());
  std::puts(report.to_string().c_str());
  return report ? 0 : 1;
  // [end simulate]
}
