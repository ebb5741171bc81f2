#include "support/thread_shortage.hpp"

#include <gtest/gtest.h>

#include "kubexx/rest/client.hpp"

namespace kubexx::rest {
namespace {

TEST(ThreadShortageTest, AClientThatGetsTooFewThreadsIsAnErrorAndLeavesNone) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  Config config;
  config.host = "https://127.0.0.1:1";
  int threads = 0;
  for (bool made = false; !made && threads < 20; ++threads) {
    const test::ThreadShortage shortage(threads);
    const auto client = Client::create(config);
    made = client.has_value();
    EXPECT_TRUE(made || client.error().message().find("cannot be started") != std::string::npos);
  }
  EXPECT_EQ(threads, 3);  // made with two
}

}  // namespace
}  // namespace kubexx::rest
