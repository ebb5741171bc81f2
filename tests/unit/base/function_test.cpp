#include "kubexx/base/function.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

namespace kubexx {
namespace {

TEST(UniqueFunctionTest, OwnsWhatCannotBeCopied) {
  UniqueFunction<int(int)> add = [base = std::make_unique<int>(40)](int n) { return *base + n; };
  UniqueFunction<int(int)> moved = std::move(add);

  EXPECT_FALSE(add);
  EXPECT_EQ(moved(2), 42);
}

TEST(UniqueFunctionTest, ALargeCallableWorksLikeASmallOne) {
  std::array<int, 100> numbers{};
  numbers[99] = 7;
  auto owned = std::make_shared<int>(1);
  {
    UniqueFunction<int()> large = [numbers, owned] { return numbers[99]; };
    UniqueFunction<int()> moved;
    moved = std::move(large);
    EXPECT_EQ(moved(), 7);
    EXPECT_EQ(owned.use_count(), 2);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(UniqueFunctionTest, ResetAndAssignmentReleaseTheCallable) {
  auto first = std::make_shared<int>(1);
  auto second = std::make_shared<int>(2);
  Task task = [first] {};

  task = Task([second] {});
  EXPECT_EQ(first.use_count(), 1);
  task.reset();

  EXPECT_EQ(second.use_count(), 1);
  EXPECT_FALSE(task);
  task.reset();
}

TEST(UniqueFunctionTest, SelfAssignmentKeepsTheCallable) {
  int calls = 0;
  Task task = [&] { ++calls; };
  Task& alias = task;

  task = std::move(alias);
  task();

  EXPECT_EQ(calls, 1);
}

TEST(UniqueFunctionTest, AVoidSignatureDropsTheResult) {
  int calls = 0;
  Task task = [&] { return ++calls; };

  task();

  EXPECT_EQ(calls, 1);
}

TEST(UniqueFunctionTest, KeepsStateBetweenCalls) {
  UniqueFunction<int()> next = [n = 0]() mutable { return ++n; };

  next();

  EXPECT_EQ(next(), 2);
}

TEST(UniqueFunctionTest, PassesReferencesAndMoveOnlyArguments) {
  UniqueFunction<std::size_t(std::unique_ptr<std::string>, int&)> measure = [](std::unique_ptr<std::string> s, int& n) {
    ++n;
    return s->size();
  };
  int n = 0;

  EXPECT_EQ(measure(std::make_unique<std::string>("four"), n), 4U);
  EXPECT_EQ(n, 1);
}

}  // namespace
}  // namespace kubexx
