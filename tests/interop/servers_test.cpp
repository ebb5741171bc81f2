#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interop/programs.hpp"
#include "kubexx/rest/client.hpp"
#include "unit/transport/support/certificates.hpp"

namespace kubexx::interop {
namespace {

using testing::HasSubstr;
using transport::test::Authority;

/// nginx with TLS that says in a pod's name which protocol it was asked in.
class NginxTest : public testing::Test {
 protected:
  void SetUp() override {
    nginx_ = find_program("nginx");
    if (nginx_.empty()) GTEST_SKIP() << "nginx is not installed";
  }
  void start(const std::string& listen, const std::string& more = "") {
    const auto identity = authority_.issue({"127.0.0.1"});
    const auto f = folder_.path();
    folder_.write("server.crt", identity.certificate);
    folder_.write("server.key", identity.key);
    port_ = free_port();
    const auto conf = folder_.write(
        "nginx.conf",
        "daemon off; master_process off; pid " + f + "/pid; error_log " + f + "/error.log;\nevents {}\nhttp {\n" +
            "access_log " + f + "/access.log; client_body_temp_path " + f + "/1; proxy_temp_path " + f +
            "/2; fastcgi_temp_path " + f + "/3; uwsgi_temp_path " + f + "/4; scgi_temp_path " + f +
            "/5;\nserver { listen 127.0.0.1:" + std::to_string(port_) + " " + listen + ";\nssl_certificate " + f +
            "/server.crt; ssl_certificate_key " + f + "/server.key;\n" + more +
            "\nlocation / { default_type application/json; return 200 "
            "'{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"$server_protocol\"}}'; } } }\n");
    program_ = std::make_unique<Program>(std::vector<std::string>{nginx_, "-c", conf, "-e", f + "/error.log"},
                                         f + "/nginx.out");
    ASSERT_TRUE(program_->comes_up(port_)) << folder_.read("nginx.out") << folder_.read("error.log");
  }
  rest::Config config() const {
    rest::Config config;
    config.host = "https://127.0.0.1:" + std::to_string(port_);
    config.tls.ca_data = authority_.pem();
    config.proxy_url = "none";
    config.timeout = std::chrono::seconds(30);
    return config;
  }
  static Result<meta::Object> ask(const rest::Config& config) {
    const auto client = rest::Client::create(config).value();
    rest::Request request;
    request.path = {{"", "v1", "pods"}, "ns", "a", ""};
    auto answer = client.send(request);
    if (!answer) return answer.error();
    return answer->object();
  }

  std::string nginx_;
  Authority authority_;
  Folder folder_;
  int port_ = 0;
  std::unique_ptr<Program> program_;
};

TEST_F(NginxTest, IsSpokenToInHttp2WhereItOffersIt) {
  start("ssl http2");
  const auto pod = ask(config());
  ASSERT_TRUE(pod) << pod.error();
  EXPECT_EQ(pod->name(), "HTTP/2.0");
}

TEST_F(NginxTest, IsSpokenToInHttp11WhereItDoesNot) {
  start("ssl");
  const auto pod = ask(config());
  ASSERT_TRUE(pod) << pod.error();
  EXPECT_EQ(pod->name(), "HTTP/1.1");
}

TEST_F(NginxTest, AnotherAuthorityIsATlsError) {
  start("ssl http2");
  auto other = config();
  const Authority stranger("stranger");
  other.tls.ca_data = stranger.pem();
  const auto pod = ask(other);
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().transport_failure(), TransportFailure::Tls);
}

TEST_F(NginxTest, ADemandedClientCertificateIsShownAndAMissingOneIsABadRequest) {
  const Authority clients("clients");
  folder_.write("clients.crt", clients.pem());
  start("ssl http2", "ssl_client_certificate " + folder_.path() + "/clients.crt; ssl_verify_client on;");
  const auto refused = ask(config());
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is_bad_request()) << refused.error();
  const auto me = clients.issue({"me"});
  auto known = config();
  known.tls.certificate_data = me.certificate;
  known.tls.key_data = me.key;
  const auto pod = ask(known);
  ASSERT_TRUE(pod) << pod.error();
}

TEST_F(NginxTest, IsReachedThroughTinyproxy) {
  const auto tinyproxy = find_program("tinyproxy");
  if (tinyproxy.empty()) GTEST_SKIP() << "tinyproxy is not installed";
  start("ssl http2");
  const int port = free_port();
  const auto conf =
      folder_.write("tinyproxy.conf", "Port " + std::to_string(port) +
                                          "\nListen 127.0.0.1\nAllow 127.0.0.1\nTimeout 60\nConnectPort " +
                                          std::to_string(port_) + "\nLogLevel Connect\n");
  const Program proxy({tinyproxy, "-d", "-c", conf}, folder_.path() + "/tinyproxy.log");
  ASSERT_TRUE(proxy.comes_up(port)) << folder_.read("tinyproxy.log");
  auto through = config();
  through.proxy_url = "http://127.0.0.1:" + std::to_string(port);

  const auto pod = ask(through);

  ASSERT_TRUE(pod) << pod.error();
  EXPECT_EQ(pod->name(), "HTTP/2.0");
  EXPECT_THAT(folder_.read("tinyproxy.log"), HasSubstr("CONNECT 127.0.0.1:" + std::to_string(port_)));
  auto elsewhere = through;
  elsewhere.host = "https://127.0.0.1:1";  // a port the proxy does not lead to
  const auto refused = ask(elsewhere);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().transport_failure(), TransportFailure::Proxy) << refused.error();
}

TEST_F(NginxTest, IsReachedThroughDante) {
  const auto danted = find_program("danted");
  if (danted.empty()) GTEST_SKIP() << "danted is not installed";
  start("ssl http2");
  const int port = free_port();
  const auto conf = folder_.write(
      "danted.conf", "logoutput: stderr\ninternal: 127.0.0.1 port = " + std::to_string(port) +
                         "\nexternal: 127.0.0.1\nclientmethod: none\nsocksmethod: none\nclient pass { from: "
                         "127.0.0.0/8 to: 0.0.0.0/0 }\nsocks pass { from: 127.0.0.0/8 to: 127.0.0.0/8 port = " +
                         std::to_string(port_) + " protocol: tcp }\n");
  const Program proxy({danted, "-f", conf, "-p", folder_.path() + "/danted.pid"}, folder_.path() + "/danted.log");
  ASSERT_TRUE(proxy.comes_up(port)) << folder_.read("danted.log");
  auto through = config();
  through.proxy_url = "socks5://127.0.0.1:" + std::to_string(port);

  const auto pod = ask(through);

  ASSERT_TRUE(pod) << pod.error() << folder_.read("danted.log");
  EXPECT_EQ(pod->name(), "HTTP/2.0");
  auto elsewhere = through;
  elsewhere.host = "https://127.0.0.1:1";
  const auto refused = ask(elsewhere);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().transport_failure(), TransportFailure::Proxy) << refused.error();
}

}  // namespace
}  // namespace kubexx::interop
