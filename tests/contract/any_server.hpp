#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "kubexx/transport/http_transport.hpp"

namespace kubexx::contract {

using testkit::eventually;

enum class ServerKind : std::uint8_t {
  Embedded,
  Cluster,  ///< the one that $KUBECONFIG_UNDER_TEST leads to; without the variable the test is skipped
};

inline const auto kAnyServer = ::testing::Values(ServerKind::Embedded, ServerKind::Cluster);
/// "embedded" or "cluster": the end of a test's name, by which ctest tells them apart.
std::string server_name(const ::testing::TestParamInfo<ServerKind>& info);

inline const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

/// Sends through sockets and counts what is sent.
class CountingTransport final : public transport::Transport {
 public:
  explicit CountingTransport(std::shared_ptr<transport::Transport> next) : next_(std::move(next)) {}
  std::unique_ptr<transport::Exchange> send(transport::Request request,
                                            std::shared_ptr<transport::ResponseSink> sink) override {
    ++(request.url.find("watch=") == std::string::npos ? others_ : watches_);
    return next_->send(std::move(request), std::move(sink));
  }
  int watches() const { return watches_; }
  int others() const { return others_; }

 private:
  std::shared_ptr<transport::Transport> next_;
  std::atomic<int> watches_{0};
  std::atomic<int> others_{0};
};

transport::TransportOptions transport_options(const rest::Config& config);

/// Tests of the contract between this library and an API server, whichever it is. Each test has a namespace of its own,
/// writes through a client of its own, and leaves nothing behind.
class AnyServerTest : public ::testing::TestWithParam<ServerKind> {
 protected:
  AnyServerTest();
  ~AnyServerTest() override;
  void SetUp() override;
  void TearDown() override;

  bool is_embedded() const { return GetParam() == ServerKind::Embedded; }
  const rest::Config& config() const { return config_; }
  /// Of the test itself: never through a proxy, never through what is tested.
  const rest::Client& client() const { return *client_; }
  const std::string& namespace_() const { return namespace_name_; }
  int minor_version() const { return minor_version_; }
  /// The server can begin a watch with the state (sendInitialEvents; from Kubernetes 1.32 on by default).
  bool has_watch_list() const { return minor_version_ >= 32; }
  /// Whether the server has a subresource such as "log" of pods; one that was put together for tests may have few.
  bool has_subresource(const meta::GroupVersionResource& resource, std::string_view name) const;

  std::string key(std::string_view name) const { return namespace_name_ + "/" + std::string(name); }
  std::string add(std::string_view name) const { return "add " + key(name); }
  std::string update(std::string_view name) const { return "update " + key(name); }
  std::string gone(std::string_view name) const { return "delete " + key(name); }

  client::ResourceApi api(const meta::GroupVersionResource& resource) const;
  /// Creates or updates a ConfigMap; data.v is the value.
  meta::Object put(std::string_view name, std::string_view value = "") const;
  void remove(std::string_view name) const;
  /// key=version of every ConfigMap of the test, in order.
  std::vector<std::string> on_server() const;
  static std::vector<std::string> in_cache(const informer::Informer<meta::Object>& informer);

  /// Forgets the history: watches and continue tokens of earlier versions are answered 410. False where it cannot be
  /// done (no $ETCD_UNDER_TEST).
  bool compact_history() const;

  /// A factory on the namespace of the test; the client may lead through a proxy.
  std::unique_ptr<informer::DynamicSharedInformerFactory> make_factory(
      rest::Client client, informer::FactoryOptions options = {},
      Backoff backoff = {.initial = std::chrono::milliseconds(10), .cap = std::chrono::milliseconds(200)}) const;
  static void start_and_sync(informer::SharedInformerFactory& factory);

 private:
  std::unique_ptr<apiserver::Server> embedded_;
  rest::Config config_;
  std::optional<rest::Client> client_;
  std::string namespace_name_;
  int minor_version_ = 0;
};

}  // namespace kubexx::contract
