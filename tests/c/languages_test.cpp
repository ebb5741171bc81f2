#include "c/c_server.hpp"
#include "c/round.h"
#include "c/wrapper.hpp"

namespace kubexx::c_test {
namespace {

TEST_F(CTest, AProgramInC11GoesThroughTheInterface) {
  const char* const failed = kubexx_c_round(server_.kubeconfig().c_str());

  EXPECT_EQ(failed, nullptr) << failed;
}

TEST_F(CTest, AProgramInCpp17GoesThroughTheWrapper) {
  EXPECT_EQ(kubexx_cpp17_round(server_.kubeconfig()), "");
}

}  // namespace
}  // namespace kubexx::c_test
