#include "c/c_server.hpp"
#include "c/reading.h"
#include "c/round.h"
#include "c/wrapper.hpp"
#include "kubexx/meta/json.hpp"
#include "log_streams/log_lines_seen.hpp"

namespace kubexx::c_test {
namespace {

TEST_F(CTest, AProgramInC11GoesThroughTheInterface) {
  const char* const failed = kubexx_c_round(server_.kubeconfig().c_str());

  EXPECT_EQ(failed, nullptr) << failed;
}

TEST_F(CTest, TheLinesOfThePageReadAPodFromTheCache) {
  ASSERT_TRUE(server_.seed(
      meta::object_from_json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default"},)"
                             R"("spec":{"nodeName":"worker-1","containers":[{"name":"main","image":"i"}]}})")));
  Options options;
  options.set(KUBEXX_OPTION_KUBECONFIG_TEXT, server_.kubeconfig());
  char node[64] = "";

  EXPECT_EQ(kubexx_c_reading(options, node, sizeof node), 0);

  EXPECT_STREQ(node, "worker-1");
}

TEST_F(CTest, AProgramInCpp17GoesThroughTheWrapper) {
  ASSERT_TRUE(server_.seed(log_streams::log_pod("default/talker", {"web"}, "cpp17")));
  ASSERT_TRUE(server_.core().append_log({"default", "talker", "web"}, "hello"));
  const auto refused = server_.core().add_fault({.resource = "pods", .times = 1, .status = 500, .subresource = "log"});

  EXPECT_EQ(kubexx_cpp17_round(server_.kubeconfig()), "");
}

}  // namespace
}  // namespace kubexx::c_test
