#include "kubexx/base/error.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace kubexx {
namespace {

using namespace std::chrono_literals;

TEST(ErrorTest, ContextStandsBeforeTheMessageAndKeepsTheRest) {
  const Error error = Error::api(429, "TooManyRequests", "slow down").with_retry_after(3s).with_context("list pods");

  EXPECT_EQ(error.message(), "list pods: slow down");
  EXPECT_EQ(error.with_context("informer").message(), "informer: list pods: slow down");
  EXPECT_EQ(error.retry_after(), 3s);
  EXPECT_TRUE(error.is_too_many_requests());
}

TEST(ErrorTest, AddingContextLeavesTheOriginalAlone) {
  const Error original = Error::decode("bad byte");
  const Error copy = original;

  EXPECT_EQ(original.with_context("x").message(), "x: bad byte");
  EXPECT_EQ(original.message(), "bad byte");
  EXPECT_EQ(copy, original);
}

TEST(ErrorTest, EveryFactorySetsItsKind) {
  EXPECT_EQ(Error::transport(TransportFailure::Tls, "").kind(), ErrorKind::Transport);
  EXPECT_EQ(Error::timeout("").kind(), ErrorKind::Timeout);
  EXPECT_EQ(Error::canceled().kind(), ErrorKind::Canceled);
  EXPECT_EQ(Error::decode("").kind(), ErrorKind::Decode);
  EXPECT_EQ(Error::config("").kind(), ErrorKind::Config);
  EXPECT_EQ(Error::api(404, "", "").kind(), ErrorKind::Api);
  EXPECT_EQ(Error(ErrorKind::Transport, "").transport_failure(), TransportFailure::Other);
  EXPECT_EQ(Error::timeout("").transport_failure(), TransportFailure::None);
}

TEST(ErrorTest, ACodeWithoutAReasonIsEnoughForAQuestion) {
  EXPECT_TRUE(Error::api(400, "", "").is_bad_request());
  EXPECT_TRUE(Error::api(401, "", "").is_unauthorized());
  EXPECT_TRUE(Error::api(403, "", "").is_forbidden());
  EXPECT_TRUE(Error::api(404, "", "").is_not_found());
  EXPECT_TRUE(Error::api(405, "", "").is_method_not_supported());
  EXPECT_TRUE(Error::api(406, "", "").is_not_acceptable());
  EXPECT_TRUE(Error::api(409, "", "").is_conflict());
  EXPECT_TRUE(Error::api(410, "", "").is_gone());
  EXPECT_TRUE(Error::api(410, "", "").is_expired());
  EXPECT_TRUE(Error::api(415, "", "").is_unsupported_media_type());
  EXPECT_TRUE(Error::api(422, "", "").is_invalid());
  EXPECT_TRUE(Error::api(429, "", "").is_too_many_requests());
  EXPECT_TRUE(Error::api(500, "", "").is_internal());
  EXPECT_TRUE(Error::api(503, "", "").is_service_unavailable());
  EXPECT_TRUE(Error::api(504, "", "").is_timeout());
}

TEST(ErrorTest, AReasonWithoutACodeIsEnoughForAQuestion) {
  EXPECT_TRUE(Error::api(0, "NotFound", "").is_not_found());
  EXPECT_TRUE(Error::api(0, "Expired", "").is_expired());
  EXPECT_TRUE(Error::api(0, "TooManyRequests", "").is_too_many_requests());
}

TEST(ErrorTest, AKnownReasonWinsOverTheCode) {
  EXPECT_FALSE(Error::api(409, "AlreadyExists", "").is_conflict());
  EXPECT_TRUE(Error::api(409, "AlreadyExists", "").is_already_exists());
  EXPECT_FALSE(Error::api(500, "ServerTimeout", "").is_internal());
  EXPECT_TRUE(Error::api(404, "SomethingNew", "").is_not_found());
}

TEST(ErrorTest, ExpiredCoversGoneButNotTheReverse) {
  EXPECT_TRUE(Error::api(410, "Gone", "").is_gone());
  EXPECT_TRUE(Error::api(410, "Gone", "").is_expired());
  EXPECT_TRUE(Error::api(410, "Expired", "").is_expired());
  EXPECT_FALSE(Error::api(410, "Expired", "").is_gone());
}

TEST(ErrorTest, OnlyTheServerCanAnswerWithACode) {
  EXPECT_FALSE(Error::decode("404").is_not_found());
  EXPECT_FALSE(Error::timeout("").is_service_unavailable());
  EXPECT_TRUE(Error::timeout("").is_timeout());
}

TEST(ErrorTest, ATooLargeVersionIsKnownByItsCauseOrByTheOlderText) {
  const Error plain = Error::api(504, "Timeout", "request timed out");
  const Error by_cause = plain.with_details({.causes = {{.reason = "ResourceVersionTooLarge"}}});
  const Error by_cause_text = plain.with_details({.causes = {{.message = "Too large resource version"}}});
  const Error by_text = Error::api(504, "Timeout", "Too large resource version: 12, current: 5");

  EXPECT_FALSE(plain.is_too_large_resource_version());
  EXPECT_TRUE(by_cause.is_too_large_resource_version());
  EXPECT_TRUE(by_cause_text.is_too_large_resource_version());
  EXPECT_TRUE(by_text.is_too_large_resource_version());
  EXPECT_FALSE(Error::api(400, "BadRequest", "Too large resource version").is_too_large_resource_version());
  EXPECT_FALSE(Error::timeout("Too large resource version").is_too_large_resource_version());
}

TEST(ErrorTest, LostConnectionsAreThoseThatStoodBefore) {
  for (auto lost : {TransportFailure::Reset, TransportFailure::Eof, TransportFailure::Dead}) {
    EXPECT_TRUE(Error::transport(lost, "").is_connection_lost());
  }
  for (auto other : {TransportFailure::Refused, TransportFailure::Resolve, TransportFailure::Tls,
                     TransportFailure::Proxy, TransportFailure::TooLarge, TransportFailure::Other}) {
    EXPECT_FALSE(Error::transport(other, "").is_connection_lost());
  }
  EXPECT_TRUE(Error::transport(TransportFailure::Refused, "").is_connection_refused());
}

TEST(ErrorTest, RetriableIsWhatCanHealByItself) {
  EXPECT_TRUE(Error::transport(TransportFailure::Refused, "").is_retriable());
  EXPECT_TRUE(Error::transport(TransportFailure::Other, "").is_retriable());
  EXPECT_FALSE(Error::transport(TransportFailure::Tls, "").is_retriable());
  EXPECT_FALSE(Error::transport(TransportFailure::TooLarge, "").is_retriable());
  EXPECT_TRUE(Error::timeout("").is_retriable());
  for (int code : {429, 500, 502, 503, 504}) EXPECT_TRUE(Error::api(code, "", "").is_retriable()) << code;
  for (int code : {400, 401, 403, 404, 409, 410, 422, 501})
    EXPECT_FALSE(Error::api(code, "", "").is_retriable()) << code;
  EXPECT_TRUE(Error::api(409, "", "").with_retry_after(1s).is_retriable());
  EXPECT_FALSE(Error::canceled().is_retriable());
  EXPECT_FALSE(Error::decode("").is_retriable());
  EXPECT_FALSE(Error::config("").is_retriable());
}

TEST(ErrorTest, EqualityLooksAtEveryPart) {
  const Error base = Error::api(404, "NotFound", "gone");

  EXPECT_EQ(base, Error::api(404, "NotFound", "gone"));
  EXPECT_FALSE(base == Error::api(404, "NotFound", "other"));
  EXPECT_FALSE(base == Error::api(404, "", "gone"));
  EXPECT_FALSE(base == base.with_retry_after(1s));
  EXPECT_FALSE(base == base.with_details({.name = "a"}));
  EXPECT_FALSE(Error::transport(TransportFailure::Eof, "x") == Error::transport(TransportFailure::Reset, "x"));
}

TEST(ErrorTest, PrintsItsMessage) {
  std::ostringstream out;
  out << Error::timeout("no answer within 5s") << ' ' << to_string(ErrorKind::Timeout);

  EXPECT_EQ(out.str(), "no answer within 5s Timeout");
}

TEST(ErrorTest, TheExceptionCarriesTheError) {
  const Exception exception(Error::api(403, "Forbidden", "no"));

  EXPECT_STREQ(exception.what(), "no");
  EXPECT_TRUE(exception.error().is_forbidden());
}

}  // namespace
}  // namespace kubexx
