#include "kubexx/informer/client_lister_watcher.hpp"

#include <gtest/gtest.h>

namespace kubexx::informer {
namespace {

std::string identity(const std::string& resource, std::function<void(meta::ListOptions&)> tweak) {
  rest::Config config;
  config.host = "http://127.0.0.1:1";
  ClientSourceOptions options;
  options.tweak = std::move(tweak);
  return make_client_lister_watcher(rest::Client(config), {"", "v1", resource}, std::move(options))->identity();
}

// A field selector that the server does not know is answered with 400: that says nothing about the others' WatchLists.
TEST(ClientListerWatcherTest, RefusalsOfASelectorAreNotThoseOfTheWholeResource) {
  const auto plain = identity("pods", {});
  const auto by_field = identity("pods", [](meta::ListOptions& o) { o.field_selector = "spec.color=red"; });
  const auto by_label = identity("pods", [](meta::ListOptions& o) { o.label_selector = "spec.color=red"; });

  EXPECT_EQ(plain, identity("pods", [](meta::ListOptions& o) { o.timeout_seconds = 7; }));
  EXPECT_NE(plain, by_field);
  EXPECT_NE(plain, by_label);
  EXPECT_NE(by_label, by_field);
  EXPECT_NE(plain, identity("nodes", {}));
}

}  // namespace
}  // namespace kubexx::informer
