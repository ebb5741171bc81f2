#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/internal/base64.hpp"
#include "kubexx/base/version.hpp"
#include "unit/rest/fixture.hpp"

namespace kubexx::rest {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class RequestTest : public RestClientTest {
 protected:
  const std::string& header(const char* name, std::size_t request = 0) {
    static const std::string none;
    const auto* value = transport->requests.at(request).headers.find(name);
    return value ? *value : none;
  }
  FakeTransport::Answer failing(Error error) {
    FakeTransport::Answer out;
    out.status = 0;
    out.error = std::move(error);
    return out;
  }
};

// TestNewRequestSetsAccept, TestRequestSetsHeaders
TEST_F(RequestTest, AcceptAndContentTypeFollowTheFormat) {
  const auto client = make();
  auto request = get_pod();
  send(client, request);
  request.format = Format::Protobuf;
  send(client, request);
  request.accept = "text/plain";
  request.method = "POST";
  request.body = kPod;
  send(client, request);

  EXPECT_EQ(header("Accept", 0), "application/json");
  EXPECT_EQ(header("Content-Type", 0), "");
  EXPECT_EQ(header("Accept", 1), "application/vnd.kubernetes.protobuf,application/json");
  EXPECT_EQ(header("Accept", 2), "text/plain");
  EXPECT_EQ(header("Content-Type", 2), "application/json");
  EXPECT_THAT(header("User-Agent"), HasSubstr("kubexx/" KUBEXX_VERSION));
}

// TestRequestVersionedParamsFromListOptions, TestRequestParam
TEST_F(RequestTest, EveryListOptionIsSentEncoded) {
  meta::ListOptions query;
  query.label_selector = "a=b,c in (d)";
  query.field_selector = "metadata.name=x";
  query.resource_version = "7";
  query.resource_version_match = "NotOlderThan";
  query.timeout_seconds = 30;
  query.allow_watch_bookmarks = true;
  query.send_initial_events = true;
  const auto client = make();
  const auto watch = client.watch({{"", "v1", "pods"}, "", "", ""}, query, {}, strand, make_sink({}));
  executor->run_until_idle();

  EXPECT_THAT(transport->requests[0].url,
              EndsWith("/pods?watch=true&labelSelector=a%3Db%2Cc%20in%20%28d%29&fieldSelector=metadata.name%3Dx&"
                       "resourceVersion=7&resourceVersionMatch=NotOlderThan&timeoutSeconds=30&allowWatchBookmarks=true&"
                       "sendInitialEvents=true"));
}

// TestAbsPath, TestRequestAbsPathPreservesTrailingSlash
TEST_F(RequestTest, AnAbsolutePathIsBelowThePrefixAndKeepsItsSlash) {
  const auto client = make();
  Request request;
  request.absolute_path = "/healthz/";
  request.query = {{"verbose", "a b"}};
  send(client, request);
  EXPECT_EQ(transport->requests[0].url, "https://server.example:6443/base/healthz/?verbose=a%20b");

  request.absolute_path = "/a/../b";
  EXPECT_FALSE(*send(client, request));
  EXPECT_EQ(transport->requests.size(), 1U);
}

// TestTransformResponse
TEST_F(RequestTest, EveryRefusalHasItsQuestionWhateverItsBody) {
  const std::pair<int, bool (Error::*)() const noexcept> kinds[] = {{400, &Error::is_bad_request},
                                                                    {401, &Error::is_unauthorized},
                                                                    {403, &Error::is_forbidden},
                                                                    {404, &Error::is_not_found},
                                                                    {405, &Error::is_method_not_supported},
                                                                    {406, &Error::is_not_acceptable},
                                                                    {409, &Error::is_conflict},
                                                                    {410, &Error::is_gone},
                                                                    {415, &Error::is_unsupported_media_type},
                                                                    {422, &Error::is_invalid},
                                                                    {429, &Error::is_too_many_requests},
                                                                    {500, &Error::is_internal},
                                                                    {503, &Error::is_service_unavailable},
                                                                    {504, &Error::is_timeout}};
  for (const auto& [code, question] : kinds) {
    for (const auto* body : {"", "words", "\xff\xfe\x01", "{\"kind\":\"Pod\"}"}) {
      transport->answer(code, body);
      const auto result = send(make(), get_pod());
      ASSERT_TRUE(result && !*result);
      EXPECT_TRUE((result->error().*question)()) << code << " " << result->error();
      EXPECT_EQ(result->error().code(), code);
    }
  }
}

// TestTransformResponseNegotiate, TestResultIntoWithNoBodyReturnsErr
TEST_F(RequestTest, ABodyOfAnotherTypeIsKeptAndIsNoObject) {
  FakeTransport::Answer text;
  text.headers.set("Content-Type", "text/html");
  text.chunks = {"<html>"};
  transport->answers.push_back(text);
  const auto result = send(make(), get_pod());
  ASSERT_TRUE(result && *result);
  EXPECT_EQ((*result)->body, "<html>");
  EXPECT_EQ((*result)->object().error().kind(), ErrorKind::Decode);
}

// TestWatchUnknownContentType
TEST_F(RequestTest, AWatchOfAnotherTypeIsAnError) {
  FakeTransport::Answer text;
  text.headers.set("Content-Type", "application/cbor");
  transport->answers.push_back(text);
  std::optional<Error> end;
  const auto client = make();
  const auto watch = client.watch({{"", "v1", "pods"}, "", "", ""}, {}, {}, strand,
                                  make_sink({.on_end = [&](const Result<meta::ListMeta>& ended) {
                                    if (!ended) end = ended.error();
                                  }}));
  executor->run_until_idle();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind(), ErrorKind::Decode);
}

// TestRetryableConditions, TestRequestWithRetry
TEST_F(RequestTest, LostConnectionsAreRetriedForGetAndNothingElseIs) {
  const Error reset = Error::transport(TransportFailure::Reset, "reset");
  const Error refused = Error::transport(TransportFailure::Refused, "refused");
  const Error tls = Error::transport(TransportFailure::Tls, "bad certificate");
  for (const auto* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    for (const auto& error : {reset, refused, tls, Error::timeout("late")}) {
      transport->requests.clear();
      transport->answers = {failing(error)};
      auto request = get_pod();
      request.method = method;
      send(make(), request);
      executor->advance(seconds(2));
      const bool retried = transport->requests.size() > 1;
      EXPECT_EQ(retried, method == std::string("GET") && error == reset) << method << " " << error;
    }
  }
}

// TestRequestWatch
TEST_F(RequestTest, AWatchThatCouldNotBeOpenedIsRetriedAndThenTheError) {
  for (int i = 0; i < 11; ++i) transport->lose_connection();
  std::optional<Error> end;
  const auto client = make();
  const auto watch = client.watch({{"", "v1", "pods"}, "", "", ""}, {}, {}, strand,
                                  make_sink({.on_end = [&](const Result<meta::ListMeta>& ended) {
                                    if (!ended) end = ended.error();
                                  }}));
  executor->advance(seconds(20));
  EXPECT_EQ(transport->requests.size(), 11U);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->is_connection_lost());
}

// TestRequestStream
TEST_F(RequestTest, AStreamOfBytesIsNotRetriedUnlessTheServerAsksForIt) {
  std::vector<std::string> seen;
  const auto client = make();
  const auto open = [&] {
    Request request;
    request.absolute_path = "/logs";
    return client.stream(request, strand,
                         {{},
                          [&](std::string_view bytes) { seen.emplace_back(bytes); },
                          [&](const Error* error) { seen.emplace_back(error ? "failed" : "end"); }});
  };
  transport->lose_connection();
  call = open();
  executor->advance(seconds(5));
  EXPECT_THAT(seen, ElementsAre("failed"));
  seen.clear();
  transport->answer(429, "wait", "1");
  transport->answer(200, "bytes");
  call = open();
  executor->advance(seconds(5));
  EXPECT_THAT(seen, ElementsAre("bytes", "end"));
}

// TestRequestDoWithWrapPreviousError
TEST_F(RequestTest, TheLastErrorMentionsTheOneBeforeWhenItIsAnother) {
  transport->lose_connection();
  transport->answer(500, "broken");
  send(make(), get_pod());
  executor->advance(seconds(5));
  ASSERT_TRUE(answer && !*answer);
  EXPECT_THAT(answer->error().message(), testing::AllOf(HasSubstr("broken"), HasSubstr("reset by peer")));
}

// TestRESTClientLimiter
TEST_F(RequestTest, TheLimitSpacesRequestsAndLetsWatchesOpen) {
  Config config;
  config.qps = 1;
  config.burst = 2;
  const auto client = make(config);
  std::vector<std::unique_ptr<meta::Call>> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(client.start(get_pod(), strand, [](Result<Response>) {}));
  executor->run_until_idle();
  EXPECT_EQ(transport->requests.size(), 2U);
  calls.push_back(client.watch({{"", "v1", "pods"}, "", "", ""}, {}, {}, strand, make_sink({})));
  executor->run_until_idle();
  EXPECT_EQ(transport->requests.size(), 3U);

  executor->advance(milliseconds(1001));
  EXPECT_EQ(transport->requests.size(), 4U);
  executor->advance(milliseconds(1000));
  EXPECT_EQ(transport->requests.size(), 5U);
}

// TestBasicAuthRoundTripper, TestBearerAuthRoundTripper
TEST_F(RequestTest, ARequestsOwnAuthorizationWins) {
  Config config;
  config.username = "admin";
  config.password = "fake:password";
  const auto client = make(config);
  send(client, get_pod());
  auto own = get_pod();
  own.headers.add("authorization", "Bearer fake-own");
  send(client, own);

  EXPECT_EQ(header("Authorization", 0), "Basic " + base64_encode("admin:fake:password"));
  EXPECT_EQ(header("Authorization", 1), "Bearer fake-own");
}

// TestCachingTokenSource, TestTokenSourceTransportRoundTrip
TEST_F(RequestTest, ATokenFileIsReadAgainAfterAWhileAndAfterARejection) {
  std::string path = (std::filesystem::temp_directory_path() / "kubexx-token-XXXXXX").string();
  const int fd = mkstemp(path.data());
  ASSERT_GE(fd, 0);
  close(fd);
  const auto write = [&](const char* token) { std::ofstream(path) << token << "\n"; };
  Config config;
  config.bearer_token_file = path;
  const auto client = make(config);
  const auto token = [&] {
    send(client, get_pod());
    return *transport->requests.back().headers.find("Authorization");
  };
  write("fake-1");
  EXPECT_EQ(token(), "Bearer fake-1");
  write("fake-2");
  EXPECT_EQ(token(), "Bearer fake-1");
  executor->advance(seconds(51));
  EXPECT_EQ(token(), "Bearer fake-2");
  write("fake-3");
  transport->answer(401, "no");
  EXPECT_EQ(token(), "Bearer fake-2");
  EXPECT_EQ(token(), "Bearer fake-3");
  std::filesystem::remove(path);
  executor->advance(seconds(51));
  EXPECT_EQ(token(), "Bearer fake-3");
}

TEST_F(RequestTest, AMissingTokenFileIsAnErrorThatNamesIt) {
  Config config;
  config.bearer_token_file = "/no/such/token";
  const auto result = send(make(config), get_pod());
  ASSERT_TRUE(result && !*result);
  EXPECT_THAT(result->error().message(), HasSubstr("/no/such/token"));
  EXPECT_TRUE(transport->requests.empty());
}

TEST_F(RequestTest, ATokenFileThatHasNothingToSayOrNoEndIsAnErrorAtOnce) {
  std::string folder = (std::filesystem::temp_directory_path() / "kubexx-test-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(folder.data()));
  const auto pipe = folder + "/token";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero")}) {
    Config config;
    config.bearer_token_file = path;
    const auto result = send(make(config), get_pod());
    ASSERT_TRUE(result && !*result);
    EXPECT_THAT(result->error().message(), HasSubstr(path));
  }
  std::filesystem::remove_all(folder);
}

// A call destroyed inside its own callback delivers nothing more, not even what the same bytes still hold.
TEST_F(RequestTest, ACallDestroyedInItsCallbackIsSilentAtOnce) {
  const std::string event = R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}})";
  FakeTransport::Answer a;
  a.chunks = {event + event};
  transport->answers.push_back(a);
  int events = 0;
  std::unique_ptr<meta::Call> watch;
  const auto client = make();
  watch =
      client.watch({{"", "v1", "pods"}, "", "", ""}, {}, {}, strand,
                   make_sink({.on_event =
                                  [&](const meta::WatchEvent&) {
                                    ++events;
                                    watch.reset();
                                  },
                              .on_end = [&](const Result<meta::ListMeta>&) { ADD_FAILURE() << "it was canceled"; }}));
  executor->run_until_idle();
  EXPECT_EQ(events, 1);
}

TEST_F(RequestTest, AListDestroyedInAnyOfItsCallbacksIsSilentAtOnce) {
  const std::string wanted[] = {"open", "bytes", "item"};
  for (const auto& at : wanted) {
    transport->answer(200, R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{}},{"metadata":{}}]})");
    std::vector<std::string> seen;
    std::unique_ptr<meta::Call> list;
    const auto hear = [&](const char* what) {
      seen.emplace_back(what);
      if (what == at) list.reset();
    };
    list = make().list({{"", "v1", "pods"}, "", "", ""}, {}, {}, strand,
                       make_sink({.on_open = [&] { hear("open"); },
                                  .on_item = [&](const meta::Object&) { hear("item"); },
                                  .on_bytes = [&](std::size_t) { hear("bytes"); },
                                  .on_end = [&](const Result<meta::ListMeta>&) { hear("end"); }}));
    executor->run_until_idle();
    EXPECT_EQ(seen.back(), at);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), at), 1);
  }
}

TEST_F(RequestTest, AHeldCallDeliversAfterItsResume) {
  FakeTransport::Answer a;
  a.chunks = {"one", "two"};
  transport->answers.push_back(a);
  std::vector<std::string> seen;
  Request request;
  request.absolute_path = "/logs";
  const auto stream = make().stream(
      request, strand,
      {{}, [&](std::string_view bytes) { seen.emplace_back(bytes); }, [&](const Error*) { seen.emplace_back("end"); }});
  stream->hold();
  executor->run_until_idle();
  EXPECT_TRUE(seen.empty());

  stream->resume();
  executor->run_until_idle();
  EXPECT_THAT(seen, ElementsAre("onetwo", "end"));
}

}  // namespace
}  // namespace kubexx::rest
