#include "support/thread_shortage.hpp"

#include <gtest/gtest.h>

#include "kubexx/httpd/server.hpp"

namespace kubexx::httpd {
namespace {

TEST(ThreadShortageTest, AServerWithoutAnyThreadIsAnError) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  const test::ThreadShortage shortage;

  EXPECT_FALSE(Server::start({}, [](Request, Responder) {}));
}

TEST(ThreadShortageTest, AServerWithFewerThreadsServesAndStops) {
  KUBEXX_NEEDS_THREAD_SHORTAGE();
  ServerOptions options;
  options.threads = 3;
  const test::ThreadShortage shortage(1);

  auto server = Server::start(options, [](Request, Responder) {});

  ASSERT_TRUE(server);
  EXPECT_GT((*server)->port(), 0);
}

}  // namespace
}  // namespace kubexx::httpd
