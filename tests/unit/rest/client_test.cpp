#include "kubexx/rest/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "rest/url.hpp"
#include "support/log_lines.hpp"
#include "unit/rest/fixture.hpp"

namespace kubexx::rest {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(RestClientTest, BuildsPathsForCoreAndGroupApisBelowThePrefix) {
  const auto client = make();
  transport->answer(200, kPod);
  send(client, get_pod());
  Request scale;
  scale.path = {{"apps", "v1", "deployments"}, "ns", "web", "scale"};
  transport->answer(200, kPod);
  send(client, scale);

  EXPECT_EQ(transport->requests[0].url, "https://server.example:6443/base/api/v1/namespaces/ns/pods/a");
  EXPECT_EQ(transport->requests[1].url,
            "https://server.example:6443/base/apis/apps/v1/namespaces/ns/deployments/web/scale");
}

// TestInvalidSegments
TEST_F(RestClientTest, SegmentsThatLeadElsewhereAreRefusedBeforeAnythingIsSent) {
  const auto client = make();
  for (const auto* bad : {"..", ".", "a/b", "a%2fb"}) {
    auto request = get_pod();
    request.path.name = bad;
    const auto result = send(client, request);
    ASSERT_TRUE(result.has_value());
    EXPECT_FALSE(*result) << bad;
  }
  EXPECT_TRUE(transport->requests.empty());
}

TEST_F(RestClientTest, TheTokenIsSentToHttpsAndNeverToHttp) {
  Config config;
  config.bearer_token = "fake-token";
  transport->answer(200, kPod);
  send(make(config), get_pod());
  config.host = "http://server.example";
  transport->answer(200, kPod);
  send(make(config), get_pod());

  EXPECT_EQ(*transport->requests[0].headers.find("authorization"), "Bearer fake-token");
  EXPECT_EQ(transport->requests[1].headers.find("authorization"), nullptr);
}

TEST_F(RestClientTest, TheTokenIsSentThroughAUnixSocketWithoutTlsToo) {
  Config config;
  config.bearer_token = "fake-token";
  config.host = "http://server.example";
  config.unix_socket = "/run/server.sock";
  transport->answer(200, kPod);
  send(make(config), get_pod());

  EXPECT_EQ(*transport->requests[0].headers.find("authorization"), "Bearer fake-token");
}

TEST_F(RestClientTest, ImpersonationBecomesHeaders) {
  Config config;
  config.impersonate.user = "jane";
  config.impersonate.groups = {"dev", "ops"};
  config.impersonate.extra["example.com/scope"] = {"all"};
  transport->answer(200, kPod);
  send(make(config), get_pod());

  const auto& headers = transport->requests[0].headers;
  EXPECT_EQ(*headers.find("Impersonate-User"), "jane");
  EXPECT_EQ(*headers.find("Impersonate-Extra-example.com%2Fscope"), "all");
}

// TestTransformUnstructuredError
TEST_F(RestClientTest, AStatusBodyBecomesTheError) {
  transport->answer(404, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
    "message":"pods \"a\" not found","reason":"NotFound","details":{"name":"a","kind":"pods"},"code":404})");

  const auto result = send(make(), get_pod());

  ASSERT_TRUE(result && !*result);
  EXPECT_TRUE(result->error().is_not_found());
  EXPECT_EQ(result->error().message(), "pods \"a\" not found");
  EXPECT_EQ(result->error().details().kind, "pods");
}

TEST_F(RestClientTest, APlainTextAnswerBecomesTheErrorToo) {
  transport->answer(404, "404 page not found\n");

  const auto result = send(make(), get_pod());

  EXPECT_TRUE(result->error().is_not_found());
  EXPECT_THAT(result->error().message(), HasSubstr("404 page not found"));
}

TEST_F(RestClientTest, OfAnAnswerAboutSecretsThatIsNoStatusTheErrorRepeatsNothing) {
  auto by_name = get_pod();
  by_name.path.resource.resource = "secrets";
  Request by_path;
  by_path.absolute_path = "/api/v1/namespaces/ns/secrets/a";
  for (const auto& request : {by_name, by_path}) {
    for (const auto* body :
         {R"({"kind":"Secret","apiVersion":"v1","data":{"a":"fake-value"}})", R"("a":"fake-value"}})"}) {
      for (const int status : {401, 404, 500}) {
        transport->answer(status, body);
        const auto result = send(make(), request);
        ASSERT_TRUE(result && !*result);
        std::ostringstream said;
        said << result->error();
        for (const auto& cause : result->error().details().causes) said << cause.message;
        EXPECT_EQ(said.str().find("fake-value"), std::string::npos) << said.str();
      }
    }
    transport->answer(
        403, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no right","reason":"Forbidden"})");
    EXPECT_EQ(send(make(), request)->error().message(), "no right");
  }
}

// TestCheckRetryHandles429And5xx
TEST_F(RestClientTest, AnAnswerWithRetryAfterIsRetriedAfterThatTimeForEveryMethod) {
  auto request = get_pod();
  request.method = "POST";
  request.body = kPod;
  transport->answer(429, "slow down", "3");
  transport->answer(503, "not yet", "1");
  transport->answer(201, kPod);
  const auto client = make();
  ASSERT_FALSE(send(client, request));

  executor->advance(milliseconds(2999));
  EXPECT_EQ(transport->requests.size(), 1U);
  executor->advance(seconds(2));

  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->status, 201);
  EXPECT_EQ(transport->requests.size(), 3U);
  EXPECT_EQ(transport->requests[2].body, kPod);
}

TEST_F(RestClientTest, WithoutRetryAfterNothingIsRetried) {
  transport->answer(429, "slow down");

  const auto result = send(make(), get_pod());

  ASSERT_TRUE(result && !*result);
  EXPECT_TRUE(result->error().is_too_many_requests());
  EXPECT_EQ(transport->requests.size(), 1U);
}

// TestRequestMaxRetries
TEST_F(RestClientTest, RetriesEndAfterTen) {
  for (int i = 0; i < 20; ++i) transport->answer(503, "no", "1");
  const auto client = make();
  send(client, get_pod());

  executor->advance(seconds(60));

  ASSERT_TRUE(answer && !*answer);
  EXPECT_EQ(transport->requests.size(), 11U);
}

// TestConnectionResetByPeerIsRetried
TEST_F(RestClientTest, ALostConnectionIsRetriedForGetAlone) {
  transport->lose_connection();
  transport->lose_connection();
  transport->answer(200, kPod);
  const auto client = make();
  send(client, get_pod());
  executor->advance(seconds(3));
  ASSERT_TRUE(answer && *answer);

  auto post = get_pod();
  post.method = "POST";
  post.body = kPod;
  transport->lose_connection();
  const auto result = send(client, post);

  ASSERT_TRUE(result && !*result);
  EXPECT_TRUE(result->error().is_connection_lost());
}

TEST_F(RestClientTest, ACanceledCallDeliversNothing) {
  FakeTransport::Answer hangs;
  hangs.hangs = true;
  transport->answers.push_back(hangs);
  const auto client = make();
  send(client, get_pod());

  call.reset();
  executor->advance(seconds(100));

  EXPECT_FALSE(answer);
}

TEST_F(RestClientTest, ACallThatTakesTooLongIsATimeout) {
  Config config;
  config.timeout = seconds(5);
  FakeTransport::Answer hangs;
  hangs.hangs = true;
  transport->answers.push_back(hangs);
  const auto client = make(config);
  send(client, get_pod());

  executor->advance(seconds(6));

  ASSERT_TRUE(answer && !*answer);
  EXPECT_TRUE(answer->error().is_timeout());
}

TEST_F(RestClientTest, AServersWarningIsCut) {
  FakeTransport::Answer a;
  a.headers.add("Warning", "299 - \"" + std::string(200'000, 'x') + "\"");
  a.chunks = {kPod};
  transport->answers.push_back(a);
  send(make(), get_pod());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_LT(warnings[0].size(), 5000U);
}

/// Without a handler they are logged, each once, and remembered for that.
TEST_F(RestClientTest, TheWarningsThatAreRememberedAreBoundedInBytes) {
  const LogLines lines;
  Config config;
  config.host = "https://server.example";
  ClientOptions options;
  options.transport = transport;
  options.executor = executor;
  options.handlers = executor;
  const auto client = Client::create(config, options).value();
  for (int i = 0; i < 500; ++i) {
    FakeTransport::Answer a;
    a.headers.add("Warning", "299 - \"" + std::to_string(i) + std::string(100'000, 'x') + "\"");
    a.chunks = {kPod};
    transport->answers.push_back(a);
    send(client, get_pod());
  }
  EXPECT_GT(lines.all().size(), 10U);
  EXPECT_LT(lines.all().size(), 100U);
}

TEST_F(RestClientTest, ServerWarningsReachTheHandler) {
  FakeTransport::Answer a;
  a.headers.add("Warning", R"(299 - "v1beta1 is \"old\"")");
  a.headers.add("Warning", R"(199 - "not ours")");
  a.chunks = {kPod};
  transport->answers.push_back(a);

  send(make(), get_pod());

  EXPECT_THAT(warnings, ElementsAre("v1beta1 is \"old\""));
}

TEST_F(RestClientTest, AListIsDeliveredItemByItemWithItsKind) {
  FakeTransport::Answer a;
  a.chunks = {
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"next"},"items":[{"met)",
      R"(adata":{"name":"a"}},{"metadata":{"name":"b"}}]})"};
  transport->answers.push_back(a);
  std::vector<std::string> seen;
  std::optional<Result<meta::ListMeta>> end;
  const auto client = make();
  meta::ListOptions query;
  query.limit = 2;
  const auto list = client.list({{"", "v1", "pods"}, "", "", ""}, query, {}, strand,
                                make_sink({.on_open = [&] { seen.emplace_back("open"); },
                                           .on_item =
                                               [&](const meta::Object& o) {
                                                 seen.push_back(std::string(o.kind()) + " " + std::string(o.name()));
                                               },
                                           .on_end = [&](Result<meta::ListMeta> result) { end = std::move(result); }}));
  executor->run_until_idle();

  EXPECT_THAT(seen, ElementsAre("open", "Pod a", "Pod b"));
  ASSERT_TRUE(end && *end);
  EXPECT_EQ((*end)->resource_version, "7");
  EXPECT_EQ((*end)->continue_token, "next");
  EXPECT_THAT(transport->requests[0].url, HasSubstr("/api/v1/pods?limit=2"));
}

TEST_F(RestClientTest, AWatchDeliversEventsAndItsCleanEnd) {
  FakeTransport::Answer a;
  a.chunks = {R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}})", "\n",
              R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"9"}}})"};
  transport->answers.push_back(a);
  std::vector<std::string> seen;
  const auto client = make();
  const auto watch = client.watch(
      {{"", "v1", "pods"}, "", "", ""}, {}, {}, strand,
      make_sink({.on_open = [&] { seen.emplace_back("open"); },
                 .on_event = [&](const meta::WatchEvent& e) { seen.emplace_back(meta::to_string(e.type)); },
                 .on_end = [&](const Result<meta::ListMeta>& end) { seen.emplace_back(end ? "end" : "error"); }}));
  executor->run_until_idle();

  EXPECT_THAT(seen, ElementsAre("open", "ADDED", "BOOKMARK", "end"));
}

TEST_F(RestClientTest, AnAnswerThatKeepsComingLeavesRoomForOthersOnItsStrand) {
  FakeTransport::Answer a;
  const std::string event = R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}})";
  for (int i = 0; i < 32; ++i) {
    a.chunks.emplace_back();
    while (a.chunks.back().size() < (64 << 10)) a.chunks.back() += event;
  }
  transport->answers.push_back(a);
  std::size_t seen = 0;
  bool ended = false;
  bool others_had_their_turn = false;
  const auto client = make();
  const auto watch =
      client.watch({{"", "v1", "pods"}, "", "", ""}, {}, {}, strand,
                   make_sink({.on_open = [&] { strand.post([&] { others_had_their_turn = seen > 0 && !ended; }); },
                              .on_event = [&](const meta::WatchEvent&) { ++seen; },
                              .on_end = [&](const Result<meta::ListMeta>&) { ended = true; }}));
  executor->run_until_idle();

  EXPECT_TRUE(ended);
  EXPECT_GT(seen, 20'000U);
  EXPECT_TRUE(others_had_their_turn);
}

TEST_F(RestClientTest, ALongRetryAfterIsLeftToTheCaller) {
  transport->answer(429, "slow down", "3600");
  const auto result = send(make(), get_pod());

  ASSERT_TRUE(result);
  ASSERT_FALSE(*result);
  EXPECT_TRUE(result->error().is_too_many_requests());
  EXPECT_EQ(result->error().retry_after(), std::chrono::hours(1));
}

TEST_F(RestClientTest, AnUndecodableWatchEventEndsTheWatchWithADecodeError) {
  FakeTransport::Answer a;
  a.chunks = {R"({"type":"ADDED","object":{"kind" 1}})"};
  a.hangs = false;
  transport->answers.push_back(a);
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

TEST_F(RestClientTest, FirstListsWaitTheirTurn) {
  Config config;
  config.host = "https://server.example";
  ClientOptions options;
  options.transport = transport;
  options.executor = executor;
  options.handlers = executor;
  options.max_first_lists = 2;
  const auto client = Client::create(config, options).value();
  ReadOptions read;
  read.first_list = true;
  int ended = 0;
  std::vector<std::unique_ptr<meta::Call>> calls;
  FakeTransport::Answer hangs;
  hangs.hangs = true;
  for (int i = 0; i < 5; ++i) {
    transport->answers.push_back(hangs);
    calls.push_back(client.list({{"", "v1", "pods"}, "", "", ""}, {}, read, strand,
                                make_sink({.on_end = [&](const Result<meta::ListMeta>&) { ++ended; }})));
  }
  executor->run_until_idle();
  EXPECT_EQ(transport->requests.size(), 2U);

  calls[0].reset();
  executor->run_until_idle();
  EXPECT_EQ(transport->requests.size(), 3U);
}

TEST_F(RestClientTest, AFirstWatchGivesItsTurnBackWhenItsStateIsWhole) {
  ClientOptions options;
  options.transport = transport;
  options.executor = executor;
  options.handlers = executor;
  options.max_first_lists = 1;
  const auto client = Client::create(Config{.host = "https://server.example"}, options).value();
  ReadOptions read;
  read.first_list = true;
  FakeTransport::Answer state;
  state.stays_open = true;
  state.chunks = {R"({"type":"ADDED","object":{}}{"type":"BOOKMARK","object":{"metadata":{}}})"};
  transport->answers = {state, state};
  std::vector<std::unique_ptr<meta::Call>> calls;
  for (int i = 0; i < 2; ++i) {
    calls.push_back(client.watch({{"", "v1", "pods"}, "", "", ""}, {}, read, strand, make_sink({})));
    executor->run_until_idle();
  }
  EXPECT_EQ(transport->requests.size(), 1U);

  calls.clear();
  state.chunks = {R"({"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}})"};
  transport->answers = {state, state};
  for (int i = 0; i < 2; ++i) {
    calls.push_back(client.watch({{"", "v1", "pods"}, "", "", ""}, {}, read, strand, make_sink({})));
    executor->run_until_idle();
  }
  EXPECT_EQ(transport->requests.size(), 3U);
}

TEST_F(RestClientTest, WatchesAndStreamsOfBytesAreSentAsLiveAndOtherCallsAreNot) {
  FakeTransport::Answer open;
  open.hangs = true;
  transport->answers.assign(3, open);
  const auto client = make();
  const auto watch = client.watch({{"", "v1", "pods"}, "", "", ""}, {}, {}, strand, make_sink({}));
  const auto bytes = client.stream(get_pod(), strand, {});
  send(client, get_pod());

  ASSERT_EQ(transport->requests.size(), 3U);
  EXPECT_TRUE(transport->requests[0].live);
  EXPECT_TRUE(transport->requests[1].live);
  EXPECT_FALSE(transport->requests[2].live);
}

TEST(ServerUrlTest, AHostWithoutASchemeIsHttpsOnlyWithTls) {
  Config config;
  config.host = "server:6443";
  EXPECT_TRUE(Client::create(config));
  config.host = "server:6443/path";
  EXPECT_FALSE(Client::create(config));
  config.host = "ftp://server";
  EXPECT_FALSE(Client::create(config));
  config.host = "";
  EXPECT_TRUE(Client::create(config));
}

TEST(ServerUrlTest, OnlyAddressesAndLocalhostAreLoopback) {
  const auto loopback = [](const std::string& host) {
    Config config;
    config.host = host;
    return parse_server_url(config).value().loopback;
  };
  for (const auto* ours : {"http://127.0.0.1:8080", "http://127.3.2.1", "http://LocalHost:1/prefix",
                           "http://[::1]:8080", "http://[::1]", "localhost:8080"})
    EXPECT_TRUE(loopback(ours)) << ours;
  for (const auto* another : {"http://127.evil.example", "http://127.0.0.1.evil.example:8080", "http://128.0.0.1",
                              "http://localhost.evil.example", "http://[::2]:8080", "http://127.0.0.1x"})
    EXPECT_FALSE(loopback(another)) << another;
}

TEST_F(RestClientTest, ATokenDoesNotGoToANameThatLooksLikeLoopback) {
  Config config;
  config.bearer_token = "fake-token";
  config.allow_insecure_credentials = true;
  config.host = "http://127.evil.example";
  transport->answer(200, kPod);
  send(make(config), get_pod());
  EXPECT_EQ(transport->requests[0].headers.find("authorization"), nullptr);
}

TEST(ServerUrlTest, AnErrorRepeatsNoPassword) {
  Config config;
  for (const auto* host : {"somebody:fake-password@server:6443/path", "somebody:fake-/password@server:6443"}) {
    config.host = host;
    const auto refused = Client::create(config);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), testing::AllOf(HasSubstr("server:6443"), testing::Not(HasSubstr("fake-"))));
  }
}

TEST(ConfigTest, PrintingShowsNoSecret) {
  Config config;
  config.host = "https://somebody:fake-word@server.example";
  config.bearer_token = "fake-secret-token";
  config.password = "fake-password";
  config.tls.key_data = "fake-key";

  const auto text = config.to_string();

  EXPECT_THAT(text, testing::Not(HasSubstr("fake-")));
}

}  // namespace
}  // namespace kubexx::rest
