#include "base/internal/gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace kubexx {
namespace {

TEST(GateTest, NobodyEntersAClosedGate) {
  int object = 0;
  Gate<int> gate(object);
  gate.enter([](int& value) { ++value; });
  gate.close();

  gate.enter([](int& value) { ++value; });

  EXPECT_EQ(object, 1);
}

TEST(GateTest, ClosingWaitsForThoseInside) {
  int object = 0;
  Gate<int> gate(object);
  std::promise<void> inside;
  std::promise<void> go_on;
  std::atomic<bool> left{false};
  std::jthread visitor([&] {
    gate.enter([&](int&) {
      inside.set_value();
      go_on.get_future().wait();
      left = true;
    });
  });
  inside.get_future().wait();
  std::jthread helper([&] { go_on.set_value(); });

  gate.close();

  EXPECT_TRUE(left);
}

TEST(GateTest, AFunctionThatThrowsLeavesTheGate) {
  int object = 0;
  Gate<int> gate(object);

  EXPECT_THROW(gate.enter([](int&) { throw 1; }), int);

  gate.close();  // returns
}

}  // namespace
}  // namespace kubexx
