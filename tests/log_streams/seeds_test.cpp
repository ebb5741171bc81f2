// Logs that follow pods, on one thread and a virtual clock: writes, cuts, restarts and the order of tasks come from
// seeds.
#include <gtest/gtest.h>

#include <cstdlib>

#include "kubexx/base/random.hpp"
#include "log_streams/log_lines_seen.hpp"
#include "support/one_thread.hpp"

namespace kubexx::log_streams {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RandomLogs {
 public:
  explicit RandomLogs(std::uint64_t seed) : random_(seed), world_(seed) {
    for (const char* name : {"a", "b", "c"}) add_pod(name);
    auto options = lines_.options();
    options.max_line_bytes = 64 + random_.below(200);
    options.max_waiting_bytes = 1 + random_.below(4096);
    options.drain = seconds(30);
    streams_ = logs::LogStreams::create(*world_.client, std::move(options)).value();
    streams_->start();
  }
  ~RandomLogs() {
    streams_->stop();
    world_.executor->run_until_idle();
    streams_.reset();
  }

  void run(int steps) {
    settle();
    for (int i = 0; i < steps; ++i) {
      step();
      if (random_.below(12) == 0) settle();
      if (testing::Test::HasFailure()) return;
    }
    settle();
    EXPECT_EQ(streams_->status().gaps, 0U);
  }

 private:
  struct Container {
    ContainerKey key;
    bool started_again = false;  // since all was read: a node has one log of the past
  };

  void add_pod(const std::string& name) {
    ASSERT_TRUE(world_.core->seed(log_pod("default/" + name, {"web", "proxy"})));
    for (const char* container : {"web", "proxy"}) {
      containers_.push_back({{"default", name, container}});
      write(containers_.back());
    }
  }
  Container& any() { return containers_[random_.below(containers_.size())]; }
  void write(const Container& to) {
    const std::string text = std::to_string(random_.below(3)) + std::string(random_.below(300), 'x');
    lines_.write(*world_.core, to.key, text);
  }

  void step() {
    switch (random_.below(9)) {
      case 0:
        world_.core->cut_logs();
        break;
      case 1:
        world_.core->end_logs();
        break;
      case 2:
        faults_.push_back(world_.core->add_fault(
            {.times = 1, .truncate_after = static_cast<std::size_t>(random_.below(2000)), .subresource = "log"}));
        break;
      case 3:
        faults_.push_back(world_.core->add_fault({.times = 1, .status = 503, .subresource = "log"}));
        break;
      case 4:
        world_.core->cut_watches();
        break;
      case 5:
        start_again(any());
        break;
      case 6:
        world_.executor->advance(milliseconds(random_.below(1500)));
        break;
      default:
        for (auto count = random_.below(10); count > 0; --count) write(any());
        for (auto count = random_.below(50); count > 0; --count) world_.executor->run_one();
    }
  }
  void start_again(Container& container) {
    if (container.started_again) settle();
    world_.executor->fake_clock().advance(milliseconds(1));  // a node takes its time, too
    ASSERT_TRUE(world_.core->start_container(container.key));
    container.started_again = true;
    write(container);
  }
  void settle() {
    faults_.clear();
    for (int i = 0; i < 300 && !lines_.all_there(); ++i) world_.executor->advance(milliseconds(200));
    EXPECT_EQ(lines_.seen(), lines_.written());
    // What is known of the containers is what they are.
    world_.executor->advance(seconds(60));
    for (auto& each : containers_) each.started_again = false;
  }

  Random random_;
  OneThread world_;
  LogLinesSeen lines_;
  std::vector<Container> containers_;
  std::vector<apiserver::Outage> faults_;
  std::unique_ptr<logs::LogStreams> streams_;
};

TEST(LogStreamsSeedTest, EveryLineArrivesOnceAndInOrderWhateverHappensToTheStreams) {
  const char* wanted = std::getenv("KUBEXX_SIMULATION_SEEDS");
  const std::uint64_t seeds = wanted ? std::strtoull(wanted, nullptr, 10) : 100;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomLogs(seed).run(150);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace kubexx::log_streams
