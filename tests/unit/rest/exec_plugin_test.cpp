#include "rest/exec_plugin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "base/internal/base64.hpp"
#include "kubexx/meta/json.hpp"
#include "unit/rest/fake_transport.hpp"
#include "unit/transport/support/fixture.hpp"

namespace kubexx::rest {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;
using transport::test::Authority;

constexpr const char* kPod = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})";

/// Plugins as shell scripts in a folder that goes with the test. Each run of one adds a line to the file "runs".
class ExecPluginTest : public testing::Test {
 protected:
  ExecPluginTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kubexx-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    config_.host = "https://server.example";
    config_.exec = ExecConfig{};
    config_.exec->api_version = "client.authentication.k8s.io/v1";
    config_.exec->interactive_mode = "Never";
  }
  ~ExecPluginTest() override { std::filesystem::remove_all(folder_); }

  void script(const std::string& body) {
    const auto path = folder_ + "/plugin";
    std::ofstream(path) << "#!/bin/sh\necho run >> " << folder_ << "/runs\n" << body << "\n";
    chmod(path.c_str(), 0700);
    config_.exec->command = path;
  }
  /// One that prints a credential with this status.
  void prints(const std::string& status, const std::string& version = "v1") {
    std::ofstream(folder_ + "/out") << R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/)"
                                    << version << R"(","status":)" << status << "}";
    script("cat " + folder_ + "/out");
  }
  static bool comes_true(const std::function<bool()>& condition) {
    const auto ceiling = Clock::system().now() + seconds(30);
    while (!condition()) {
      if (Clock::system().now() > ceiling) return false;
      std::this_thread::yield();
    }
    return true;
  }
  std::size_t runs() const {
    std::ifstream file(folder_ + "/runs");
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }
  std::string file(const std::string& name) const {
    std::ifstream in(folder_ + "/" + name);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
  }
  Client client() {
    ClientOptions options;
    options.transport = transport_;
    options.executor = executor_;
    options.metrics = std::make_shared<MetricsRegistry>();
    return Client::create(config_, options).value();
  }
  static Request get_pod() {
    Request request;
    request.path = {{"", "v1", "pods"}, "ns", "a", ""};
    return request;
  }
  Result<Response> ask(const Client& client, Request request = get_pod()) {
    if (transport_->answers.empty()) transport_->answer(200, kPod);
    return client.send(request);
  }
  std::string failure() {
    auto answer = ask(client());
    return answer ? "no failure" : answer.error().message();
  }
  std::string sent_authorization() const {
    const auto* value = transport_->requests.back().headers.find("Authorization");
    return value ? *value : "";
  }

  std::string folder_;
  Config config_;
  std::shared_ptr<ThreadExecutor> executor_ = std::make_shared<ThreadExecutor>();
  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>(executor_);
};

TEST_F(ExecPluginTest, ItsTokenIsSentAndThePluginAskedOnce) {
  prints(R"({"token":"fake-token"})");
  const auto c = client();

  ASSERT_TRUE(ask(c));
  ASSERT_TRUE(ask(c));

  EXPECT_EQ(sent_authorization(), "Bearer fake-token");
  EXPECT_EQ(runs(), 1U);
}

TEST_F(ExecPluginTest, TheOlderVersionIsSpokenToo) {
  config_.exec->api_version = "client.authentication.k8s.io/v1beta1";
  prints(R"({"token":"fake-token"})", "v1beta1");

  ASSERT_TRUE(ask(client()));
  EXPECT_EQ(sent_authorization(), "Bearer fake-token");
}

// TestRefreshCreds
TEST_F(ExecPluginTest, AnAnswerOfAnotherVersionIsAnErrorThatNamesBoth) {
  prints(R"({"token":"fake-token"})", "v1beta1");

  const auto text = failure();

  EXPECT_THAT(text, HasSubstr("configured to use API version client.authentication.k8s.io/v1"));
  EXPECT_THAT(text, HasSubstr("returned version client.authentication.k8s.io/v1beta1"));
  EXPECT_TRUE(transport_->requests.empty());
}

TEST_F(ExecPluginTest, WhatIsNoCredentialIsAnErrorThatRepeatsNothingOfIt) {
  script("echo fake-secret not json");
  EXPECT_THAT(failure(), testing::AllOf(HasSubstr("printed no ExecCredential"), Not(HasSubstr("fake-secret"))));
  script("true");
  EXPECT_THAT(failure(), HasSubstr("printed no ExecCredential"));
  script(R"(echo '{"kind":"Pod","apiVersion":"v1"}')");
  EXPECT_THAT(failure(), HasSubstr("printed no ExecCredential"));
  prints("null");
  EXPECT_THAT(failure(), HasSubstr("didn't return a status"));
  prints("{}");
  EXPECT_THAT(failure(), HasSubstr("didn't return a token or a certificate/key pair"));
  prints(R"({"clientCertificateData":"x"})");
  EXPECT_THAT(failure(), HasSubstr("only one of certificate and key"));
  prints(R"({"token":"fake-secret","expirationTimestamp":"soon"})");
  EXPECT_THAT(failure(), testing::AllOf(HasSubstr("bad expirationTimestamp"), Not(HasSubstr("fake-secret"))));
}

TEST_F(ExecPluginTest, AFailingPluginIsAnErrorWithItsCodeAndAskedAgainByTheNextCall) {
  script("echo fake-secret; exit 1");
  const auto c = client();

  for (const std::size_t run : {1U, 2U}) {
    const auto answer = ask(c);
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message(), HasSubstr("failed with exit code 1"));
    EXPECT_THAT(answer.error().message(), Not(HasSubstr("fake-secret")));
    EXPECT_EQ(runs(), run);
  }
  script("kill -9 $$");
  EXPECT_THAT(failure(), HasSubstr("exit code 137"));
}

TEST_F(ExecPluginTest, AnExpiredCredentialIsRenewed) {
  prints(R"({"token":"fake-old","expirationTimestamp":"2020-01-01T00:00:00Z"})");
  const auto c = client();
  ASSERT_TRUE(ask(c));
  prints(R"({"token":"fake-new","expirationTimestamp":"2200-01-01T00:00:00Z"})");

  ASSERT_TRUE(ask(c));
  EXPECT_EQ(sent_authorization(), "Bearer fake-new");
  ASSERT_TRUE(ask(c));
  EXPECT_EQ(runs(), 2U);
}

// TestRoundTripper
TEST_F(ExecPluginTest, ARejectedCredentialIsRenewedForTheNextCall) {
  prints(R"({"token":"fake-old"})");
  const auto c = client();
  transport_->answer(401, "no");
  EXPECT_TRUE(ask(c).error().is_unauthorized());
  prints(R"({"token":"fake-new"})");

  ASSERT_TRUE(ask(c));
  EXPECT_EQ(sent_authorization(), "Bearer fake-new");
  EXPECT_EQ(runs(), 2U);
}

TEST_F(ExecPluginTest, ManyRejectionsOfOneCredentialRenewItOnce) {
  prints(R"({"token":"fake"})");
  const auto source = make_exec_source(config_, parse_server_url(config_).value(), Clock::system(), nullptr).value();
  const auto sent = Clock::system().now();
  ASSERT_TRUE(source->headers());
  source->invalidate(sent);  // was sent before this credential was there

  EXPECT_TRUE(source->fresh());
  source->invalidate(Clock::system().now());
  EXPECT_FALSE(source->fresh());
}

// TestAuthorizationHeaderPresentCancelsExecAction
TEST_F(ExecPluginTest, ARequestThatBringsItsAuthorizationDoesNotRunThePlugin) {
  prints(R"({"token":"fake-token"})");
  auto request = get_pod();
  request.headers.add("Authorization", "Bearer fake-own");

  ASSERT_TRUE(ask(client(), request));

  EXPECT_EQ(sent_authorization(), "Bearer fake-own");
  EXPECT_EQ(runs(), 0U);
}

TEST_F(ExecPluginTest, ConfiguredCredentialsComeBeforeThePlugin) {
  prints(R"({"token":"fake-token"})");
  config_.bearer_token = "fake-own";

  ASSERT_TRUE(ask(client()));

  EXPECT_EQ(sent_authorization(), "Bearer fake-own");
  EXPECT_EQ(runs(), 0U);
}

TEST_F(ExecPluginTest, AMissingPluginIsAnErrorWithItsHint) {
  config_.exec->command = "kubexx-no-such-plugin";
  config_.exec->install_hint = "Get it at example.com.";

  EXPECT_THAT(failure(), testing::AllOf(HasSubstr("executable kubexx-no-such-plugin not found"),
                                        HasSubstr("Get it at example.com.")));
}

TEST_F(ExecPluginTest, APluginThatMayNotRunIsAnError) {
  prints(R"({"token":"fake-token"})");
  chmod(config_.exec->command.c_str(), 0600);
  EXPECT_THAT(failure(), HasSubstr("cannot run"));
}

TEST_F(ExecPluginTest, APluginThatPrintsWithoutEndIsEndedAndAnError) {
  script("exec cat /dev/zero");

  EXPECT_THAT(ask(client()).error().message(), HasSubstr("plugin printed more than 1 MB"));
}

TEST_F(ExecPluginTest, ItGetsItsArgumentsAndVariablesAndIsToldAboutTheCluster) {
  std::ofstream(folder_ + "/ca.crt") << "authority";
  config_.tls.ca_file = folder_ + "/ca.crt";
  config_.tls.server_name = "inner";
  config_.proxy_url = "http://proxy.example:1";
  config_.exec->arguments = {"get-token", "two words"};
  config_.exec->environment = {{"PLUGIN_MODE", "test"}};
  config_.exec->provide_cluster_info = true;
  config_.exec->cluster_extension = R"({"audience":"here"})";
  script("echo \"$1|$2|$PLUGIN_MODE\" > " + folder_ + "/arguments\nprintf %s \"$KUBERNETES_EXEC_INFO\" > " + folder_ +
         "/info\ncat > " + folder_ + "/stdin\necho '" +
         R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"fake"}})" + "'");

  ASSERT_TRUE(ask(client()));

  EXPECT_EQ(file("arguments"), "get-token|two words|test\n");
  EXPECT_EQ(file("stdin"), "");
  const auto info = meta::parse_json(file("info")).value();
  EXPECT_EQ(info["apiVersion"].string(), "client.authentication.k8s.io/v1");
  EXPECT_FALSE(info["spec"]["interactive"].bool_or(true));
  const auto cluster = info["spec"]["cluster"];
  EXPECT_EQ(cluster["server"].string(), "https://server.example");
  EXPECT_EQ(cluster["tls-server-name"].string(), "inner");
  EXPECT_EQ(cluster["certificate-authority-data"].string(), base64_encode("authority"));
  EXPECT_EQ(cluster["proxy-url"].string(), "http://proxy.example:1");
  EXPECT_EQ(cluster["config"]["audience"].string(), "here");
}

TEST_F(ExecPluginTest, ItIsToldNothingAboutTheClusterUnlessAsked) {
  script("printf %s \"$KUBERNETES_EXEC_INFO\" > " + folder_ + "/info; exit 1");
  failure();
  EXPECT_FALSE(meta::parse_json(file("info")).value()["spec"]["cluster"].exists());
}

TEST_F(ExecPluginTest, ASlowPluginHoldsUpNoStopAndEndsWithItsClient) {
  script("echo $$ > " + folder_ + "/pid\nsleep 60");
  const auto in_time = transport::test::stops_in_time([&] {
    std::filesystem::remove(folder_ + "/pid");
    std::stop_source stop;
    TimePoint asked{};
    auto c = std::make_optional(client());
    std::jthread stopper([&] {
      EXPECT_TRUE(comes_true([&] { return !file("pid").empty(); }));
      asked = Clock::system().now();
      stop.request_stop();
    });

    const auto answer = c->send(get_pod(), {stop.get_token(), {}});
    const TimePoint returned = Clock::system().now();
    stopper.join();

    EXPECT_TRUE(answer.error().is_canceled());
    c.reset();
    EXPECT_TRUE(comes_true([&] { return kill(std::stoi(file("pid")), 0) != 0; }));
    return returned - asked;
  });
  EXPECT_TRUE(in_time);
}

TEST_F(ExecPluginTest, ASlowPluginIsWaitedForByAllWhoNeedIt) {
  prints(R"({"token":"fake-token"})");
  script("while [ ! -e " + folder_ + "/go ]; do sleep 0.01; done\ncat " + folder_ + "/out");
  const auto source = make_exec_source(config_, parse_server_url(config_).value(), Clock::system(), nullptr).value();
  std::atomic<int> arrived = 0;
  {
    std::vector<std::jthread> many;
    for (int i = 0; i < 4; ++i) {
      many.emplace_back([&] {
        ++arrived;
        EXPECT_TRUE(source->headers());
      });
    }
    EXPECT_TRUE(comes_true([&] { return arrived == 4 && runs() == 1; }));
    std::ofstream(folder_ + "/go") << "go";
  }
  EXPECT_EQ(runs(), 1U);
}

TEST_F(ExecPluginTest, OneThatNeverEndsIsAnErrorAfterItsTime) {
  script("exec sleep 600");
  config_.exec->timeout = std::chrono::milliseconds(200);
  EXPECT_THAT(failure(), HasSubstr("plugin took longer than 200 ms"));
}

TEST_F(ExecPluginTest, ThoseWhoWaitForARunThatFailsDoNotRunItAgain) {
  script("while [ ! -e " + folder_ + "/go ]; do sleep 0.01; done\nexit 1");
  const auto source = make_exec_source(config_, parse_server_url(config_).value(), Clock::system(), nullptr).value();
  std::atomic<int> arrived = 0;
  {
    std::vector<std::jthread> many;
    for (int i = 0; i < 8; ++i) {
      many.emplace_back([&] {
        ++arrived;
        EXPECT_FALSE(source->headers());
      });
    }
    EXPECT_TRUE(comes_true([&] { return arrived == 8 && runs() == 1; }));
    std::ofstream(folder_ + "/go") << "go";
  }
  EXPECT_LT(runs(), 8U);  // one, but for those who came a little late
}

TEST_F(ExecPluginTest, ATokenIsReadHoweverItIsWritten) {
  const std::pair<const char*, const char*> tokens[] = {
      {R"({"token" : "fake/\"1\\" })", "fake/\"1\\"},
      {R"({"token":"fake-\u0041"})", "fake-A"},
      {R"({"to\u006ben":"fake-2"})", "fake-2"},
      {R"({"token":"kubexx-secret-7"})", "kubexx-secret-7"},
      {R"({"note":"token","token":"fake:3"})", "fake:3"},
      {R"({"clientKeyData":"","clientCertificateData":"","token":"fake-4"})", "fake-4"}};
  for (const auto& [status, token] : tokens) {
    prints(status);
    ASSERT_TRUE(ask(client())) << status;
    EXPECT_EQ(sent_authorization(), std::string("Bearer ") + token);
  }
  for (const auto* broken : {R"({"token":"fake)", R"({"token":"fake\")", R"({"token":["fake"]})", R"({"token":7})"}) {
    prints(broken);
    EXPECT_THAT(failure(), Not(HasSubstr("fake"))) << broken;
  }
}

TEST_F(ExecPluginTest, TheKubeconfigCannotSpeakInPlaceOfUs) {
  config_.exec->environment = {{"KUBERNETES_EXEC_INFO", "fake"}};
  script("env | grep -c ^KUBERNETES_EXEC_INFO= > " + folder_ + "/count; printf %s \"$KUBERNETES_EXEC_INFO\" > " +
         folder_ + "/info; exit 1");
  failure();
  EXPECT_EQ(file("count"), "1\n");
  EXPECT_TRUE(meta::parse_json(file("info")));
}

TEST_F(ExecPluginTest, ImpossibleConfigurationsAreRefusedAtOnce) {
  config_.exec->command = "";
  EXPECT_FALSE(Client::create(config_));
  config_.exec->command = "x";
  config_.exec->api_version = "client.authentication.k8s.io/v1alpha1";
  EXPECT_THAT(Client::create(config_).error().message(), HasSubstr("invalid apiVersion"));
}

TEST_F(ExecPluginTest, ATerminalThatIsNeededAndMissingIsAnError) {
  prints(R"({"token":"fake-token"})");
  config_.exec->interactive_mode = "Always";
  if (isatty(STDIN_FILENO)) GTEST_SKIP() << "standard input is a terminal";
  EXPECT_THAT(failure(), HasSubstr("needs a terminal"));
}

// TestTLSCredentials
TEST_F(ExecPluginTest, ItsCertificateIsShownToTheServer) {
  Authority servers;
  Authority clients;
  const auto me = clients.issue({"plugin-user"});
  auto behaviour = transport::test::replying([](const transport::test::Http2Request& request) {
    transport::test::Http2Reply reply;
    reply.headers = {{"content-type", "application/json"}};
    reply.body = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + request.client_name + "\"}}";
    return reply;
  });
  transport::test::SocketServer server([&](transport::test::Peer& peer) { serve_http2(peer, behaviour); },
                                       transport::test::ServerTls{servers.issue({"127.0.0.1"}), clients.pem(), "h2"});
  const auto quoted = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\n");
    return text;
  };
  prints(R"({"clientCertificateData":")" + quoted(me.certificate) + R"(","clientKeyData":")" + quoted(me.key) + "\"}");
  config_.host = server.url("");
  config_.tls.ca_data = servers.pem();
  const auto c = Client::create(config_).value();

  const auto answer = c.send(get_pod());
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->object().value().name(), "plugin-user");

  prints(R"({"clientCertificateData":"fake-certificate","clientKeyData":"fake-key"})");
  const auto broken = Client::create(config_).value();
  const auto refused = broken.send(get_pod());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), testing::AllOf(HasSubstr("exec plugin"), Not(HasSubstr("fake-"))));
}

}  // namespace
}  // namespace kubexx::rest
