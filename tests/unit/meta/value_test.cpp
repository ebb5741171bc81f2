#include "kubexx/meta/value.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_builder.hpp"

namespace kubexx::meta {
namespace {

TEST(ValueTest, AnAbsentValueAnswersEveryQuestion) {
  const Value absent;
  EXPECT_EQ(absent.type(), ValueType::Absent);
  EXPECT_FALSE(absent);
  EXPECT_FALSE(absent["a"]["b"][3].at("/c/d").exists());
  EXPECT_EQ(absent.size(), 0U);
  EXPECT_TRUE(absent.items().empty());
  EXPECT_TRUE(absent.entries().empty());
  EXPECT_EQ(absent.string(), "");
  EXPECT_EQ(absent.int_or(7), 7);
  EXPECT_FALSE(absent.get_bool());
  EXPECT_EQ(absent, Value());
  EXPECT_EQ(absent.require_string().error().message(), "expected string, found absent");
}

TEST(ValueTest, EveryTypeKeepsItsValue) {
  const Object object = object_from_json(
      R"({"n":null,"t":true,"f":false,"i":-5,"big":9223372036854775807,"low":-9223372036854775808,"d":1.5,"s":"text",)"
      R"("e":"","l":[1,"two"],"m":{},"el":[]})");
  EXPECT_TRUE(object["n"].is_null());
  EXPECT_EQ(object["t"].get_bool(), true);
  EXPECT_EQ(object["f"].get_bool(), false);
  EXPECT_EQ(object["i"].get_int(), -5);
  EXPECT_EQ(object["big"].get_int(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(object["low"].get_int(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(object["d"].get_double(), 1.5);
  EXPECT_EQ(object["s"].get_string(), "text");
  EXPECT_EQ(object["e"].get_string(), "");
  EXPECT_EQ(object["l"].size(), 2U);
  EXPECT_TRUE(object["m"].is_map());
  EXPECT_TRUE(object["m"].empty());
  EXPECT_TRUE(object["el"].is_list());
  EXPECT_TRUE(object["el"].items().empty());
  EXPECT_FALSE(object["missing"].exists());
}

TEST(ValueTest, IntegersAtTheEdgeOfTheInlineRangeSurvive) {
  for (const std::int64_t value : {(1LL << 27) - 1, 1LL << 27, -(1LL << 27), -(1LL << 27) - 1, 0LL, -1LL}) {
    ObjectBuilder builder;
    builder.integer(value);
    EXPECT_EQ(builder.finish().value().root().get_int(), value);
  }
}

TEST(ValueTest, AWholeDoubleReadsAsIntAndAnIntAsDouble) {
  const Object object = object_from_json(R"({"whole":3.0,"half":3.5,"huge":1e300,"int":3})");
  EXPECT_EQ(object["whole"].get_int(), 3);
  EXPECT_FALSE(object["half"].get_int());
  EXPECT_FALSE(object["huge"].get_int());
  EXPECT_EQ(object["int"].get_double(), 3.0);
  EXPECT_EQ(object["whole"].type(), ValueType::Double);
  EXPECT_FALSE(object["whole"] == object["int"]);
}

TEST(ValueTest, WrongTypesAreErrorsThatSayWhatStandsThere) {
  const Object object = object_from_json(R"({"s":"x","l":[]})");
  EXPECT_EQ(object["s"].require_int().error().message(), "expected int, found string");
  EXPECT_EQ(object["l"].require_bool().error().message(), "expected bool, found list");
  EXPECT_EQ(object["s"].require_double().error().message(), "expected number, found string");
  EXPECT_EQ(object["s"].require_string().value(), "x");
}

TEST(ValueTest, JsonPointersLeadThroughMapsAndLists) {
  const Object object =
      object_from_json(R"({"spec":{"containers":[{"image":"a"},{"image":"b"}]},"a/b":1,"m~n":2,"":3})");
  EXPECT_EQ(object.at("/spec/containers/1/image").string(), "b");
  EXPECT_EQ(object.at("/a~1b").get_int(), 1);
  EXPECT_EQ(object.at("/m~0n").get_int(), 2);
  EXPECT_EQ(object.at("/").get_int(), 3);
  EXPECT_EQ(object.at(""), object.root());
  for (const char* nowhere : {"spec", "/spec/containers/2", "/spec/containers/01", "/spec/containers/-", "/spec/x/y",
                              "/m~n", "/m~", "/spec/containers/0/image/x", "/spec/containers/99999999999999999999"}) {
    EXPECT_FALSE(object.at(nowhere).exists()) << nowhere;
  }
}

TEST(ValueTest, EqualityIgnoresTheOrderOfKeysAndSeesEverythingElse) {
  EXPECT_EQ(object_from_json(R"({"a":1,"b":{"c":[1,2]}})"), object_from_json(R"({"b":{"c":[1,2]},"a":1})"));
  EXPECT_FALSE(object_from_json(R"({"a":1})") == object_from_json(R"({"a":1,"b":2})"));
  EXPECT_FALSE(object_from_json(R"({"a":1})") == object_from_json(R"({"b":1})"));
  EXPECT_FALSE(object_from_json(R"([1,2])") == object_from_json(R"([2,1])"));
  EXPECT_FALSE(object_from_json(R"({"a":null})") == object_from_json(R"({})"));
  EXPECT_FALSE(object_from_json("0.0") == object_from_json("-0.0"));
}

TEST(ValueTest, IterationKeepsTheOrderOfTheText) {
  const Object object = object_from_json(R"({"zone":1,"kind":2,"x-stranger":3,"apiVersion":4})");
  std::string keys;
  for (const auto& [key, value] : object.root().entries()) keys += std::string(key) + "=" + to_json(value) + " ";
  EXPECT_EQ(keys, "zone=1 kind=2 x-stranger=3 apiVersion=4 ");
}

std::string map_text(std::size_t count, bool backwards) {
  std::string json = "{";
  for (std::size_t i = 0; i < count; ++i) {
    std::string key = std::to_string(100000 + (backwards ? count - i : i));
    json += (i ? ",\"k" : "\"k") + key + "\":" + key;
  }
  return json + "}";
}

TEST(ValueTest, MapsOfAnySizeAndOrderFindEveryKeyAndNoOther) {
  for (const std::size_t count : {1U, 2U, 16U, 17U, 18U, 64U, 5000U}) {
    for (const bool backwards : {false, true}) {
      const Object object = object_from_json(map_text(count, backwards));
      ASSERT_EQ(object.root().size(), count);
      for (const auto& [key, value] : object.root().entries()) {
        ASSERT_EQ(object[key].get_int(), value.get_int());
        ASSERT_EQ("k" + std::to_string(value.int_or(0)), key);
      }
      EXPECT_FALSE(object["k"].exists());
      EXPECT_FALSE(object["k0"].exists());
      EXPECT_FALSE(object["zzz"].exists());
      EXPECT_FALSE(object["name"].exists());
    }
  }
}

TEST(ValueTest, KnownNamesAmongManyStrangersAreFoundByIdAndByText) {
  std::string json = map_text(100, true);
  json.insert(1, R"("name":"n","zone":"z",)");
  json.insert(json.size() - 1, R"(,"kind":"k")");
  const Object object = object_from_json(json);
  EXPECT_EQ(object["name"].string(), "n");
  EXPECT_EQ(object[*find_name("zone")].string(), "z");
  EXPECT_EQ(object["kind"].string(), "k");
  EXPECT_FALSE(object["spec"].exists());
}

}  // namespace
}  // namespace kubexx::meta
