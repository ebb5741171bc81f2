#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "paths.hpp"

#define FUZZ_TARGET(name) extern "C" int fuzz_##name(const std::uint8_t*, std::size_t);
#define FUZZ_SEEDS(name) int seeds_##name(int, char**);
#include "fuzz_targets.inc"
#undef FUZZ_TARGET
#undef FUZZ_SEEDS

namespace {

using kubexx::Clock;
using Target = int (*)(const std::uint8_t*, std::size_t);
using Seeds = int (*)(int, char**);

const std::map<std::string, Target>& targets() {
  static const std::map<std::string, Target> all = {
#define FUZZ_TARGET(name) {#name, fuzz_##name},
#define FUZZ_SEEDS(name)
#include "fuzz_targets.inc"
#undef FUZZ_TARGET
#undef FUZZ_SEEDS
  };
  return all;
}
const std::map<std::string, Seeds>& seed_writers() {
  static const std::map<std::string, Seeds> all = {
#define FUZZ_TARGET(name)
#define FUZZ_SEEDS(name) {#name, seeds_##name},
#include "fuzz_targets.inc"
#undef FUZZ_TARGET
#undef FUZZ_SEEDS
  };
  return all;
}

/// A folder with the seeds that a program writes, for as long as it lives; or that of the tree.
class Corpus {
 public:
  explicit Corpus(const std::string& name) : folder_(KUBEXX_SOURCE_DIR "/fuzz/corpus/" + name) {
    const auto writer = seed_writers().find(name);
    if (writer == seed_writers().end()) return;
    folder_ = made_ = (std::filesystem::temp_directory_path() / "kubexx-seeds-XXXXXX").string();
    if (!mkdtemp(made_.data())) throw std::runtime_error("no folder");
    folder_ = made_;
    std::string program = name;
    char* arguments[] = {program.data(), made_.data(), nullptr};
    EXPECT_EQ(writer->second(2, arguments), 0);
  }
  ~Corpus() {
    if (!made_.empty()) std::filesystem::remove_all(made_);
  }
  Corpus(const Corpus&) = delete;
  Corpus& operator=(const Corpus&) = delete;

  std::vector<std::string> inputs() const {
    std::vector<std::string> all;
    for (const auto& each : std::filesystem::directory_iterator(folder_)) {
      std::ifstream file(each.path(), std::ios::binary);
      all.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    std::ranges::sort(all);  // a folder has no order
    return all;
  }

 private:
  std::string folder_;
  std::string made_;
};

void run(Target target, const std::string& input) {
  target(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

/// A byte changed, a piece taken away, a piece of another input put in.
std::string damaged(std::string input, const std::string& other, std::mt19937& random) {
  const auto below = [&](std::size_t end) { return end == 0 ? 0 : random() % end; };
  for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
    const auto at = below(input.size());
    switch (below(3)) {
      case 0:
        if (!input.empty()) input[at] = static_cast<char>(random());
        break;
      case 1:
        input.erase(at, below(16));
        break;
      default:
        input.insert(at, other, below(other.size()), below(64));
    }
  }
  return input;
}

/// Of each seed.
int damages() {
  const char* given = std::getenv("KUBEXX_FUZZ_DAMAGES");
  return given ? std::atoi(given) : 50;
}

/// A search that is stopped by time, not by what it has covered: KUBEXX_FUZZ_SECONDS of it for each target. Its seed is
/// fresh and stands in the output; KUBEXX_FUZZ_SEED repeats it, input by input.
void search(Target target, const std::string& name, const std::vector<std::string>& inputs) {
  const char* given = std::getenv("KUBEXX_FUZZ_SECONDS");
  const std::chrono::seconds time(given ? std::atoi(given) : 0);
  if (time <= std::chrono::seconds::zero()) return;
  const char* wanted = std::getenv("KUBEXX_FUZZ_SEED");
  const auto seed = wanted ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10)) : std::random_device()();
  std::cout << name << ": KUBEXX_FUZZ_SEED=" << seed << std::flush;  // before it: a sanitizer ends the program
  std::mt19937 random(seed);
  std::size_t executions = 0;
  for (const auto end = Clock::system().now() + time; Clock::system().now() < end; ++executions) {
    auto input = inputs[random() % inputs.size()];
    for (auto turns = 1 + random() % 4; turns > 0; --turns) {
      input = damaged(std::move(input), inputs[random() % inputs.size()], random);
    }
    run(target, input);
  }
  std::cout << ", " << executions << " executions" << std::endl;
}

class FuzzCorpusTest : public testing::TestWithParam<std::string> {};

TEST_P(FuzzCorpusTest, SeedsAndSmallDamagesOfThemAreTaken) {
  const auto inputs = Corpus(GetParam()).inputs();
  ASSERT_FALSE(inputs.empty()) << "a fuzz target without seeds";
  const Target target = targets().at(GetParam());
  run(target, {});
  std::mt19937 random(7);
  for (const auto& input : inputs) {
    run(target, input);
    for (std::size_t part = 1; part < 8; ++part) run(target, input.substr(0, input.size() * part / 8));
    for (int i = 0; i < damages(); ++i) run(target, damaged(input, inputs[random() % inputs.size()], random));
  }
  search(target, GetParam(), inputs);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& each : targets()) all.push_back(each.first);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpusTest, testing::ValuesIn(names()),
                         [](const auto& which) { return which.param; });

}  // namespace
