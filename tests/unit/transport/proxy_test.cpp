#include "transport/proxy.hpp"

#include <gtest/gtest.h>

#include <map>

#include "unit/transport/support/fixture.hpp"
#include "unit/transport/support/tiny_proxies.hpp"

namespace kubexx::transport::test {
namespace {

using Variables = std::map<std::string, std::string>;

std::string chosen(const std::string& explicit_proxy, const Variables& variables, const std::string& url) {
  auto rules = ProxyRules::create(explicit_proxy, [&](const char* name) {
                 auto found = variables.find(name);
                 return found == variables.end() ? std::string() : found->second;
               }).value();
  return rules.proxy_for(parse_target(url).value());
}

TEST(ProxyRulesTest, AnExplicitProxyServesEveryHost) {
  EXPECT_EQ(chosen("http://p:1", {{"no_proxy", "*"}}, "https://api.test"), "http://p:1");
  EXPECT_EQ(chosen("http://p:1", {}, "http://127.0.0.1"), "http://p:1");
  EXPECT_EQ(chosen("p:1", {}, "http://api.test"), "http://p:1");
}

TEST(ProxyRulesTest, NoneMeansNone) {
  EXPECT_EQ(chosen("none", {{"https_proxy", "http://p:1"}}, "https://api.test"), "");
}

TEST(ProxyRulesTest, TheEnvironmentChoosesByScheme) {
  Variables variables{{"http_proxy", "http://plain:1"}, {"HTTPS_PROXY", "http://secure:2"}};
  EXPECT_EQ(chosen("", variables, "http://api.test"), "http://plain:1");
  EXPECT_EQ(chosen("", variables, "https://api.test"), "http://secure:2");
  EXPECT_EQ(chosen("", {{"ALL_PROXY", "socks5://any:3"}}, "https://api.test"), "socks5h://any:3");
  EXPECT_EQ(chosen("", {}, "https://api.test"), "");
}

TEST(ProxyRulesTest, TheLowerCaseVariableWins) {
  EXPECT_EQ(chosen("", {{"https_proxy", "http://a:1"}, {"HTTPS_PROXY", "http://b:2"}}, "https://api.test"),
            "http://a:1");
}

TEST(ProxyRulesTest, ACgiProgramIgnoresWhatARequestCanSet) {
  Variables variables{{"HTTP_PROXY", "http://evil:1"}, {"REQUEST_METHOD", "GET"}};
  EXPECT_EQ(chosen("", variables, "http://api.test"), "");
}

TEST(ProxyRulesTest, LoopbackIsReachedDirectly) {
  Variables variables{{"https_proxy", "http://p:1"}};
  for (const char* url :
       {"https://localhost:6443", "https://127.0.0.1:6443", "https://127.8.9.1", "https://[::1]:6443"})
    EXPECT_EQ(chosen("", variables, url), "") << url;
  EXPECT_EQ(chosen("", variables, "https://localhost.test"), "http://p:1");
}

TEST(ProxyRulesTest, NoProxyNamesHostsDomainsAddressesAndNetworks) {
  Variables variables{{"https_proxy", "http://p:1"},
                      {"no_proxy", "exact.test, .sub.test,*.star.test,10.0.0.0/9,192.168.1.7,fd00::/8,port.test:8443"}};
  for (const char* direct : {"https://exact.test", "https://EXACT.test", "https://deep.exact.test",
                             "https://a.sub.test", "https://a.star.test", "https://10.127.0.1", "https://192.168.1.7",
                             "https://[fd12::1]:6443", "https://port.test:8443"})
    EXPECT_EQ(chosen("", variables, direct), "") << direct;
  for (const char* proxied : {"https://inexact.test", "https://sub.test", "https://star.test", "https://10.128.0.1",
                              "https://192.168.1.70", "https://[fe80::1]", "https://port.test:443", "https://test"})
    EXPECT_EQ(chosen("", variables, proxied), "http://p:1") << proxied;
  EXPECT_EQ(chosen("", {{"https_proxy", "http://p:1"}, {"NO_PROXY", "*"}}, "https://api.test"), "");
}

TEST(ProxyRulesTest, NonsenseInNoProxyMatchesNothing) {
  Variables variables{{"https_proxy", "http://p:1"}, {"no_proxy", ",, ,/,10.0.0.0/,10.0.0.0/99,:,[,]:,.,a/b,*."}};
  EXPECT_EQ(chosen("", variables, "https://10.0.0.1"), "http://p:1");
  EXPECT_EQ(chosen("", variables, "https://api.test"), "http://p:1");
}

TEST(ProxyRulesTest, RefusesUnusableProxiesWithoutRepeatingCredentials) {
  for (const char* url : {"ftp://u:s3cret@p:1", "http://", "http://u:s3cret@", "socks4://p:1", "http://p :1"}) {
    auto rules = ProxyRules::create(url, [](const char*) { return std::string(); });
    ASSERT_FALSE(rules) << url;
    EXPECT_EQ(rules.error().kind(), ErrorKind::Config);
    EXPECT_EQ(rules.error().message().find("s3cret"), std::string::npos);
  }
}

/// A server behind each kind of proxy.
class ProxyTest : public testing::Test {
 protected:
  ProxyTest() { behaviour_.target_port = server_.server.port(); }
  std::shared_ptr<Collector> ask(const std::string& proxy_url, const std::string& url) {
    TransportOptions options = server_.options();
    options.proxy_url = proxy_url;
    auto client = make_transport(options);
    Request request = get(url);
    request.headers = {{"Authorization", "Bearer t0ken"}};
    return exchange(*client, request);
  }

  Http2Server server_{replying([](const Http2Request&) {
    Http2Reply reply;
    reply.body = "over HTTP/2";
    return reply;
  })};
  ProxyBehaviour behaviour_;
};

TEST_F(ProxyTest, AnHttpProxyTunnelsToTheServer) {
  SocketServer proxy(http_proxy(behaviour_));

  auto answer = ask("http://" + proxy.address(), server_.url());

  ASSERT_FALSE(answer->error()) << *answer->error();
  EXPECT_EQ(answer->body(), "over HTTP/2");
  EXPECT_EQ(behaviour_.seen(), std::vector<std::string>{"CONNECT " + server_.server.address() + " HTTP/1.1"});
}

TEST_F(ProxyTest, AnHttpsProxyTunnelsToTheServer) {
  SocketServer proxy(http_proxy(behaviour_), ServerTls{server_.authority.issue({"127.0.0.1"}), "", "h2,http/1.1"});

  auto answer = ask("https://" + proxy.address(), server_.url());

  ASSERT_FALSE(answer->error()) << *answer->error();
  EXPECT_EQ(answer->body(), "over HTTP/2");
}

TEST_F(ProxyTest, ASocksProxyResolvesTheName) {
  SocketServer proxy(socks5_proxy(behaviour_));
  TransportOptions options = server_.options();
  options.proxy_url = "socks5://" + proxy.address();
  options.tls.server_name = "127.0.0.1";
  auto client = make_transport(options);

  auto answer = exchange(*client, get("https://only-the-proxy-knows.invalid:6443/"));

  ASSERT_FALSE(answer->error()) << *answer->error();
  EXPECT_EQ(answer->body(), "over HTTP/2");
  EXPECT_EQ(behaviour_.seen(), std::vector<std::string>{"only-the-proxy-knows.invalid:6443"});
}

TEST_F(ProxyTest, CredentialsInTheUrlAreShownToTheProxy) {
  behaviour_.credentials = "Basic dXNlcjpwQHNz";  // user:p@ss
  SocketServer proxy(http_proxy(behaviour_));
  EXPECT_EQ(ask("http://user:p%40ss@" + proxy.address(), server_.url())->body(), "over HTTP/2");

  ProxyBehaviour socks;
  socks.target_port = behaviour_.target_port;
  socks.credentials = "user:p@ss";
  SocketServer socks_proxy(socks5_proxy(socks));
  EXPECT_EQ(ask("socks5://user:p%40ss@" + socks_proxy.address(), server_.url())->body(), "over HTTP/2");
}

TEST_F(ProxyTest, ARefusalNamesTheProxyAndNoCredentials) {
  behaviour_.credentials = "Basic other";
  SocketServer proxy(http_proxy(behaviour_));

  auto answer = ask("http://user:s3cret@" + proxy.address(), server_.url());

  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Proxy) << *answer->error();
  EXPECT_NE(answer->error()->message().find(proxy.address()), std::string::npos);
  EXPECT_NE(answer->error()->message().find("407"), std::string::npos);
  EXPECT_EQ(answer->error()->message().find("s3cret"), std::string::npos);
}

TEST_F(ProxyTest, ASocksRefusalIsAProxyError) {
  behaviour_.refuse_with = 5;
  SocketServer proxy(socks5_proxy(behaviour_));

  auto answer = ask("socks5://user:s3cret@" + proxy.address(), server_.url());

  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Proxy) << *answer->error();
  EXPECT_EQ(answer->error()->message().find("s3cret"), std::string::npos);
}

TEST_F(ProxyTest, TheServersCredentialsStayInsideTheTunnel) {
  SocketServer proxy(http_proxy(behaviour_));
  ask("http://" + proxy.address(), server_.url());
  EXPECT_EQ(behaviour_.seen().size(), 1u);  // no "LEAKED"
}

TEST_F(ProxyTest, PlainHttpIsSentToTheProxyWithTheWholeUrl) {
  SocketServer plain(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  behaviour_.target_port = plain.port();
  SocketServer proxy(http_proxy(behaviour_));

  auto answer = ask("http://" + proxy.address(), "http://api.invalid/path");

  EXPECT_EQ(answer->body(), "ok");
  EXPECT_EQ(behaviour_.seen(), std::vector<std::string>{"GET http://api.invalid/path HTTP/1.1"});
}

TEST_F(ProxyTest, AnUnreachableProxyIsARefusedConnection) {
  int port = 0;
  {
    Listener listener;
    port = listener.port();
  }
  auto answer = ask("http://127.0.0.1:" + std::to_string(port), server_.url());
  ASSERT_TRUE(answer->error());
  EXPECT_EQ(answer->error()->transport_failure(), TransportFailure::Refused) << *answer->error();
}

}  // namespace
}  // namespace kubexx::transport::test
