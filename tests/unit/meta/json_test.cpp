#include "kubexx/meta/json.hpp"

#include <gtest/gtest.h>

namespace kubexx::meta {
namespace {

std::string round(std::string_view json) {
  return to_json(parse_json(json).value());
}

std::string error_of(std::string_view json, const DecodeOptions& options = {}) {
  const auto result = parse_json(json, options);
  return result ? "no error" : result.error().message();
}

TEST(JsonTest, CompactTextComesBackAsTheSameBytes) {
  for (const std::string_view json : {R"({})", R"([])", R"(null)", R"(true)", R"(false)", R"("")", R"("text")", R"(0)",
                                      R"(-17)", R"(1.5)", R"({"kind":"Pod","x":[1,2,{"y":null}],"spec":{"a":"b"}})",
                                      R"([[[]],{},""])", R"("tab\tquote\"slash\\ / \u0001 é")"}) {
    EXPECT_EQ(round(json), json);
  }
}

TEST(JsonTest, WhiteSpaceAnywhereIsAccepted) {
  EXPECT_EQ(round(" \n{ \"a\" :\t[ 1 , true , \"x\"\r\n ] , \"b\" : { } }  "), R"({"a":[1,true,"x"],"b":{}})");
  EXPECT_EQ(round("  5  "), "5");
  EXPECT_EQ(round(" \"s\" "), "\"s\"");
}

TEST(JsonTest, PrettyOutputIndentsByTwo) {
  EXPECT_EQ(to_json_pretty(object_from_json(R"({"a":[1,{"b":2}],"c":{},"d":[]})")),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}");
}

TEST(JsonTest, NumbersReadAndPrintAsInGoAndDoublesStayDoubles) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"-0", "0"},
      {"-0.0", "-0.0"},
      {"0.0", "0.0"},
      {"1E3", "1000.0"},
      {"1e21", "1e+21"},
      {"1e20", "100000000000000000000"},
      {"123456789012345678901234567890", "1.2345678901234568e+29"},
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808", "9223372036854776000"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-9223372036854775809", "-9223372036854776000"},
      {"18446744073709551616", "18446744073709552000"},
      {"1234567890123456.5", "1234567890123456.5"},
      {"-1125899906842624.25", "-1125899906842624.2"},
      {"4611686018427387904.0", "4611686018427388000.0"},
      {"1e15", "1000000000000000.0"},
      {"999999999999999.9", "999999999999999.9"},
      {"0.1", "0.1"},
      {"0.000001", "0.000001"},
      {"0.0000001", "1e-7"},
      {"1.5e-10", "1.5e-10"},
      {"1e-400", "0.0"},
      {"-1e-400", "-0.0"},
      {"0.30000000000000004", "0.30000000000000004"},
      {"5e-324", "5e-324"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"0e999999999999", "0.0"},
      {"1000000000000000000", "1000000000000000000"},
  };
  for (const auto& [in, out] : cases) {
    const Object first = parse_json(in).value();
    EXPECT_EQ(to_json(first), out) << in;
    const Object second = parse_json(to_json(first)).value();
    EXPECT_EQ(second, first) << in;
    EXPECT_EQ(to_json(second), to_json(first)) << in;
  }
}

TEST(JsonTest, MalformedNumbersAreErrors) {
  for (const std::string_view json : {"01", "-", "+1", ".5", "1.", "1e", "1e+", "--1", "1.5.5", "0x10", "1_000", "NaN",
                                      "Infinity", "-Infinity", "1a", "1\"x\"", "[1 2]", "00", "-01"}) {
    EXPECT_NE(error_of(json), "no error") << json;
  }
  EXPECT_EQ(error_of(R"({"a":1e400})"), "json: byte 5: number out of range");
  EXPECT_EQ(error_of(R"({"a":-1e400})"), "json: byte 5: number out of range");
}

TEST(JsonTest, EscapesAreResolved) {
  EXPECT_EQ(parse_json(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00")").value().root().string(),
            "\"\\/\b\f\n\r\tA\u00e9\u20ac\U0001F600");
  EXPECT_EQ(parse_json(R"({"a\u0062c":1,"na\u006de":2})").value()["abc"].get_int(), 1);
  EXPECT_EQ(parse_json(R"({"a\u0062c":1,"na\u006de":2})").value()["name"].get_int(), 2);
  EXPECT_EQ(parse_json(R"("\u0000")").value().root().string(), std::string_view("\0", 1));
  EXPECT_EQ(round(R"(["no","\\","no","\\\\","no","x\"","no"])"), R"(["no","\\","no","\\\\","no","x\"","no"])");
}

TEST(JsonTest, LoneSurrogatesBecomeTheReplacementCharacter) {
  for (const std::string_view json :
       {R"("\ud800")", R"("\udc00")", R"("\ud800x")", R"("\ud800\n")", R"("\ud800\u0041")"}) {
    EXPECT_TRUE(parse_json(json).value().root().string().starts_with("\xef\xbf\xbd")) << json;
  }
  EXPECT_EQ(parse_json(R"("\ud800\ud83d\ude00")").value().root().string(), "\xef\xbf\xbd\U0001F600");
}

TEST(JsonTest, InvalidEscapesAreErrorsAtTheirPlace) {
  EXPECT_EQ(error_of(R"({"a":"b\x"})"), "json: byte 7: invalid escape");
  EXPECT_EQ(error_of(R"(["\u12"])"), "json: byte 2: invalid escape");
  EXPECT_EQ(error_of(R"(["\u12G4"])"), "json: byte 2: invalid escape");
}

TEST(JsonTest, StringsAreEscapedAsGoDoesWithoutHtml) {
  std::string out;
  append_json_string(out, "a\"b\\c\n\r\t\b\f\x01\x1f\x7f<>&\u2028\u2029\u00e9");
  EXPECT_EQ(out, "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\\u001f\x7f<>&\\u2028\\u2029\u00e9\"");
  out.clear();
  append_json_string(out, "ok\xff\xc3(\xe2\x82");
  EXPECT_EQ(out, "\"ok\\ufffd\\ufffd(\\ufffd\\ufffd\"");
}

TEST(JsonTest, SyntaxErrorsSayWhere) {
  EXPECT_EQ(error_of(""), "json: byte 0: empty input");
  EXPECT_EQ(error_of(" \n "), "json: byte 3: empty input");
  EXPECT_EQ(error_of("{\"a\":1} x"), "json: byte 9: unexpected end of input");
  EXPECT_EQ(error_of("{\"a\":1}}"), "json: byte 7: unexpected character after the value");
  EXPECT_EQ(error_of("1 2"), "json: byte 2: unexpected character after the value");
  EXPECT_EQ(error_of("{\"a\"1}"), "json: byte 4: expected ':'");
  EXPECT_EQ(error_of("{\"a\":1 \"b\":2}"), "json: byte 7: expected ',' or '}'");
  EXPECT_EQ(error_of("[1,]"), "json: byte 3: unexpected character");
  EXPECT_EQ(error_of("{\"a\":1,}"), "json: byte 7: expected a key");
  EXPECT_EQ(error_of("{a:1}"), "json: byte 1: expected a key");
  EXPECT_EQ(error_of("[tru]"), "json: byte 1: unexpected word");
  EXPECT_EQ(error_of("[truex]"), "json: byte 1: unexpected word");
  EXPECT_EQ(error_of("[\"a\"b]"), "json: byte 4: expected ',' or ']'");
  EXPECT_EQ(error_of("{\"a\":[}"), "json: byte 6: unexpected character");
  EXPECT_EQ(error_of("[{]"), "json: byte 2: expected a key");
  EXPECT_EQ(error_of("{\"a\":[1}"), "json: byte 7: expected ',' or ']'");
  EXPECT_EQ(error_of("{\"a\":\"b"), "json: byte 5: unterminated string");
  EXPECT_EQ(error_of("[\"a\nb\"]"), "json: byte 3: control character in a string");
  EXPECT_EQ(error_of("[\"\xff\"]"), "json: byte 2: invalid UTF-8");
  EXPECT_EQ(error_of("[\f1]"), "json: byte 1: unexpected character");
}

TEST(JsonTest, DuplicateKeysAreTheLastOneOrAnErrorAsAsked) {
  const std::string_view json = R"({"spec":{"x":1,"y":2,"x":3}})";
  EXPECT_EQ(round(json), R"({"spec":{"x":3,"y":2}})");
  DecodeOptions strict;
  strict.duplicates = DuplicateKeys::Reject;
  EXPECT_EQ(error_of(json, strict), R"(json: byte 8: the key "x" stands twice in a map)");
  EXPECT_EQ(error_of(R"({"name":1,"name":1})", strict), R"(json: byte 0: the key "name" stands twice in a map)");
  EXPECT_THROW(object_from_json(json), Exception);

  JsonDecoder decoder(strict);
  EXPECT_FALSE(decoder.decode(json));
  EXPECT_TRUE(decoder.decode(R"({"x":1})"));
}

TEST(JsonTest, DefaultsOfApiVersionAndKindComeFirstWhenAbsent) {
  DecodeOptions options;
  options.default_api_version = "v1";
  options.default_kind = "Pod";
  EXPECT_EQ(to_json(parse_json(R"({"metadata":{"kind":1}})", options).value()),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"kind":1}})");
  EXPECT_EQ(to_json(parse_json(R"({"metadata":{},"kind":"X"})", options).value()),
            R"({"apiVersion":"v1","metadata":{},"kind":"X"})");
  EXPECT_EQ(to_json(parse_json(R"({"apiVersion":"v2","kind":"X"})", options).value()),
            R"({"apiVersion":"v2","kind":"X"})");
  EXPECT_EQ(to_json(parse_json("{}", options).value()), R"({"apiVersion":"v1","kind":"Pod"})");
  EXPECT_EQ(to_json(parse_json("[{}]", options).value()), "[{}]");
}

TEST(JsonTest, ADecoderGoesOnAfterErrorsAndAfterLargeTexts) {
  JsonDecoder decoder;
  EXPECT_FALSE(decoder.decode("{\"a\":{\"b\":"));
  EXPECT_EQ(to_json(decoder.decode("{\"a\":1}").value()), "{\"a\":1}");
  const std::string large = "[\"" + std::string(3 << 20, 'x') + "\"]";
  EXPECT_EQ(to_json(decoder.decode(large).value()), large);
  EXPECT_EQ(to_json(decoder.decode("[2]").value()), "[2]");
}

}  // namespace
}  // namespace kubexx::meta
