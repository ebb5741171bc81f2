#include "support/thread_shortage.hpp"

#include <gtest/gtest.h>

#include "kubexx/apiserver/server.hpp"

namespace kubexx::apiserver {
namespace {

TEST(ThreadShortageTest, AServerThatGetsTooFewThreadsIsAnErrorAndLeavesNone) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  int threads = 0;
  for (bool started = false; !started && threads < 20; ++threads) {
    const test::ThreadShortage shortage(threads);
    started = Server::start({}).has_value();
  }
  EXPECT_GT(threads, 2);
  EXPECT_LT(threads, 20);
}

}  // namespace
}  // namespace kubexx::apiserver
