#include "kubexx/meta/yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "kubexx/meta/json.hpp"
#include "paths.hpp"

namespace kubexx::meta {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string as_json(const std::string& yaml) {
  return to_json(object_from_yaml(yaml));
}

std::string error_of(const std::string& yaml, const YamlOptions& options = {}) {
  const auto parsed = parse_yaml(yaml, options);
  return parsed ? "" : parsed.error().message();
}

std::string read_data(const std::string& name) {
  std::ifstream file(std::string(KUBEXX_SOURCE_DIR) + "/tests/unit/meta/data/" + name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(YamlTest, ReadsManifests) {
  EXPECT_EQ(as_json("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {x: z}\nspec:\n  containers:\n"
                    "  - name: c\n    args: [\"-v\", '1']\n    command:\n    - sh\n"),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"x":"z"}},)"
            R"("spec":{"containers":[{"name":"c","args":["-v","1"],"command":["sh"]}]}})");
}

// What kubectl makes of the same scalars.
TEST(YamlTest, ReadsScalarsAsKubernetesDoes) {
  EXPECT_EQ(as_json("[y, Y, yes, Yes, YES, on, On, ON, true, True, TRUE]"),
            "[true,true,true,true,true,true,true,true,true,true,true]");
  EXPECT_EQ(as_json("[n, N, no, No, NO, off, Off, OFF, false, False, FALSE]"),
            "[false,false,false,false,false,false,false,false,false,false,false]");
  EXPECT_EQ(as_json("[yEs, tRUE, oN, nULL]"), R"(["yEs","tRUE","oN","nULL"])");
  EXPECT_EQ(as_json("- ~\n- null\n- Null\n- NULL\n-\n"), "[null,null,null,null,null]");
  EXPECT_EQ(as_json("[0o17, 017, 08, 0x1F, 0b11, -0b11, +5, 1_000, -0x10, 0]"), "[15,15,8,31,3,-3,5,1000,-16,0]");
  EXPECT_EQ(as_json("[.5, +.5, 1.5, 1e-7, -2.5e-3]"), "[0.5,0.5,1.5,1e-7,-0.0025]");
  EXPECT_EQ(as_json("[1:20, 2024-01-01, 0x, -, 1e400, 1.2.3, 0o8, 1e, +, \"1\", '1', -a]"),
            R"(["1:20","2024-01-01","0x","-","1e400","1.2.3","0o8","1e","+","1","1","-a"])");
}

TEST(YamlTest, WholeDoublesBecomeIntegersAsOnTheWayThroughJson) {
  EXPECT_EQ(as_json("[1., 1.0, 1e3, -0.0, 4611686018427387904.0]"), "[1,1,1000,0,4611686018427388000]");
  const auto big = object_from_yaml("[18446744073709551615, 99999999999999999999, 1e21, 9223372036854775807]");
  EXPECT_EQ(big.root()[0].type(), ValueType::Double);
  EXPECT_EQ(big.root()[1].type(), ValueType::Double);
  EXPECT_EQ(big.root()[2].type(), ValueType::Double);
  EXPECT_EQ(big.root()[3].get_int(), INT64_MAX);
  EXPECT_EQ(as_json("[1e-400]"), "[0]");
}

TEST(YamlTest, TagsDecideWhatAScalarIs) {
  EXPECT_EQ(as_json("[!!str 12, !!str yes, !!int \"12\", !!float 3, !foo 12, !!bool on, !!null ~, !!str]"),
            R"(["12","yes",12,3,"12",true,null,""])");
  EXPECT_THAT(error_of("a: !!int x"), StartsWith("yaml: 1:"));
  EXPECT_EQ(as_json("a: !!binary aGVsbG8="), R"({"a":"hello"})");
  EXPECT_THAT(error_of("a: !!binary /w=="), HasSubstr("no UTF-8"));
  EXPECT_FALSE(error_of("a: !!binary '%'").empty());
  EXPECT_THAT(error_of("a: !!set b"), HasSubstr("not supported"));
}

TEST(YamlTest, KeysBecomeText) {
  EXPECT_EQ(as_json("{1: a, 1.50: b, yes: c, 0x10: d}"), R"({"1":"a","1.5":"b","true":"c","16":"d"})");
  EXPECT_THAT(error_of("{~: 1}"), HasSubstr("must not be null"));
  EXPECT_THAT(error_of("{[1]: 1}"), HasSubstr("must be a scalar"));
}

TEST(YamlTest, ReadsBlockTexts) {
  EXPECT_EQ(as_json("a: |\n  x\n   y\n\nb: >-\n  one\n  two\nc: |+\n  z\n\n"),
            R"({"a":"x\n y\n","b":"one two","c":"z\n\n"})");
  EXPECT_EQ(as_json("a: \"x\\ty\\u00e9\\x41\"\nb: 'it''s'\n"),
            "{\"a\":\"x\\ty\xc3\xa9"
            "A\",\"b\":\"it's\"}");
}

TEST(YamlTest, ReadsEveryEscape) {
  EXPECT_EQ(object_from_yaml(R"("\0\a\b\t\n\v\f\r\e\"\/\\\N\_\L\P\x41\u00e9\U0001F600")").root().string(),
            std::string_view("\0\a\b\t\n\v\f\r\x1b\"/\\\xc2\x85\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9"
                             "A\xc3\xa9\xf0\x9f\x98\x80",
                             29));
  EXPECT_FALSE(error_of(R"("\ud800")").empty());
  EXPECT_FALSE(error_of(R"("\q")").empty());
}

TEST(YamlTest, ReadsManyDocumentsAndSkipsEmptyOnes) {
  const auto documents = parse_yaml("---\na: 1\n---\n---\n# nothing here\n---\nb: 2\n...\n").value();

  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(to_json(documents[0]), R"({"a":1})");
  EXPECT_EQ(to_json(documents[1]), R"({"b":2})");
  EXPECT_TRUE(parse_yaml("").value().empty());
  EXPECT_TRUE(parse_yaml("# only a comment\n").value().empty());
}

TEST(YamlTest, ADocumentMeansExactlyOne) {
  EXPECT_FALSE(parse_yaml_document(""));
  EXPECT_FALSE(parse_yaml_document("a: 1\n---\nb: 2\n"));
  EXPECT_THROW(object_from_yaml("a: [1"), Exception);
}

TEST(YamlTest, AliasesAndMergesExpand) {
  EXPECT_EQ(as_json("a: &x {p: 1}\nb: *x\nc: [*x, &y 2, *y]\n"), R"({"a":{"p":1},"b":{"p":1},"c":[{"p":1},2,2]})");
  EXPECT_EQ(as_json("a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n"), R"({"a":{"p":1,"q":2},"b":{"p":1,"q":3}})");
  EXPECT_EQ(as_json("x: &x {p: 1}\nw: &w {p: 2, q: 2}\nz: {<<: [*x, *w]}\n"),
            R"({"x":{"p":1},"w":{"p":2,"q":2},"z":{"p":1,"q":2}})");
  EXPECT_EQ(as_json("{\"<<\": 1}"), R"({"<<":1})");
}

TEST(YamlTest, AMergeAfterAKeyWinsAsInKubectl) {
  EXPECT_EQ(as_json("a: &x {p: 1}\nb:\n  p: 5\n  <<: *x\n"), R"({"a":{"p":1},"b":{"p":1}})");
}

TEST(YamlTest, BadAnchorsAndMergesAreErrors) {
  EXPECT_FALSE(error_of("a: *nope").empty());
  EXPECT_THAT(error_of("a: &x [*x]"), HasSubstr("contains itself"));
  EXPECT_THAT(error_of("a: {<<: 1}"), HasSubstr("<< needs a map"));
  EXPECT_THAT(error_of("a: {<<: [1]}"), HasSubstr("<< needs a map"));
}

TEST(YamlTest, DuplicateKeysAreErrorsWithTheirPlace) {
  EXPECT_EQ(error_of("a: 1\nb: 2\na: 3\n"), "yaml: 3:1: key \"a\" is already set in this map");
  EXPECT_THAT(error_of("{1: a, \"1\": b}"), HasSubstr("already set"));
  EXPECT_THAT(error_of("{\"a\": 1, \"a\": 2}"), HasSubstr("already set"));
}

TEST(YamlTest, ErrorsSayLineAndColumn) {
  EXPECT_THAT(error_of("a: 1\nb: [1, 2\nc: 3\n"), testing::ContainsRegex("^yaml: [0-9]+:[0-9]+: "));
  EXPECT_THAT(error_of("a: 1\n\tb: 2\n"), StartsWith("yaml: 2:"));
  EXPECT_THAT(error_of("a: .inf"), StartsWith("yaml: 1:4: "));
}

TEST(YamlTest, WhatFollowsADocumentMustBeOne) {
  for (const std::string text :
       {"]", "}", ",", "[1] ]", "[1] [2]", "{a: 1} b", "a: 1\n]\n", "\"a\" b: c\n---\n", "- a\nb\n"}) {
    EXPECT_FALSE(error_of(text).empty()) << text;
  }
  EXPECT_EQ(parse_yaml("a: 1\n... # end\n# next\n\nb: 2\n").value().size(), 2U);
  EXPECT_EQ(parse_yaml("\xc3\xa9: 1\r\n---\r\nb: 2\r\n").value().size(), 2U);
}

TEST(YamlTest, BytesThatYamlForbidsAreErrorsWithTheirPlace) {
  EXPECT_EQ(error_of("a: 1\nb: \xff\n"), "yaml: 2:4: the text is not valid UTF-8");
  EXPECT_EQ(error_of("a: x\x04y\n"), "yaml: 1:5: control characters are not allowed");
  EXPECT_EQ(error_of(std::string("a: \0", 4)), "yaml: 1:4: control characters are not allowed");
  EXPECT_EQ(error_of("\xc0\x80"), "yaml: 1:1: the text is not valid UTF-8");
  EXPECT_EQ(error_of("\xed\xa0\x80"), "yaml: 1:1: the text is not valid UTF-8");
  EXPECT_EQ(as_json("\xef\xbb\xbf"
                    "a: 1\n"),
            R"({"a":1})");
}

TEST(YamlTest, AliasBombsAreErrorsNotMemory) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n";
  std::string merges = "a0: &a0 {k: v}\n";
  for (int i = 1; i < 40; ++i) {
    const auto before = std::to_string(i - 1);
    const auto name = "a" + std::to_string(i) + ": &a" + std::to_string(i);
    bomb += name + " [*a" + before + ",*a" + before + ",*a" + before + "]\n";
    merges += name + " {<<: [*a" + before + ",*a" + before + ",*a" + before + "]}\n";
  }

  EXPECT_THAT(error_of(bomb), HasSubstr("exceeds"));
  EXPECT_THAT(error_of(merges), HasSubstr("exceeds"));
}

TEST(YamlTest, LimitsAreErrors) {
  EXPECT_THAT(error_of(std::string(300, '[') + std::string(300, ']')), HasSubstr("nested deeper than 256"));
  EXPECT_THAT(error_of("a: 1", {.max_bytes = 3}), HasSubstr("exceeds 3 bytes"));
  EXPECT_THAT(error_of("a: abcdefghij", {.max_document_bytes = 8}), HasSubstr("exceeds 8 bytes"));
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "- ";
  EXPECT_FALSE(error_of(deep).empty());
  EXPECT_FALSE(error_of(std::string(1'000'000, '{')).empty());
}

// A flow collection may turn out to be a key, so yaml-cpp keeps all of it, a hundred times its size, until it closes.
TEST(YamlTest, AnEndlessFlowCollectionIsRefusedBeforeItFillsTheMemory) {
  constexpr std::size_t kLimit = 1 << 16;
  const YamlOptions options{.max_node_bytes = kLimit};
  std::string flow = "[";
  while (flow.size() < 2 * kLimit) flow += "a,";
  EXPECT_THAT(error_of(flow + "a]", options), HasSubstr("a scalar, list or map exceeds 65536 bytes"));
  EXPECT_THAT(error_of("a: \"" + std::string(2 * kLimit, 'x') + "\"", options), HasSubstr("exceeds 65536 bytes"));

  std::string block = "a:\n";
  while (block.size() < 2 * kLimit) block += "- b: c\n";
  EXPECT_EQ(parse_yaml_document(block, options).value()["a"].size(), block.size() / 7);
  const std::string text(kLimit - 100, 'x');
  EXPECT_EQ(parse_yaml_document("a: |\n  " + text + "\n", options).value()["a"].string_or(""), text + "\n");
}

TEST(YamlTest, JsonIsYaml) {
  EXPECT_EQ(as_json(R"( {"a":[1,2.0,"\ud83d\ude00\/"]} )"), "{\"a\":[1,2.0,\"\xf0\x9f\x98\x80/\"]}");
}

TEST(YamlTest, PrintsTheTextOfKubectl) {
  const auto object = object_from_json(read_data("kubectl.json"));

  EXPECT_EQ(to_yaml(object, YamlKeys::Sorted), read_data("kubectl.yaml"));
}

TEST(YamlTest, ReadsTheTextOfKubectl) {
  EXPECT_EQ(object_from_yaml(read_data("kubectl.yaml")), object_from_json(read_data("kubectl.json")));
}

TEST(YamlTest, KeepsTheOrderOfKeysUnlessAsked) {
  const auto object = object_from_json(R"({"b":1,"a10":2,"a9":3})");

  EXPECT_EQ(to_yaml(object), "b: 1\na10: 2\na9: 3\n");
  EXPECT_EQ(to_yaml(object, YamlKeys::Sorted), "a9: 3\na10: 2\nb: 1\n");
}

TEST(YamlTest, PrintsRootsOfEveryType) {
  EXPECT_EQ(to_yaml(object_from_json("[]")), "[]\n");
  EXPECT_EQ(to_yaml(object_from_json("{}")), "{}\n");
  EXPECT_EQ(to_yaml(object_from_json("[1,[2]]")), "- 1\n- - 2\n");
  EXPECT_EQ(to_yaml(object_from_json("\"x\\ny\"")), "|-\n  x\n  y\n");
  EXPECT_EQ(to_yaml(Value()), "null\n");
}

TEST(YamlTest, QuotesWhatWouldMergeOnReading) {
  const auto object = object_from_json(R"({"<<":"<<"})");

  EXPECT_EQ(to_yaml(object), "\"<<\": \"<<\"\n");
  EXPECT_EQ(object_from_yaml(to_yaml(object)), object);
}

}  // namespace
}  // namespace kubexx::meta
