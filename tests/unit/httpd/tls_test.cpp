#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "kubexx/httpd/certificates.hpp"
#include "kubexx/httpd/server.hpp"
#include "unit/httpd/http2_client.hpp"
#include "unit/httpd/test_server.hpp"

namespace kubexx::httpd {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class TlsTest : public testing::Test {
 protected:
  static CertificateAuthority authority(const char* name) { return CertificateAuthority::create(name).value(); }

  ServerOptions options() const {
    ServerOptions options;
    options.certificate = identity_.certificate;
    options.key = identity_.key;
    options.client_ca = ca_.certificate_pem();
    return options;
  }

  ClientTls tls(KeyPair identity = {}, std::string protocol = "h2") const {
    return {.ca = ca_.certificate_pem(), .protocols = std::move(protocol), .identity = std::move(identity)};
  }

  // What the handler is told about the client.
  static void describe(Request request, Responder responder) {
    std::string text = request.client_common_name + ":";
    for (const std::string& organization : request.client_organizations) text += organization + ",";
    responder.respond(200, {}, text + ":" + request.client_certificate_error);
  }

  const CertificateAuthority ca_ = authority("test ca");
  const KeyPair identity_ =
      ca_.issue({.common_name = "server", .dns_names = {"localhost"}, .ip_addresses = {"127.0.0.1"}, .server = true})
          .value();
};

TEST_F(TlsTest, BothProtocolsAreNegotiated) {
  const auto server = serve(options(), echo);
  const ClientTls two = tls();
  Http2Client http2(server->port(), &two);
  ASSERT_TRUE(http2.raw().connected());
  EXPECT_EQ(http2.raw().negotiated(), "h2");
  EXPECT_EQ(http2.get("/two").body, "GET /two ");

  const ClientTls one = tls({}, "http/1.1");
  RawClient http1(server->port(), &one);
  EXPECT_EQ(http1.negotiated(), "http/1.1");
  http1.send("GET /one HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(http1.reply().body, "GET /one ");

  const ClientTls none = tls({}, "");
  RawClient plain(server->port(), &none);
  plain.send("GET /none HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(plain.reply().body, "GET /none ");
}

TEST_F(TlsTest, WithoutHttpTwoOnlyTheOldProtocolIsOffered) {
  ServerOptions old = options();
  old.http2 = false;
  const auto server = serve(old, echo);
  const ClientTls two = tls();
  EXPECT_FALSE(RawClient(server->port(), &two).connected());
  const ClientTls one = tls({}, "http/1.1");
  EXPECT_TRUE(RawClient(server->port(), &one).connected());
}

TEST_F(TlsTest, VersionsBeforeOneTwoAreRefused) {
  const auto server = serve(options(), echo);
  ClientTls old = tls();
  old.max_version = TLS1_1_VERSION;
  EXPECT_FALSE(RawClient(server->port(), &old).connected());
  ClientTls enough = tls();
  enough.max_version = TLS1_2_VERSION;
  Http2Client client(server->port(), &enough);
  EXPECT_EQ(client.get("/").status, 200);
}

TEST_F(TlsTest, TheSubjectOfAClientCertificateReachesTheHandler) {
  const auto server = serve(options(), describe);
  const KeyPair admin =
      ca_.issue({.common_name = "admin", .organizations = {"system:masters", "dev"}, .client = true}).value();
  for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ClientTls presenting = tls(admin);
    presenting.max_version = version;
    Http2Client client(server->port(), &presenting);
    EXPECT_EQ(client.get("/").body, "admin:system:masters,dev,:");
  }
}

TEST_F(TlsTest, AClientWithoutACertificateIsServedAsNobody) {
  const auto server = serve(options(), describe);
  const ClientTls anonymous = tls();
  Http2Client client(server->port(), &anonymous);
  EXPECT_EQ(client.get("/").body, "::");
}

TEST_F(TlsTest, ACertificateThatDoesNotVerifyGivesAReasonAndNoName) {
  const auto server = serve(options(), describe);
  const KeyPair expired =
      ca_.issue({.common_name = "late", .client = true, .valid_from = -2h, .valid_for = 1h}).value();
  const KeyPair foreign = authority("other").issue({.common_name = "spy", .client = true}).value();
  const KeyPair wrong_use = ca_.issue({.common_name = "web", .server = true}).value();

  const std::pair<KeyPair, const char*> cases[] = {
      {expired, "expired"}, {foreign, "unable to"}, {wrong_use, "purpose"}};
  for (const auto& [identity, reason] : cases) {
    const ClientTls presenting = tls(identity);
    Http2Client client(server->port(), &presenting);
    const std::string body = client.get("/").body;
    EXPECT_THAT(body, testing::StartsWith("::"));
    EXPECT_THAT(body, HasSubstr(reason));
  }
}

TEST_F(TlsTest, AnExpiredServerCertificateIsSeenByTheClient) {
  const KeyPair expired =
      ca_.issue({.common_name = "s", .dns_names = {"localhost"}, .server = true, .valid_from = -2h, .valid_for = 1h})
          .value();
  const auto server = serve({.certificate = expired.certificate, .key = expired.key}, echo);
  const ClientTls verifying = tls();
  EXPECT_FALSE(RawClient(server->port(), &verifying).connected());
  ClientTls careless = tls();
  careless.ca.clear();
  EXPECT_TRUE(RawClient(server->port(), &careless).connected());
}

TEST_F(TlsTest, CleartextOnATlsPortIsDroppedAndDisturbsNobody) {
  const auto server = serve(options(), echo);
  RawClient confused(server->port());
  confused.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  confused.rest();
  EXPECT_FALSE(confused.timed_out());
  const ClientTls good = tls();
  Http2Client client(server->port(), &good);
  EXPECT_EQ(client.get("/").status, 200);
}

TEST_F(TlsTest, AHandshakeThatDoesNotComeIsGivenUp) {
  ServerOptions impatient = options();
  impatient.header_timeout = 100ms;
  const auto server = serve(impatient, echo);
  RawClient silent(server->port());
  EXPECT_EQ(silent.rest(), "");
  EXPECT_FALSE(silent.timed_out());
}

TEST_F(TlsTest, LargeBodiesPassBothWays) {
  const auto server = serve(
      options(), [](Request request, Responder responder) { responder.respond(200, {}, std::move(request.body)); });
  std::string body(4 << 20, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 31 >> 7);
  const ClientTls two = tls();
  Http2Client http2(server->port(), &two);
  const auto id = http2.send("POST", "/", {}, body);
  ASSERT_TRUE(http2.run_until([&] { return http2.stream(id).closed; }));
  EXPECT_TRUE(http2.stream(id).body == body);

  const ClientTls one = tls({}, "http/1.1");
  RawClient http1(server->port(), &one);
  http1.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_TRUE(http1.reply().body == body);
}

TEST_F(TlsTest, ABodyDelimitedByTheConnectionEndsWithACloseNotify) {
  const auto server = serve(options(), [](Request, Responder responder) {
    responder.start(200, {});
    responder.write("all of it");
    responder.finish();
  });
  const ClientTls one = tls({}, "http/1.1");
  RawClient client(server->port(), &one);
  client.send("GET / HTTP/1.0\r\n\r\n");
  const auto reply = client.reply();
  EXPECT_EQ(reply.body, "all of it");
  EXPECT_TRUE(client.ended_by_notice());
}

TEST_F(TlsTest, UnusableCertificatesAreErrorsOfStart) {
  const KeyPair other = ca_.issue({.common_name = "other", .server = true}).value();
  const std::pair<std::string, std::string> cases[] = {
      {"nonsense", identity_.key}, {identity_.certificate, "nonsense"}, {identity_.certificate, other.key}};
  for (const auto& [certificate, key] : cases) {
    const auto server = Server::start({.certificate = certificate, .key = key}, echo);
    ASSERT_FALSE(server.has_value());
    EXPECT_EQ(server.error().kind(), ErrorKind::Config);
    EXPECT_THAT(server.error().message(), HasSubstr("server"));
  }
  ServerOptions bad_ca = options();
  bad_ca.client_ca = "nonsense";
  EXPECT_THAT(Server::start(bad_ca, echo).error().message(), HasSubstr("client CA"));
}

TEST_F(TlsTest, AnAuthorityAServerCertificateAndAServerAreReadyAtOnce) {
  // The figure that matters is in the benchmark; this bound only catches a wrong order of magnitude.
  const TimePoint begin = Clock::system().now();
  const CertificateAuthority fresh = authority("fresh");
  const KeyPair pair = fresh.issue({.common_name = "s", .dns_names = {"localhost"}, .server = true}).value();
  const auto server = serve({.certificate = pair.certificate, .key = pair.key}, echo);
  const Duration took = Clock::system().now() - begin;
  RecordProperty("microseconds", static_cast<int>(took / 1us));
  EXPECT_LT(took, 2s);
}

}  // namespace
}  // namespace kubexx::httpd
