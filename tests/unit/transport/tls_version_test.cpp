#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <future>

#include "unit/transport/support/fixture.hpp"

namespace kubexx::transport::test {
namespace {

constexpr char kFineAnswer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// The version that a client without any rules of its own gets from the server; empty: none.
std::string version_for_anyone(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
  SSL* ssl = SSL_new(context);
  SSL_set_fd(ssl, fd);
  const std::string version = SSL_connect(ssl) == 1 ? SSL_get_version(ssl) : "";
  SSL_free(ssl);
  SSL_CTX_free(context);
  close(fd);
  return version;
}

/// The versions of a ClientHello's extension supported_versions (RFC 8446, 4.2.1), or its older field without it.
std::vector<int> offered_versions(const std::string& hello) {
  const auto byte = [&](std::size_t at) { return at < hello.size() ? static_cast<unsigned char>(hello[at]) : 0; };
  const auto number = [&](std::size_t at) { return byte(at) << 8 | byte(at + 1); };
  constexpr std::size_t kVersion = 5 + 4;  // after the headers of record and message
  std::size_t at = kVersion + 2 + 32;
  at += 1 + static_cast<std::size_t>(byte(at));    // session
  at += 2 + static_cast<std::size_t>(number(at));  // ciphers
  at += 1 + static_cast<std::size_t>(byte(at));    // compression
  for (at += 2; at + 4 <= hello.size(); at += 4 + static_cast<std::size_t>(number(at + 2))) {
    if (number(at) != 43) continue;
    std::vector<int> versions;
    for (std::size_t i = 0; i < static_cast<std::size_t>(byte(at + 4)); i += 2) versions.push_back(number(at + 5 + i));
    return versions;
  }
  return {number(kVersion)};
}

TEST(TlsVersionTest, AServerWithoutTlsOneTwoIsRefusedAndHearsNothingOfTheRequest) {
  Authority authority;
  std::atomic<int> requests = 0;
  const auto handler = [&](Peer& peer) {
    for (; !peer.read_request().empty(); peer.write(kFineAnswer)) ++requests;
  };
  SocketServer old(handler, ServerTls{authority.issue({"127.0.0.1"}), "", "", TLS1_1_VERSION});
  ASSERT_EQ(version_for_anyone(old.port()), "TLSv1.1") << "the server of this test does not offer it";
  TransportOptions options;
  options.tls.ca_data = authority.pem();
  const auto client = make_transport(options);

  const auto answer = exchange(*client, get(old.url()));

  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Tls) << *answer->error();
  EXPECT_EQ(requests, 0);
}

TEST(TlsVersionTest, OnlyOneTwoAndOneThreeAreOffered) {
  std::promise<std::string> heard;
  SocketServer server([&](Peer& peer) {
    std::string hello(4096, '\0');
    const auto count = peer.read(hello.data(), hello.size());
    hello.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    heard.set_value(hello);
  });
  TransportOptions options;
  options.tls.ca_data = Authority().pem();
  const auto client = make_transport(options);

  const auto answer = exchange(*client, get("https://" + server.address() + "/"));

  EXPECT_TRUE(answer->error()) << "nobody answered it";
  EXPECT_EQ(server.connections(), 1) << "what fails in TLS is not tried without";
  EXPECT_THAT(offered_versions(heard.get_future().get()), testing::UnorderedElementsAre(0x0304, 0x0303));
}

TEST(TlsVersionTest, AnAuthorityThatWouldBeIgnoredIsAnError) {
  TransportOptions options;
  options.tls.insecure_skip_verify = true;
  EXPECT_TRUE(HttpTransport::create(options));
  options.tls.ca_data = Authority().pem();
  const auto refused = HttpTransport::create(options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), testing::HasSubstr("insecure_skip_verify would ignore it"));
  options.tls.ca_data.clear();
  options.tls.ca_file = "/nowhere/ca.crt";
  EXPECT_THAT(HttpTransport::create(options).error().message(), testing::HasSubstr("insecure_skip_verify"));
}

}  // namespace
}  // namespace kubexx::transport::test
