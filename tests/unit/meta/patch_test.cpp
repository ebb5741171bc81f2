#include <gtest/gtest.h>

#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::meta {
namespace {

Object json(std::string_view text) {
  return object_from_json(text);
}

TEST(MergePatchTest, HoldsExactlyWhatChanged) {
  EXPECT_EQ(merge_patch(json(R"({"a":1,"b":{"c":1,"d":2},"l":[1]})").root(),
                        json(R"({"a":1,"b":{"c":5},"l":[1,2],"n":{"x":1}})").root()),
            R"({"b":{"c":5,"d":null},"l":[1,2],"n":{"x":1}})");
  EXPECT_EQ(merge_patch(json(R"({"a":{"b":1}})").root(), json(R"({"a":{"b":1}})").root()), "{}");
  EXPECT_EQ(json(R"({"a":1})").edit().merge_patch(), "{}");
}

TEST(MergePatchTest, AppliesTheExamplesOfTheRfc) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", R"(null)", R"(null)"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const auto& [target, patch, expected] : cases) {
    EXPECT_EQ(to_json(apply_merge_patch(json(target).root(), json(patch).root()).value()), expected) << target << patch;
  }
}

TEST(JsonPatchTest, TheWrittenPatchLeadsFromOneToTheOther) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"a":1,"b":{"c":[1,2,3]}})", R"({"a":2,"b":{"c":[1,9,3,4]},"d/e":{"~":1}})"},
      {R"({"l":[1,2,3,4,5]})", R"({"l":[1,5]})"},
      {R"({"l":[1,5]})", R"({"l":[1,2,3,4,5]})"},
      {R"({"l":[{"name":"a"},{"name":"b"}]})", R"({"l":[{"name":"b"}]})"},
      {R"({"a":1})", R"([1])"},
      {R"({"a":1})", R"({})"},
  };
  for (const auto& [before, after] : cases) {
    const std::string patch = json_patch(json(before).root(), json(after).root());
    EXPECT_EQ(apply_json_patch(json(before).root(), json(patch).root()).value(), json(after)) << patch;
  }
  EXPECT_EQ(json_patch(json("{}").root(), json("{}").root()), "[]");
  EXPECT_EQ(json_patch(json(R"({"l":[1,2,3]})").root(), json(R"({"l":[1,3]})").root()),
            R"([{"op":"remove","path":"/l/1"}])");
}

TEST(JsonPatchTest, EveryOperationDoesWhatTheRfcSays) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {R"({"a":1})", R"([{"op":"add","path":"/b","value":[1]}])", R"({"a":1,"b":[1]})"},
      {R"({"l":[1,3]})", R"([{"op":"add","path":"/l/1","value":2}])", R"({"l":[1,2,3]})"},
      {R"({"l":[1]})", R"([{"op":"add","path":"/l/-","value":2}])", R"({"l":[1,2]})"},
      {R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])", R"({"a":2})"},
      {R"({"a":1})", R"([{"op":"add","path":"","value":[]}])", R"([])"},
      {R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
      {R"({"l":[1,2,3]})", R"([{"op":"remove","path":"/l/0"}])", R"({"l":[2,3]})"},
      {R"({"a":{"b":1}})", R"([{"op":"replace","path":"/a/b","value":null}])", R"({"a":{"b":null}})"},
      {R"({"a":{"b":1},"c":{}})", R"([{"op":"move","from":"/a/b","path":"/c/d"}])", R"({"a":{},"c":{"d":1}})"},
      {R"({"l":[1,2,3]})", R"([{"op":"move","from":"/l/0","path":"/l/2"}])", R"({"l":[2,3,1]})"},
      {R"({"a":{"b":[1]}})", R"([{"op":"copy","from":"/a","path":"/c"}])", R"({"a":{"b":[1]},"c":{"b":[1]}})"},
      {R"({"a":[1,{"x":2.0}]})", R"([{"op":"test","path":"/a","value":[1.0,{"x":2}]}])", R"({"a":[1,{"x":2.0}]})"},
      {R"({"a/b":1,"m~n":2})", R"([{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/m~0n"}])", R"({})"},
      {R"({"a":1})", R"([{"op":"move","from":"/a","path":"/a"}])", R"({"a":1})"},
  };
  for (const auto& [target, patch, expected] : cases) {
    const auto result = apply_json_patch(json(target).root(), json(patch).root());
    ASSERT_TRUE(result) << patch << result.error().message();
    EXPECT_EQ(to_json(*result), expected) << patch;
  }
}

TEST(JsonPatchTest, FailuresNameTheOperationAndTheReason) {
  const auto message = [](const char* target, const char* patch) {
    const auto result = apply_json_patch(json(target).root(), json(patch).root());
    return result ? "no error" : result.error().message();
  };
  const std::string at = "JSON patch operation 0: ";
  EXPECT_EQ(message("{}", "{}"), "a JSON patch is a list of operations");
  EXPECT_EQ(message("{}", "[5]"), at + "an operation needs a string \"op\"");
  EXPECT_EQ(message("{}", R"([{"op":"add","value":1}])"), at + "an operation needs a string \"path\"");
  EXPECT_EQ(message("{}", R"([{"op":"add","path":"/a"}])"), at + "add needs a \"value\"");
  EXPECT_EQ(message("{}", R"([{"op":"fly","path":"/a"}])"), at + "unknown operation \"fly\"");
  EXPECT_EQ(message("{}", R"([{"op":"copy","path":"/a"}])"), at + "copy needs a string \"from\"");
  EXPECT_EQ(message("{}", R"([{"op":"remove","path":"/a"}])"), at + "the path \"/a\" does not exist");
  EXPECT_EQ(message("{}", R"([{"op":"replace","path":"/a","value":1}])"), at + "the path \"/a\" does not exist");
  EXPECT_EQ(message("{}", R"([{"op":"add","path":"/a/b","value":1}])"), at + "the path \"/a\" does not exist");
  EXPECT_EQ(message("{}", R"([{"op":"add","path":"a","value":1}])"), at + "\"a\" is no JSON pointer");
  EXPECT_EQ(message("{}", R"([{"op":"remove","path":""}])"), at + "the whole document cannot be removed");
  EXPECT_EQ(message(R"({"l":[]})", R"([{"op":"add","path":"/l/1","value":1}])"),
            at + "the index 1 is beyond the end of a list of 0");
  EXPECT_EQ(message(R"({"l":[]})", R"([{"op":"add","path":"/l/x","value":1}])"), at + "\"x\" is no index of a list");
  EXPECT_EQ(message(R"({"a":{}})", R"([{"op":"move","from":"/a","path":"/a/b"}])"),
            at + "\"/a\" cannot be moved into itself");
  EXPECT_EQ(message(R"({"a":1})", R"([{"op":"test","path":"/a","value":1},{"op":"test","path":"/a","value":"1"}])"),
            "JSON patch operation 1: the value at \"/a\" is not the expected one");
}

TEST(JsonPatchTest, CopiesThatDoubleTheDocumentAreStopped) {
  std::string patch = "[";
  for (int i = 0; i < 60; ++i) {
    patch += std::string(i ? "," : "") + R"({"op":"copy","from":"","path":"/c)" + std::to_string(i) + "\"}";
  }
  const auto result = apply_json_patch(json(R"({"a":"0123456789"})").root(), json(patch + "]").root());
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message().find("exceed"), std::string::npos) << result.error().message();
}

}  // namespace
}  // namespace kubexx::meta
