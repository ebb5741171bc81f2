#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "unit/transport/support/fixture.hpp"

namespace kubexx::transport::test {
namespace {

constexpr char kOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

Http2Options naming_the_client() {
  return replying([](const Http2Request& request) {
    Http2Reply reply;
    reply.body = request.client_name;
    return reply;
  });
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    static std::atomic<int> next{0};
    path_ = std::filesystem::temp_directory_path() /
            ("kubexx-tls-" + std::to_string(getpid()) + "-" + std::to_string(next++) + ".pem");
    write(content);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  /// As an atomic writer does it: a new file takes the old one's place.
  void write(const std::string& content) {
    std::string fresh = path_ + ".new";
    std::ofstream(fresh) << content;
    std::filesystem::rename(fresh, path_);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Both protocols must fail the same way.
class TlsTest : public testing::TestWithParam<const char*> {
 protected:
  SocketServer::Handler handler() {
    return [this](Peer& peer) { peer.http2() ? serve_http2(peer, behaviour_) : answering(kOk)(peer); };
  }
  std::shared_ptr<Collector> ask(SocketServer& server, TlsOptions tls) {
    TransportOptions options;
    options.tls = std::move(tls);
    auto client = make_transport(options);
    return exchange(*client, get(server.url()));
  }
  Http2Options behaviour_ = naming_the_client();
  Authority authority_;
};

INSTANTIATE_TEST_SUITE_P(Protocols, TlsTest, testing::Values("h2,http/1.1", "http/1.1", ""));

TEST_P(TlsTest, TrustsAServerOfAPrivateAuthority) {
  SocketServer server(handler(), ServerTls{authority_.issue({"127.0.0.1"}), "", GetParam()});
  auto answer = ask(server, {.ca_data = authority_.pem()});
  EXPECT_FALSE(answer->error());
  EXPECT_EQ(answer->status(), 200);
}

TEST_P(TlsTest, RefusesAServerOfAnotherAuthority) {
  SocketServer server(handler(), ServerTls{Authority("stranger").issue({"127.0.0.1"}), "", GetParam()});
  auto answer = ask(server, {.ca_data = authority_.pem()});
  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Tls) << *answer->error();
  EXPECT_EQ(answer->error()->message().rfind("TLS with 127.0.0.1:", 0), 0u) << *answer->error();
}

TEST_P(TlsTest, RefusesAPrivateAuthorityThatNobodyNamed) {
  SocketServer server(handler(), ServerTls{authority_.issue({"127.0.0.1"}), "", GetParam()});
  auto answer = ask(server, {});
  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Tls) << *answer->error();
}

TEST_P(TlsTest, RefusesAServerWithAnotherName) {
  SocketServer server(handler(), ServerTls{authority_.issue({"other.test", "127.0.0.2"}), "", GetParam()});
  auto answer = ask(server, {.ca_data = authority_.pem()});
  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Tls) << *answer->error();
}

TEST_P(TlsTest, VerifiesTheNameGivenInsteadOfTheHost) {
  SocketServer server(handler(), ServerTls{authority_.issue({"other.test"}), "", GetParam()});
  auto answer = ask(server, {.ca_data = authority_.pem(), .server_name = "other.test"});
  EXPECT_FALSE(answer->error());
  auto refused = ask(server, {.ca_data = authority_.pem(), .server_name = "third.test"});
  ASSERT_TRUE(refused->error());
  EXPECT_EQ(refused->error()->transport_failure(), TransportFailure::Tls);
}

TEST_P(TlsTest, RefusesAnExpiredCertificate) {
  SocketServer server(handler(), ServerTls{authority_.issue({"127.0.0.1"}, true), "", GetParam()});
  auto answer = ask(server, {.ca_data = authority_.pem()});
  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Tls);
  EXPECT_NE(answer->error()->message().find("expired"), std::string::npos) << *answer->error();
}

TEST_P(TlsTest, AcceptsAnythingWhenToldTo) {
  SocketServer server(handler(), ServerTls{Authority("stranger").issue({"other.test"}, true), "", GetParam()});
  auto answer = ask(server, {.insecure_skip_verify = true});
  EXPECT_FALSE(answer->error());
}

TEST_P(TlsTest, ShowsItsCertificateToAServerThatDemandsOne) {
  Authority clients("clients");
  Identity identity = clients.issue({"alice"});
  SocketServer server(handler(), ServerTls{authority_.issue({"127.0.0.1"}), clients.pem(), GetParam()});
  auto answer =
      ask(server, {.ca_data = authority_.pem(), .certificate_data = identity.certificate, .key_data = identity.key});
  ASSERT_FALSE(answer->error()) << *answer->error();
  EXPECT_EQ(answer->body(), std::string(GetParam()).rfind("h2", 0) == 0 ? "alice" : "ok");
}

TEST_P(TlsTest, ReportsAServerThatDemandsACertificateItDoesNotHave) {
  SocketServer server(handler(), ServerTls{authority_.issue({"127.0.0.1"}), Authority("clients").pem(), GetParam()});
  auto answer = ask(server, {.ca_data = authority_.pem()});
  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->kind(), ErrorKind::Transport) << *answer->error();
}

TEST_P(TlsTest, ReportsAPeerThatDoesNotSpeakTls) {
  SocketServer server([](Peer& peer) {
    peer.write("220 mail.test ESMTP\r\n");
    peer.readable(10'000);
  });
  TransportOptions options;
  auto client = make_transport(options);
  auto answer = exchange(*client, get("https://" + server.address() + "/"));
  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Tls) << *answer->error();
}

TEST_P(TlsTest, AChangedAuthorityFileIsSeenByTheNextConnection) {
  Authority next("next");
  TemporaryFile file(authority_.pem());
  SocketServer before(handler(), ServerTls{authority_.issue({"127.0.0.1"}), "", GetParam()});
  SocketServer after(handler(), ServerTls{next.issue({"127.0.0.1"}), "", GetParam()});
  TransportOptions options;
  options.tls.ca_file = file.path();
  auto client = make_transport(options);
  EXPECT_FALSE(exchange(*client, get(before.url()))->error());
  EXPECT_TRUE(exchange(*client, get(after.url()))->error());

  file.write(next.pem());

  EXPECT_FALSE(exchange(*client, get(after.url()))->error());
  EXPECT_TRUE(exchange(*client, get(before.url()))->error());
}

TEST_P(TlsTest, AnUnusableNewFileKeepsWhatWasReadBefore) {
  TemporaryFile file(authority_.pem());
  SocketServer server(handler(), ServerTls{authority_.issue({"127.0.0.1"}), "", GetParam()});
  TransportOptions options;
  options.tls.ca_file = file.path();
  auto client = make_transport(options);

  for (const char* content : {"", "-----BEGIN CERTIFICATE-----\nbm90\n-----END CERTIFICATE-----\n"}) {
    file.write(content);
    EXPECT_FALSE(exchange(*client, get(server.url()))->error());
  }
  std::filesystem::remove(file.path());
  EXPECT_FALSE(exchange(*client, get(server.url()))->error());
}

TEST(TlsRotationTest, ARotatedClientCertificateFileIsShownByTheNextCall) {
  Authority authority;
  Authority clients("clients");
  Identity first = clients.issue({"first"});
  Identity second = clients.issue({"second"});
  TemporaryFile certificate(first.certificate);
  TemporaryFile key(first.key);
  auto behaviour = naming_the_client();
  SocketServer server([&](Peer& peer) { serve_http2(peer, behaviour); },
                      ServerTls{authority.issue({"127.0.0.1"}), clients.pem(), "h2"});
  TransportOptions options;
  options.tls = {.ca_data = authority.pem(), .certificate_file = certificate.path(), .key_file = key.path()};
  auto client = make_transport(options);
  EXPECT_EQ(exchange(*client, get(server.url()))->body(), "first");

  certificate.write(second.certificate);
  EXPECT_EQ(exchange(*client, get(server.url()))->body(), "first");  // the pair is incomplete so far
  key.write(second.key);

  EXPECT_EQ(exchange(*client, get(server.url()))->body(), "second");
}

TEST(TlsRotationTest, AReplacedClientCertificateServesNewCallsAndKeepsRunningOnes) {
  Authority authority;
  Authority clients("clients");
  Identity first = clients.issue({"first"});
  Identity second = clients.issue({"second"});
  auto behaviour = replying([](const Http2Request& request) {
    Http2Reply reply;
    reply.body = request.client_name;
    reply.open_end = request.path == "/watch";
    return reply;
  });
  SocketServer server([&](Peer& peer) { serve_http2(peer, behaviour); },
                      ServerTls{authority.issue({"127.0.0.1"}), clients.pem(), "h2"});
  TransportOptions options;
  options.tls = {.ca_data = authority.pem(), .certificate_data = first.certificate, .key_data = first.key};
  auto client = make_transport(options);
  Pending watch(*client, get(server.url("/watch")));
  ASSERT_TRUE(watch->await_bytes(5));

  ASSERT_TRUE(client->set_client_certificate(second.certificate, second.key));
  EXPECT_EQ(exchange(*client, get(server.url()))->body(), "second");
  EXPECT_FALSE(watch->ended());

  EXPECT_FALSE(client->set_client_certificate("nonsense", second.key));
  EXPECT_EQ(exchange(*client, get(server.url()))->body(), "second");
}

TEST(TlsOptionsTest, RefusesUnusableOptions) {
  Authority authority;
  Identity one = authority.issue({"one"});
  Identity two = authority.issue({"two"});
  auto refused = [](TlsOptions tls) {
    TransportOptions options;
    options.tls = std::move(tls);
    auto created = HttpTransport::create(options);
    return !created && created.error().kind() == ErrorKind::Config;
  };

  EXPECT_TRUE(refused({.ca_data = "no PEM"}));
  EXPECT_TRUE(refused({.ca_file = "/nowhere/ca.pem"}));
  EXPECT_TRUE(refused({.ca_file = "/tmp"}));
  EXPECT_TRUE(refused({.certificate_data = one.certificate}));
  EXPECT_TRUE(refused({.key_data = one.key}));
  EXPECT_TRUE(refused({.certificate_data = one.certificate, .key_data = two.key}));
  EXPECT_TRUE(refused({.certificate_data = one.certificate, .key_data = "no PEM"}));
}

TEST(TlsOptionsTest, ErrorsDoNotRepeatAKey) {
  Authority authority;
  Identity one = authority.issue({"one"});
  TransportOptions options;
  options.tls = {.certificate_data = "nonsense", .key_data = one.key};

  auto created = HttpTransport::create(options);

  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().message().find("PRIVATE"), std::string::npos);
  EXPECT_EQ(created.error().message().find(one.key.substr(40, 20)), std::string::npos);
}

}  // namespace
}  // namespace kubexx::transport::test
