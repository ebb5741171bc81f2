#include <gtest/gtest.h>

#include "guide/guide_server.hpp"
#include "kubexx/client/api.hpp"

namespace kubexx::guide {
namespace {

using KeptOutageTest = GuideTest;

TEST_F(KeptOutageTest, AFaultLastsAsLongAsItsOutageIsKept) {
  seed_pod("web-1", "worker-1", "web");
  const client::Api<Pod> pods(client, "default");

  // [begin fault]
  {
    const auto fault = server.core().add_fault({.verb = "get", .resource = "pods", .status = 503});
    EXPECT_TRUE(pods.get("web-1").error().is_service_unavailable());
  }  // it is over
  EXPECT_TRUE(pods.get("web-1"));
  // [end fault]
}

}  // namespace
}  // namespace kubexx::guide
