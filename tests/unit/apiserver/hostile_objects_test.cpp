#include <gmock/gmock.h>

#include <chrono>
#include <string>

#include "apiserver/limits.hpp"
#include "core_fixture.hpp"

namespace kubexx::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Objects made to cost more than they look.
class HostileObjectsTest : public CoreFixture {
 protected:
  /// A kind Foo whose spec has this schema.
  std::shared_ptr<RecordingWriter> define(const std::string& spec) {
    const auto answer = send(
        "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        R"({"metadata":{"name":"foos.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"kind":)"
        R"("Foo","plural":"foos"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
        R"({"type":"object","properties":{"spec":)" +
            spec + "}}}}]}}");
    settle();
    return answer;
  }
  std::shared_ptr<RecordingWriter> create(const std::string& spec) {
    return send("POST", kFoos,
                R"({"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a"},"spec":)" + spec + '}');
  }
  static std::string repeat(std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out.append(i ? "," : "").append(text);
    return out;
  }
  /// Why the definition is refused; empty when it is not.
  std::string complaint(const std::string& spec) {
    const auto answer = define(spec);
    return answer->status == 422 ? std::string(answer->object()["message"].string()) : std::string();
  }

  const std::string kFoos = "/apis/example.com/v1/namespaces/default/foos";
};

TEST_F(HostileObjectsTest, APatternIsMatchedInLinearTimeAndForEveryLength) {
  ASSERT_EQ(define(R"({"type":"string","pattern":"^(a+)+$"})")->status, 201);

  for (const std::size_t length : {40u, 4'096u, 4'097u, 1'000'000u}) {
    EXPECT_EQ(create('"' + std::string(length, 'a') + "b\"")->status, 422) << length;
  }
  EXPECT_EQ(create('"' + std::string(1'000'000, 'a') + '"')->status, 201);
}

TEST_F(HostileObjectsTest, PatternsHaveTheSyntaxOfGo) {
  ASSERT_EQ(define(R"({"type":"string","pattern":"(?i)^\\pL{2}[[:digit:]]\\z"})")->status, 201);
  EXPECT_EQ(create("\"\u00e4b\"")->status, 422);
  EXPECT_EQ(create("\"\u00e4b7\"")->status, 201);
}

TEST_F(HostileObjectsTest, AnInvalidPatternIsRefusedWithItsPlace) {
  const std::string message = complaint(R"({"type":"object","properties":{"a":{"type":"string","pattern":"+"}}})");
  EXPECT_THAT(message, HasSubstr("spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].pattern: "
                                 "Invalid value: \"+\": must be a valid regular expression, but isn't: "));
  for (const char* schema : {R"x({"type":"array","items":{"type":"string","pattern":"(?=a)"}})x",
                             R"x({"type":"string","anyOf":[{"pattern":"a"},{"pattern":"("}]})x",
                             R"x({"type":"object","additionalProperties":{"type":"string","pattern":"["}})x",
                             R"x({"type":"string","pattern":"\\1"})x"}) {
    EXPECT_THAT(complaint(schema), HasSubstr("must be a valid regular expression")) << schema;
  }
}

TEST_F(HostileObjectsTest, WordsOfJsonSchemaThatKubernetesHasNoUseForAreRefused) {
  EXPECT_THAT(complaint(R"({"$ref":"#/x"})"),
              HasSubstr("schema.openAPIV3Schema.properties[spec].$ref: Forbidden: $ref is not supported"));
  for (const char* schema :
       {R"({"type":"object","properties":{"a":{"$ref":"#/x"}}})", R"({"type":"object","definitions":{"a":{}}})",
        R"({"type":"object","patternProperties":{"a":{}}})", R"({"type":"object","dependencies":{"a":["b"]}})",
        R"({"type":"object","id":"x"})", R"({"type":"array","items":[{"type":"string"}]})",
        R"({"type":"array","items":{"type":"string"},"additionalItems":false})",
        R"({"type":"array","items":{"type":"string"},"uniqueItems":true})", R"({"type":"null"})"}) {
    EXPECT_NE(complaint(schema), "") << schema;
  }
}

TEST_F(HostileObjectsTest, DefaultsDoNotMakeMoreOfAnObjectThanItMayBe) {
  const std::string much = '"' + std::string(10'000, 'x') + '"';
  ASSERT_EQ(define(R"({"type":"array","items":{"type":"object","properties":{"a":{"type":"string","default":)" + much +
                   "}}}}")
                ->status,
            201);

  const auto answer = create('[' + repeat("{}", 2'000) + ']');
  ASSERT_EQ(answer->status, 413);
  EXPECT_EQ(answer->object()["reason"].string(), "RequestEntityTooLarge");
  EXPECT_EQ(create('[' + repeat("{}", 200) + ']')->status, 201);
}

TEST_F(HostileObjectsTest, SmallDefaultsOfManyItemsAreBoundedToo) {
  ASSERT_EQ(
      define(R"({"type":"array","items":{"type":"object","properties":{"a":{"type":"object","default":{}}}}})")->status,
      201);
  EXPECT_EQ(create('[' + repeat("{}", 500'000) + ']')->status, 413);
}

TEST_F(HostileObjectsTest, APatchMayNotGrowAnObjectBeyondTheLimit) {
  const std::string much(1'000'000, 'x');  // the same again and again: once in memory, not as text
  put_config_map("a", "1");
  int refused = 0;
  for (int i = 0; i < 20 && refused == 0; ++i) {
    refused = send("PATCH", kConfigMaps + "/a", R"({"data":{"k)" + std::to_string(i) + R"(":")" + much + "\"}}",
                   "application/merge-patch+json")
                  ->status;
    if (refused == 200) refused = 0;
  }
  EXPECT_EQ(refused, 413);
}

TEST_F(HostileObjectsTest, ABodyAboveTheLimitOfARealServerIsRefused) {
  const std::string large = R"({"metadata":{"name":"a"},"data":{"v":")" + std::string(kMaxRequestBytes, 'x') + "\"}}";
  for (const auto& [method, target] :
       {std::pair("POST", kConfigMaps), std::pair("PUT", kConfigMaps + "/a"), std::pair("PATCH", kConfigMaps + "/a"),
        std::pair("DELETE", kConfigMaps + "/a")}) {
    const auto answer = send(method, target, large);
    EXPECT_EQ(answer->status, 413) << method;
    EXPECT_EQ(answer->object()["message"].string(), "Request entity too large: limit is 3145728") << method;
    EXPECT_EQ(answer->object()["reason"].string(), "RequestEntityTooLarge") << method;
  }
}

TEST_F(HostileObjectsTest, ManySmallContainersAreRefusedBeforeTheyGetTheirDefaults) {
  const auto answer = send("POST", "/api/v1/namespaces/default/pods",
                           R"({"metadata":{"name":"a"},"spec":{"containers":[)" + repeat("{}", 500'000) + "]}}");
  EXPECT_EQ(answer->status, 413);
}

TEST_F(HostileObjectsTest, AnErrorTellsABoundedNumberOfCauses) {
  const auto pod = send("POST", "/api/v1/namespaces/default/pods",
                        R"({"metadata":{"name":"a"},"spec":{"containers":[)" + repeat("{}", 20'000) + "]}}");
  ASSERT_EQ(define(R"({"type":"array","items":{"type":"string"}})")->status, 201);
  const auto custom = create('[' + repeat("1", 500'000) + ']');
  const auto long_value = create('"' + std::string(2'000'000, 'x') + '"');

  for (const auto& answer : {pod, custom, long_value}) {
    EXPECT_EQ(answer->status, 422);
    EXPECT_LE(answer->object()["details"]["causes"].size(), kMostComplaints);
    EXPECT_LT(answer->body.size(), 2u << 20);
  }
}

TEST_F(HostileObjectsTest, UnknownFieldsAreWarnedOfWithinLimits) {
  std::string fields;
  for (int i = 0; i < 100'000; ++i) fields += ",\"u" + std::to_string(i) + "\":1";
  const auto answer = send("POST", kConfigMaps, R"({"metadata":{"name":"a"})" + fields + '}');
  EXPECT_EQ(answer->status, 201);
  std::size_t bytes = 0;
  for (const auto& [name, value] : answer->headers) bytes += name == "Warning" ? value.size() : 0;
  EXPECT_GT(bytes, 0u);
  EXPECT_LT(bytes, 16u << 10);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr auto kSoon = std::chrono::minutes(5);
#else
constexpr auto kSoon = std::chrono::seconds(60);
#endif

// Each of these took minutes: a schema and an object, or two lists, whose sizes multiply.
TEST_F(HostileObjectsTest, WorkThatMultipliesIsRefusedOrDoneInLinearTime) {
  const auto start = std::chrono::steady_clock::now();

  std::string numbers;
  for (int i = 0; i < 200'000; ++i) numbers += (i ? "," : "") + std::to_string(i);
  ASSERT_EQ(define(R"({"type":"array","items":{"type":"integer","enum":[)" + numbers + "]}}")->status, 201);
  const auto enumerated = create('[' + repeat("-1", 200'000) + ']');
  EXPECT_EQ(enumerated->status, 422);

  std::string properties;
  for (int i = 0; i < 30'000; ++i)
    properties += (i ? "," : "") + ("\"p" + std::to_string(i)) + R"(":{"type":"string"})";
  send("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.example.com");
  settle();
  ASSERT_EQ(define(R"({"type":"array","items":{"type":"object","properties":{)" + properties + "}}}")->status, 201);
  EXPECT_EQ(create('[' + repeat("{}", 90'000) + ']')->status, 413);

  send("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.example.com");
  settle();
  ASSERT_EQ(define(R"({"type":"object","additionalProperties":{"type":"array","items":{"type":"integer"}}})")->status,
            201);
  EXPECT_EQ(create("{\"" + std::string(1'000'000, 'k') + "\":[" + repeat("1", 500'000) + "]}")->status, 201);

  std::string containers;
  std::string environment;
  for (int i = 0; i < 50'000; ++i) {
    if (i < 30'000) containers += (i ? ",{\"name\":\"c" : "{\"name\":\"c") + std::to_string(i) + R"(","image":"x"})";
    environment += (i ? ",{\"name\":\"e" : "{\"name\":\"e") + std::to_string(i) + "\"}";
  }
  const std::string pods = "/api/v1/namespaces/default/pods";
  EXPECT_EQ(send("POST", pods, R"({"metadata":{"name":"a"},"spec":{"containers":[)" + containers + "]}}")->status, 201);
  const std::string pod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"},"spec":{"containers":)";
  for (int i = 0; i < 2; ++i) {
    const auto applied =
        send("PATCH", pods + "/b?fieldManager=me", pod + R"([{"name":"c","image":"x","env":[)" + environment + "]}]}}",
             "application/apply-patch+yaml");
    EXPECT_EQ(applied->status, i ? 200 : 201) << applied->body.substr(0, 1000);
  }
  const auto reduced = send("PATCH", pods + "/b?fieldManager=me", pod + R"([{"name":"c","image":"x"}]}})",
                            "application/apply-patch+yaml");
  EXPECT_EQ(reduced->status, 200) << reduced->body.substr(0, 1000);
  const auto merged = send("PATCH", pods + "/b",
                           R"({"spec":{"containers":[{"name":"c","env":[)" + environment +
                               R"(],"$setElementOrder/env":[)" + environment + "]}]}}",
                           "application/strategic-merge-patch+json");
  EXPECT_EQ(merged->status, 200) << merged->body.substr(0, 1000);

  EXPECT_LT(std::chrono::steady_clock::now() - start, kSoon);
}

TEST_F(HostileObjectsTest, TheSchemeOfATokenIsReadInAnyCase) {
  for (const char* scheme : {"Bearer ", "bearer ", "BEARER ", "bearer  "}) {
    const auto answer =
        send("GET", kConfigMaps, {}, {}, {{"authorization", scheme + core->admin_token()}, {"accept", ""}});
    EXPECT_EQ(answer->status, 200) << scheme;
  }
  EXPECT_EQ(send("GET", kConfigMaps, {}, {}, {{"authorization", "bearer wrong"}})->status, 401);
  EXPECT_EQ(send("GET", kConfigMaps, {}, {}, {{"authorization", core->admin_token()}})->status, 403);
}

}  // namespace
}  // namespace kubexx::apiserver
