#include "kubexx/meta/int_or_string.hpp"

#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/quantity.hpp"

namespace kubexx::meta {
namespace {

TEST(IntOrStringTest, ParsesNumbersAndLeavesTheRestText) {
  EXPECT_EQ(IntOrString::parse("8080"), IntOrString(8080));
  EXPECT_EQ(IntOrString::parse("-1"), IntOrString(-1));
  for (const std::string text : {"http", "", "25%", "80x", "99999999999", " 1"}) {
    EXPECT_EQ(IntOrString::parse(text), IntOrString(text)) << text;
  }
}

TEST(IntOrStringTest, ReadsFieldsOfEitherType) {
  const auto object = object_from_json(R"({"a":8080,"b":"http","c":true,"d":3000000000,"e":80.0})");

  EXPECT_EQ(IntOrString::from_value(object["a"]).value().int_or(0), 8080);
  EXPECT_EQ(IntOrString::from_value(object["b"]).value().to_string(), "http");
  EXPECT_FALSE(IntOrString::from_value(object["c"]));
  EXPECT_FALSE(IntOrString::from_value(object["d"]));
  EXPECT_EQ(IntOrString::from_value(object["e"]).value(), IntOrString(80));
  EXPECT_FALSE(IntOrString::from_value(object["absent"]));
}

TEST(IntOrStringTest, ScalesPercentages) {
  EXPECT_EQ(IntOrString(3).scaled(10, true).value(), 3);
  EXPECT_EQ(IntOrString("25%").scaled(10, true).value(), 3);
  EXPECT_EQ(IntOrString("25%").scaled(10, false).value(), 2);
  EXPECT_EQ(IntOrString("100%").scaled(7, false).value(), 7);
  for (const std::string text : {"25", "%", "a%", "2.5%", ""}) {
    EXPECT_FALSE(IntOrString(text).scaled(10, true)) << text;
  }
  EXPECT_FALSE(IntOrString("200%").scaled(INT64_MAX, true));
}

TEST(QuantityTest, ReadsFieldsOfObjects) {
  const auto object = object_from_json(R"({"a":"1.5Gi","b":2,"c":0.25,"d":true,"e":null,"f":"x"})");

  EXPECT_EQ(Quantity::from_value(object["a"]).value().to_string(), "1536Mi");
  EXPECT_EQ(Quantity::from_value(object["b"]).value().to_string(), "2");
  EXPECT_EQ(Quantity::from_value(object["c"]).value().to_string(), "250m");
  EXPECT_FALSE(Quantity::from_value(object["d"]));
  EXPECT_TRUE(Quantity::from_value(object["e"]).value().is_zero());
  EXPECT_TRUE(Quantity::from_value(object["absent"]).value().is_zero());
  EXPECT_FALSE(Quantity::from_value(object["f"]));
}

}  // namespace
}  // namespace kubexx::meta
