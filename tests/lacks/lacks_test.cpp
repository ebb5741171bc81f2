/// A host that lacks something gets an Error or a clean end, and a program that goes on is right again when it lacks it
/// no more. Every request is refused once, and a few in a row, in a process of its own each.
///
/// KUBEXX_LACKS=first_list/loop_http1/new/17/1 runs one case in this process, KUBEXX_LACKS_PLACES=40 refuses 40
/// requests of each kind in each scenario, KUBEXX_LACKS_PLACES=all every one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>

#include "kubexx/base/log.hpp"
#include "lacks/runner.hpp"

namespace kubexx::lacks {
namespace {

constexpr std::uint64_t kPlaces = 3;  // of a scenario, wire and kind: all where there are no more, else some of them
constexpr std::uint64_t kInARow = 25;

using Parameters = std::tuple<const Scenario*, Wire, Kind>;

std::uint64_t places() {
  const char* const text = std::getenv("KUBEXX_LACKS_PLACES");
  if (!text) return kPlaces;
  if (text == std::string_view("all")) return std::numeric_limits<std::uint64_t>::max();
  return std::max<std::uint64_t>(std::strtoull(text, nullptr, 10), 1);
}

/// Spread evenly, and other ones for each length.
std::vector<std::uint64_t> chosen(std::uint64_t count, std::uint64_t shift) {
  std::vector<std::uint64_t> all;
  const std::uint64_t wanted = std::min(count, places());
  for (std::uint64_t i = 0; i < wanted; ++i) all.push_back((i * count + shift * count / 2) / wanted % count + 1);
  return all;
}

class LacksTest : public testing::TestWithParam<Parameters> {};

TEST_P(LacksTest, IsToldOrGoesOnAndIsRightInTheEnd) {
  Case one;
  std::tie(one.scenario, one.wire, one.kind) = GetParam();
  const auto counting = run({one});
  ASSERT_EQ(counting.front().failure, "") << "with nothing lacking";
  const auto count = counting.front().counted;
  if (count == 0) GTEST_SKIP() << "it needs none";
  std::vector<Case> cases;
  for (const std::uint64_t length : {std::uint64_t{1}, kInARow}) {
    if (length > 1 && count == 1) continue;
    // Several in a row are too much for libcurl 7.88, which divides by the size of a table that it did not get.
    if (length > 1 && one.kind == Kind::Malloc) continue;
    for (const auto first : chosen(count, length == 1 ? 0 : 1)) {
      cases.push_back(one);
      cases.back().first = first;
      cases.back().length = length;
    }
  }
  for (const auto& ended : run(cases)) {
    EXPECT_EQ(ended.failure, "") << "of " << count << " requests; again: KUBEXX_LACKS=" << ended.what.text();
  }
}

std::vector<Parameters> parameters() {
  std::vector<Parameters> all;
  for (const auto& scenario : scenarios()) {
    for (const Wire wire : kWires) {
      for (const Kind kind : kKinds) all.emplace_back(&scenario, wire, kind);
    }
  }
  return all;
}
std::string name_of(const testing::TestParamInfo<Parameters>& which) {
  const auto& [scenario, wire, kind] = which.param;
  return std::string(scenario->name) + "_" + std::string(to_string(wire)) + "_" + std::string(to_string(kind));
}
INSTANTIATE_TEST_SUITE_P(Host, LacksTest, testing::ValuesIn(parameters()), name_of);

TEST(LacksReplayTest, TheNamedCaseRunsInThisProcess) {
  const char* const text = std::getenv("KUBEXX_LACKS");
  if (!text) GTEST_SKIP() << "KUBEXX_LACKS is not set";
  set_log_sink(stderr_log_sink(), LogLevel::Debug);
  for (const auto& one : cases_of(text)) one.scenario->run(one.wire, [&] { arm(one.kind, one.first, one.length); });
}

}  // namespace
}  // namespace kubexx::lacks
