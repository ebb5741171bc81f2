#include "apiserver/verbs/strategic.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

struct Case {
  const char* about;
  const char* target;
  const char* patch;
  const char* result;  ///< "": refused
};

const Case kCases[] = {
    {"fields merge, null removes", R"({"metadata":{"name":"a","labels":{"x":"1","y":"1"}}})",
     R"({"metadata":{"labels":{"x":null,"z":"2"}}})", R"({"metadata":{"name":"a","labels":{"y":"1","z":"2"}}})"},
    {"items merge by their key", R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}})",
     R"({"spec":{"containers":[{"name":"b","image":"2"},{"name":"c","image":"3"}]}})",
     R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"},{"name":"c","image":"3"}]}})"},
    {"the same new key twice is one item", R"({"spec":{"containers":[]}})",
     R"({"spec":{"containers":[{"name":"c","image":"1"},{"name":"c","image":"2"}]}})",
     R"({"spec":{"containers":[{"name":"c","image":"2"}]}})"},
    {"items are deleted by their key", R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})",
     R"({"spec":{"containers":[{"$patch":"delete","name":"a"},{"$patch":"delete","name":"c"},{"$patch":"delete","name":"x"}]}})",
     R"({"spec":{"containers":[{"name":"b"}]}})"},
    {"deleted and made again", R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b"}]}})",
     R"({"spec":{"containers":[{"$patch":"delete","name":"a"},{"name":"a"}]}})",
     R"({"spec":{"containers":[{"name":"b"},{"name":"a"}]}})"},
    {"numbers are keys too", R"({"spec":{"ports":[{"port":80,"name":"a"},{"port":81}]}})",
     R"({"spec":{"ports":[{"port":80,"name":"b"}]}})", R"({"spec":{"ports":[{"port":80,"name":"b"},{"port":81}]}})"},
    {"a list is replaced", R"({"spec":{"containers":[{"name":"a"}]}})",
     R"({"spec":{"containers":[{"$patch":"replace"},{"name":"b"}]}})", R"({"spec":{"containers":[{"name":"b"}]}})"},
    {"a map is replaced", R"({"metadata":{"labels":{"x":"1"}}})",
     R"({"metadata":{"labels":{"$patch":"replace","y":"1"}}})", R"({"metadata":{"labels":{"y":"1"}}})"},
    {"a map is deleted", R"({"metadata":{"name":"a","labels":{"x":"1"}}})",
     R"({"metadata":{"labels":{"$patch":"delete"}}})", R"({"metadata":{"name":"a"}})"},
    {"values merge as a set", R"({"metadata":{"finalizers":["a","b"]}})",
     R"({"metadata":{"finalizers":["b","c","c"]}})", R"({"metadata":{"finalizers":["a","b","c"]}})"},
    {"values are deleted", R"({"metadata":{"finalizers":["a","b","a","c"]}})",
     R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a","c"]}})", R"({"metadata":{"finalizers":["b"]}})"},
    {"only the named keys stay", R"({"spec":{"strategy":{"type":"a","rollingUpdate":{}}}})",
     R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"b"}}})", R"({"spec":{"strategy":{"type":"b"}}})"},
    {"items are ordered, others stay behind them",
     R"({"spec":{"containers":[{"name":"x"},{"name":"a"},{"name":"b"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}})",
     R"({"spec":{"containers":[{"name":"b"},{"name":"a"},{"name":"x"}]}})"},
    {"lists without a strategy are replaced", R"({"spec":{"containers":[{"name":"a","args":["1","2"]}]}})",
     R"({"spec":{"containers":[{"name":"a","args":["3"]}]}})",
     R"({"spec":{"containers":[{"name":"a","args":["3"]}]}})"},
    {"an item needs its key", R"({"spec":{"containers":[]}})", R"({"spec":{"containers":[{"image":"x"}]}})", ""},
    {"an item is a map", R"({"spec":{"containers":[]}})", R"({"spec":{"containers":["x"]}})", ""},
    {"a directive is known", R"({"spec":{}})", R"({"spec":{"$patch":"burn"}})", ""},
};

TEST(StrategicPatchTest, EachDirectiveDoesWhatItSays) {
  for (const Case& each : kCases) {
    const std::string_view target = each.target;
    const char* type = target.find("\"ports\"") != std::string_view::npos      ? "core.v1.Service"
                       : target.find("\"strategy\"") != std::string_view::npos ? "apps.v1.Deployment"
                                                                               : "core.v1.Pod";
    const auto patched = apply_strategic_patch(*Schema::get().type(type), meta::parse_json(target).value().root(),
                                               meta::parse_json(each.patch).value().root());
    EXPECT_EQ(patched ? meta::to_json(*patched) : std::string(), each.result) << each.about;
  }
}

}  // namespace
}  // namespace kubexx::apiserver
