#include "kubexx/base/health.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <optional>
#include <stdexcept>
#include <thread>

namespace kubexx {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> shown(const std::vector<HealthResult>& results) {
  std::vector<std::string> lines;
  for (const auto& result : results) {
    lines.push_back(result.name + " " + std::string(to_string(result.state)) +
                    (result.reason.empty() ? "" : ": " + result.reason));
  }
  return lines;
}

TEST(HealthChecksTest, ChecksRunInTheOrderTheyWereAddedAndForTheProbeTheyAreFor) {
  HealthChecks checks;
  const auto both = checks.add("both", HealthProbe::Both, [] { return Health(); });
  const auto live = checks.add("live", HealthProbe::Liveness, [] { return Result<void>(); });
  const auto ready = checks.add("ready", HealthProbe::Readiness, [] { return Error::config("no database"); });
  const auto waits = checks.add("waits", HealthProbe::Readiness, [] { return Health::standby("b leads"); });

  EXPECT_THAT(shown(checks.run(HealthProbe::Liveness)), ElementsAre("both ok", "live ok"));
  EXPECT_THAT(shown(checks.run(HealthProbe::Readiness)),
              ElementsAre("both ok", "ready failed: no database", "waits standby: b leads"));
  EXPECT_THAT(shown(checks.run(HealthProbe::Both, [](std::string_view name) { return name == "live"; })),
              ElementsAre("live ok"));
}

TEST(HealthChecksTest, ACheckThatThrowsHasFailedWithWhatItThrew) {
  HealthChecks checks;
  const auto one = checks.add("one", HealthProbe::Both, []() -> Health { throw std::runtime_error("oops"); });

  EXPECT_THAT(shown(checks.run(HealthProbe::Liveness)), ElementsAre("one failed: exception: oops"));
}

TEST(HealthChecksTest, HowLongACheckTookIsSaid) {
  FakeClock clock;
  HealthChecks checks(clock);
  const auto slow = checks.add("slow", HealthProbe::Both, [&] {
    clock.advance(std::chrono::seconds(3));
    return Health();
  });

  EXPECT_EQ(checks.run(HealthProbe::Liveness).at(0).duration, std::chrono::seconds(3));
}

TEST(HealthChecksTest, ACheckIsThereAsLongAsItsRegistrationUnlessReleased) {
  HealthChecks checks;
  {
    const auto gone = checks.add("gone", HealthProbe::Both, [] { return Health(); });
    checks.add("kept", HealthProbe::Both, [] { return Health(); }).release();
    auto moved = checks.add("moved", HealthProbe::Both, [] { return Health(); });
    moved = HealthRegistration();
    EXPECT_EQ(checks.size(), 2U);
  }

  EXPECT_THAT(shown(checks.run(HealthProbe::Both)), ElementsAre("kept ok"));
}

TEST(HealthChecksTest, RemovingACheckWaitsForItsRunningCall) {
  HealthChecks checks;
  std::latch inside(1);
  std::latch finish(1);
  std::atomic<bool> ended{false};
  auto registration = checks.add("slow", HealthProbe::Both, [&] {
    inside.count_down();
    finish.wait();
    ended = true;
    return Health();
  });
  std::jthread runner([&] { static_cast<void>(checks.run(HealthProbe::Both)); });
  inside.wait();
  std::jthread helper([&] { finish.count_down(); });

  registration.remove();

  EXPECT_TRUE(ended);
}

TEST(HealthChecksTest, ACheckMayRemoveItself) {
  HealthChecks checks;
  std::optional<HealthRegistration> registration;
  registration = checks.add("once", HealthProbe::Both, [&] {
    registration.reset();
    return Health();
  });

  EXPECT_EQ(checks.run(HealthProbe::Both).size(), 1U);
  EXPECT_EQ(checks.run(HealthProbe::Both).size(), 0U);
}

TEST(HealthChecksTest, ARegistrationMayOutliveTheChecks) {
  HealthRegistration registration;
  {
    HealthChecks checks;
    registration = checks.add("a", HealthProbe::Both, [] { return Health(); });
  }
  registration.remove();
}

TEST(HealthChecksTest, BadNamesAndNamesThatAreThereAreLogicErrors) {
  HealthChecks checks;
  const auto check = [] { return Health(); };
  const auto there = checks.add("a.b-c_1", HealthProbe::Liveness, check);

  for (const char* name : {"", "a b", "a/b", "a\n", "a.b-c_1"}) {
    EXPECT_THROW(static_cast<void>(checks.add(name, HealthProbe::Readiness, check)), std::logic_error) << name;
  }
  EXPECT_THROW(static_cast<void>(checks.add("empty", HealthProbe::Both, nullptr)), std::logic_error);
}

}  // namespace
}  // namespace kubexx
