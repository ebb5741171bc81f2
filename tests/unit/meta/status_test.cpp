#include "kubexx/meta/status.hpp"

#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"

namespace kubexx::meta {
namespace {

using namespace std::chrono_literals;

// Recorded from Kubernetes 1.36.
constexpr std::string_view kNotFound =
    R"j({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)j"
    R"j("message":"configmaps \"absent\" not found","reason":"NotFound","details":{"name":"absent",)j"
    R"j("kind":"configmaps"},"code":404})j";
constexpr std::string_view kTooLarge =
    R"j({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)j"
    R"j("message":"Timeout: Too large resource version: 999999999, current: 213","reason":"Timeout",)j"
    R"j("details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],)j"
    R"j("retryAfterSeconds":1},"code":504})j";
constexpr std::string_view kBadRequest =
    R"j({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)j"
    R"j("message":"the name of the object (other) does not match the name on the URL (one)",)j"
    R"j("reason":"BadRequest","code":400})j";
constexpr std::string_view kEmptyDetails =
    R"j({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)j"
    R"j("message":"the server could not find the requested resource","reason":"NotFound","details":{},)j"
    R"j("code":404})j";
constexpr std::string_view kSuccess =
    R"j({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"yaml",)j"
    R"j("kind":"configmaps","uid":"5e09b918-b89a-4b86-83e6-31fceb8fbb43"}})j";
constexpr std::string_view kInvalid =
    R"j({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)j"
    R"j("message":"PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for a)j"
    R"j(pply patch","reason":"Invalid","details":{"group":"meta.k8s.io","kind":"PatchOptions",)j"
    R"j("causes":[{"reason":"FieldValueRequired","message":"Required value: is required for apply patch",)j"
    R"j("field":"fieldManager"}]},"code":422})j";
constexpr std::string_view kExpired =
    R"j({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)j"
    R"j("message":"too old resource version: 1 (296)","reason":"Expired","code":410})j";

TEST(StatusTest, WritesTheBytesOfTheApiServer) {
  for (const auto json : {kNotFound, kTooLarge, kBadRequest, kEmptyDetails, kSuccess, kInvalid, kExpired}) {
    const auto object = object_from_json(json);
    EXPECT_EQ(to_json(Status::from_object(object.root()).to_object()), json);
  }
}

TEST(StatusTest, BecomesAnErrorThatKnowsItsParts) {
  const auto error = error_from_status(object_from_json(kInvalid));

  EXPECT_EQ(error.kind(), ErrorKind::Api);
  EXPECT_TRUE(error.is_invalid());
  EXPECT_EQ(error.reason(), "Invalid");
  EXPECT_EQ(error.details().group, "meta.k8s.io");
  ASSERT_EQ(error.details().causes.size(), 1U);
  EXPECT_EQ(error.details().causes[0].field, "fieldManager");
  EXPECT_FALSE(error.retry_after());
}

TEST(StatusTest, ErrorsAnswerTheQuestionsOfControllers) {
  EXPECT_TRUE(error_from_answer(404, kNotFound).is_not_found());
  EXPECT_TRUE(error_from_status(object_from_json(kExpired)).is_expired());
  const auto too_large = error_from_answer(504, kTooLarge);
  EXPECT_TRUE(too_large.is_too_large_resource_version());
  EXPECT_EQ(too_large.retry_after(), 1000ms);
}

TEST(StatusTest, ErrorsBecomeTheStatusTheyCameFrom) {
  for (const auto json : {kNotFound, kTooLarge, kBadRequest, kInvalid, kExpired}) {
    const auto error = error_from_status(object_from_json(json));
    EXPECT_EQ(to_json(Status::from_error(error).to_object()), json);
  }
}

TEST(StatusTest, OurOwnErrorsAreInternalToAClient) {
  const auto status = Status::from_error(Error::decode("bad bytes"));

  EXPECT_EQ(status.code, 500);
  EXPECT_EQ(status.reason, "InternalError");
  EXPECT_EQ(status.message, "bad bytes");
}

TEST(StatusTest, TheHttpCodeStandsInForAMissingCode) {
  const auto error = error_from_answer(409, R"({"kind":"Status","apiVersion":"v1","status":"Failure"})");

  EXPECT_EQ(error.code(), 409);
  EXPECT_TRUE(error.is_conflict());
  EXPECT_FALSE(error.message().empty());
}

TEST(StatusTest, PlainTextAnswersKeepTheirText) {
  const auto error = error_from_answer(404, "404 page not found\n");

  EXPECT_TRUE(error.is_not_found());
  EXPECT_EQ(error.reason(), "NotFound");
  EXPECT_EQ(error.message(), "the server could not find the requested resource: 404 page not found");
  EXPECT_TRUE(error.has_cause("UnexpectedServerResponse"));
}

TEST(StatusTest, ServerErrorsQuoteWhatWasSaid) {
  EXPECT_EQ(error_from_answer(500, "boom").message(),
            "an error on the server (\"boom\") has prevented the request from succeeding");
  EXPECT_EQ(error_from_answer(503, "").message(), "the server is currently unable to handle the request");
}

TEST(StatusTest, HostileAnswersAreCutAndCleaned) {
  const auto error = error_from_answer(400, "a\x01" + std::string(100'000, 'x'));

  EXPECT_LT(error.message().size(), 4096U);
  EXPECT_EQ(error.message().find('\x01'), std::string::npos);
  EXPECT_TRUE(error_from_answer(400, "{\"kind\":\"Status\"").is_bad_request());
  EXPECT_TRUE(error_from_answer(403, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}").is_forbidden());
  EXPECT_EQ(error_from_answer(418, "").code(), 418);
}

TEST(StatusTest, TextsOfAStatusAreCutBeforeTheyAreAnError) {
  const std::string much = "x" + [] {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += "\xc3\xa4";
    return text;
  }();
  Status status;
  status.code = 422;
  status.message = status.reason = much;
  status.details.emplace().name = much;
  status.details->causes.assign(10'000, {"a", "b", "c"});
  status.details->causes.front() = {much, much, much};

  const auto error = status.to_error(422);

  for (const auto& text :
       {error.message(), error.reason(), error.details().name, error.details().causes.at(0).message}) {
    EXPECT_LT(text.size(), 9000U);
    EXPECT_TRUE(text.ends_with("\xc3\xa4...")) << "cut between characters";
  }
  EXPECT_LE(error.details().causes.size(), 256U);
  EXPECT_LT(
      error_from_status(parse_json("{\"kind\":\"" + much + "\",\"apiVersion\":\"v1\"}").value(), 500).message().size(),
      9000U);
}

TEST(StatusTest, RetryAfterOfTheHeaderCountsUnlessTheStatusHasOne) {
  EXPECT_EQ(error_from_answer(429, "slow down", 7s).retry_after(), 7000ms);
  EXPECT_EQ(error_from_answer(404, kNotFound, 7s).retry_after(), 7000ms);
  EXPECT_EQ(error_from_answer(504, kTooLarge, 7s).retry_after(), 1000ms);
}

TEST(StatusTest, WrongTypesAndHugeDelaysAreHarmless) {
  const auto error = error_from_answer(
      500,
      R"({"kind":"Status","apiVersion":"v1","message":7,"code":"x","details":{"causes":[1],"retryAfterSeconds":9223372036854775807}})");

  EXPECT_EQ(error.code(), 500);
  EXPECT_GT(error.retry_after().value(), 0ms);
}

TEST(StatusTest, AnObjectThatIsNoStatusIsAnInternalError) {
  EXPECT_TRUE(error_from_status(object_from_json(R"({"kind":"Pod","apiVersion":"v1"})")).is_internal());
  EXPECT_TRUE(error_from_status(Object()).is_internal());
  EXPECT_EQ(error_from_status(object_from_json(R"({"kind":"Status","apiVersion":"v2"})")).message(),
            "a Status of v1 was expected, the server sent a Status of apiVersion \"v2\"");
}

}  // namespace
}  // namespace kubexx::meta
