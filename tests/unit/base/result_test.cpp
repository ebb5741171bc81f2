#include "kubexx/base/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace kubexx {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error::config("odd");
  return n / 2;
}

TEST(ResultTest, HoldsAValueOrAnError) {
  const Result<int> good = half(4);
  const Result<int> bad = half(3);

  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 2);
  EXPECT_EQ(good.value(), 2);
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().message(), "odd");
  EXPECT_EQ(bad.value_or(7), 7);
  EXPECT_EQ(good.value_or(7), 2);
}

TEST(ResultTest, ValueOfAnErrorThrowsTheError) {
  try {
    half(3).value();
    FAIL();
  } catch (const Exception& e) {
    EXPECT_EQ(e.error(), Error::config("odd"));
  }
  EXPECT_THROW(Result<void>(Error::timeout("t")).value(), Exception);
  EXPECT_NO_THROW(Result<void>().value());
}

TEST(ResultTest, AndThenStopsAtTheFirstError) {
  EXPECT_EQ(*half(8).and_then(half), 2);
  EXPECT_EQ(half(6).and_then(half).and_then(half).error().message(), "odd");

  int calls = 0;
  auto result = half(3).and_then([&](int n) {
    ++calls;
    return half(n);
  });
  EXPECT_FALSE(result);
  EXPECT_EQ(calls, 0);
}

TEST(ResultTest, TransformWrapsWhatTheFunctionReturns) {
  Result<std::string> text = half(4).transform([](int n) { return std::to_string(n); });
  Result<void> nothing = half(4).transform([](int) {});
  Result<void> failed = half(3).transform([](int) {});

  EXPECT_EQ(*text, "2");
  EXPECT_TRUE(nothing);
  EXPECT_FALSE(failed);
}

TEST(ResultTest, ContextIsAddedToErrorsOnly) {
  EXPECT_EQ(half(3).context("halve").error().message(), "halve: odd");
  EXPECT_EQ(*half(4).context("halve"), 2);
  EXPECT_EQ(Result<void>(Error::timeout("slow")).context("wait").error().message(), "wait: slow");
  EXPECT_TRUE(Result<void>().context("wait"));
}

TEST(ResultTest, ConvertsWhatConvertsToItsValue) {
  const auto make = []() -> Result<std::string> { return "text"; };
  EXPECT_EQ(*make(), "text");
}

TEST(ResultTest, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> owned = std::make_unique<int>(5);
  std::unique_ptr<int> taken = *std::move(owned);

  EXPECT_EQ(*taken, 5);
}

TEST(ResultTest, ResultsOfVoidChain) {
  int calls = 0;
  const auto step = [&]() -> Result<void> {
    ++calls;
    return Error::config("no");
  };

  EXPECT_FALSE(Result<void>().and_then(step));
  EXPECT_FALSE(Result<void>(Error::timeout("t")).and_then(step));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace kubexx
