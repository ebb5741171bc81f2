#include "kubexx/informer/client_lister_watcher.hpp"

#include <gtest/gtest.h>

namespace kubexx::informer {
namespace {

constexpr TimePoint kUntil{std::chrono::hours(5)};

class ClientListerWatcherTest : public ::testing::Test {
 protected:
  std::shared_ptr<reflector::ListerWatcher> source(const std::string& resource,
                                                   std::function<void(meta::ListOptions&)> tweak = {}) {
    ClientSourceOptions options;
    options.tweak = std::move(tweak);
    return make_client_lister_watcher(client_, {"", "v1", resource}, std::move(options));
  }
  bool refused(const std::string& resource, std::function<void(meta::ListOptions&)> tweak = {}) {
    return source(resource, std::move(tweak))->watch_list_refused_until() == kUntil;
  }
  static rest::Client make_client() {
    rest::Config config;
    config.host = "http://127.0.0.1:1";
    return rest::Client::create(config).value();
  }
  rest::Client client_ = make_client();
};

// A field selector that the server does not know is answered with 400: that says nothing about the others' WatchLists.
TEST_F(ClientListerWatcherTest, RefusalsOfASelectorAreNotThoseOfTheWholeResource) {
  const auto by_field = [](meta::ListOptions& o) { o.field_selector = "spec.color=red"; };
  const auto by_label = [](meta::ListOptions& o) { o.label_selector = "spec.color=red"; };

  source("pods", by_field)->refuse_watch_list_until(kUntil);
  EXPECT_TRUE(refused("pods", by_field));
  EXPECT_FALSE(refused("pods", by_label));
  EXPECT_FALSE(refused("pods"));

  source("pods")->refuse_watch_list_until(kUntil);
  EXPECT_TRUE(refused("pods", [](meta::ListOptions& o) { o.timeout_seconds = 7; }));
  EXPECT_FALSE(refused("pods", by_label));
  EXPECT_FALSE(refused("nodes"));
}

TEST_F(ClientListerWatcherTest, RefusalsAreThoseOfOneClientAndItsCopies) {
  source("pods")->refuse_watch_list_until(kUntil);
  EXPECT_EQ(make_client_lister_watcher(rest::Client(client_), {"", "v1", "pods"})->watch_list_refused_until(), kUntil);
  EXPECT_EQ(make_client_lister_watcher(make_client(), {"", "v1", "pods"})->watch_list_refused_until(), std::nullopt);
}

TEST_F(ClientListerWatcherTest, OfManyRefusalsTheOneThatEndsFirstIsForgotten) {
  for (int i = 0; i <= 4096; ++i) {
    client_.refuse_watch_list_until(std::to_string(i), kUntil + std::chrono::seconds(i == 7 ? 0 : i + 1));
  }
  EXPECT_EQ(client_.watch_list_refused_until("7"), std::nullopt);
  EXPECT_TRUE(client_.watch_list_refused_until("0"));
  EXPECT_TRUE(client_.watch_list_refused_until("4096"));
}

}  // namespace
}  // namespace kubexx::informer
