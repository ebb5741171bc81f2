#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/internal/file.hpp"
#include "base/internal/random_token.hpp"
#include "kubexx/apiserver/server.hpp"
#include "kubexx/informer/client_lister_watcher.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/testkit/client.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx {
namespace {

using testing::HasSubstr;

const meta::GroupVersionResource kMountedPods{"", "v1", "pods"};

/// A program in a pod: its service account in a folder, an API server behind the service, and an informer that watches.
class InClusterProgramTest : public ::testing::Test {
 protected:
  InClusterProgramTest() : folder_((std::filesystem::temp_directory_path() / "kubexx-in-cluster-XXXXXX").string()) {
    if (!mkdtemp(folder_.data())) throw std::runtime_error("no folder");
    write("namespace", "shop");
  }
  ~InClusterProgramTest() override {
    if (pods_) {
      pods_->stop();
      pods_->join();
    }
    std::filesystem::remove_all(folder_);
  }

  /// Another API server at the same place, with an authority of its own, that takes this token alone.
  void serve(const std::string& token, const std::string& address = "127.0.0.1") {
    apiserver::Options options;
    options.address = address;
    options.port = server_ ? server_->port() : std::uint16_t{0};
    options.tls = true;
    options.users = {{.token = token, .name = "system:serviceaccount:shop:agent", .role = apiserver::Role::ReadOnly}};
    server_.reset();  // the port is free now
    server_ = std::move(apiserver::Server::start(options).value());
  }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(replace_file(folder_ + "/" + name, text));
  }
  void take_away(const std::string& name) const { std::filesystem::remove(folder_ + "/" + name); }

  rest::Config config(const std::string& host = "127.0.0.1") const {
    rest::InClusterOptions place;
    place.folder = folder_;
    place.environment = [host, port = server_->port()](const std::string& name) {
      if (name == "KUBERNETES_SERVICE_HOST") return host;
      return name == "KUBERNETES_SERVICE_PORT" ? std::to_string(port) : std::string();
    };
    return rest::Config::in_cluster(place).value();
  }
  void watch(const rest::Config& config) {
    client_ = rest::Client::create(config).value();
    informer::InformerOptions options;
    options.resource = kMountedPods;
    options.executor = client_->executor();
    options.handlers = client_->handlers();
    options.backoff = {.initial = std::chrono::milliseconds(5), .cap = std::chrono::milliseconds(20)};
    pods_ = informer::SharedIndexInformer::create(
        informer::make_client_lister_watcher(*client_, kMountedPods, {.namespace_ = config.default_namespace}),
        std::move(options));
    pods_->start();
  }
  bool sees(const std::string& pod) const {
    return testkit::eventually([&] { return static_cast<bool>(pods_->indexer()->find("shop/" + pod)); });
  }
  std::string trouble() const {
    const auto status = pods_->status();
    return status.reflector.last_error ? status.reflector.last_error->message() : std::string();
  }
  bool complains_of(const std::string& text) const {
    return testkit::eventually([&] { return trouble().find(text) != std::string::npos; });
  }
  void seed(const std::string& pod) { ASSERT_TRUE(server_->seed(testkit::make_pod("shop/" + pod))); }

  std::string folder_;
  std::unique_ptr<apiserver::Server> server_;
  std::optional<rest::Client> client_;
  std::shared_ptr<informer::SharedIndexInformer> pods_;
};

TEST_F(InClusterProgramTest, ARotatedTokenIsTakenUpWhileItWatches) {
  const auto first = random_token();
  const auto second = random_token();
  serve(first);
  const auto ca = server_->ca_pem();
  write("token", first);
  write("ca.crt", ca);
  watch(config());
  seed("a");
  ASSERT_TRUE(sees("a"));

  serve(second);  // and the first one is refused from now on
  write("ca.crt", server_->ca_pem());
  seed("b");
  EXPECT_TRUE(complains_of("the token of " + folder_ + "/token was refused")) << trouble();
  write("token", second);
  EXPECT_TRUE(sees("b")) << trouble();
}

TEST_F(InClusterProgramTest, ARotatedAuthorityIsTakenUpWhileItWatches) {
  const auto token = random_token();
  serve(token);
  write("token", token);
  write("ca.crt", server_->ca_pem());
  watch(config());
  seed("a");
  ASSERT_TRUE(sees("a"));

  serve(token);  // its certificate is of another authority
  seed("b");
  EXPECT_TRUE(complains_of("certificate")) << trouble();
  EXPECT_FALSE(pods_->indexer()->find("shop/b")) << "a server that cannot be verified is not believed";
  write("ca.crt", server_->ca_pem());
  EXPECT_TRUE(sees("b")) << trouble();
}

TEST_F(InClusterProgramTest, WhereFilesAreGoneWhatTheySaidLastCountsUntilTheyAreBack) {
  const auto first = random_token();
  const auto second = random_token();
  serve(first);
  write("token", first);
  write("ca.crt", server_->ca_pem());
  watch(config());
  seed("a");
  ASSERT_TRUE(sees("a"));

  take_away("token");
  take_away("ca.crt");
  server_->drop_connections();
  seed("b");
  EXPECT_TRUE(sees("b")) << trouble();

  serve(second);
  write("ca.crt", server_->ca_pem());
  EXPECT_TRUE(complains_of("and no other is there (" + folder_ + "/token: no such file")) << trouble();
  write("token", second);
  seed("c");
  EXPECT_TRUE(sees("c")) << trouble();
}

TEST_F(InClusterProgramTest, TheServiceMayHaveAnAddressOfIpv6) {
  const auto token = random_token();
  try {
    serve(token, "::1");
  } catch (const Exception& e) {
    GTEST_SKIP() << "no IPv6 on this machine's loopback: " << e.what();
  }
  write("token", token);
  write("ca.crt", server_->ca_pem());
  watch(config("::1"));
  seed("a");
  EXPECT_TRUE(sees("a")) << trouble();
}

}  // namespace
}  // namespace kubexx
