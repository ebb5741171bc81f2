#include "kubexx/base/error.hpp"

#include <gtest/gtest.h>

namespace kubexx {
namespace {

TEST(ErrorTest, ContextStandsBeforeTheMessage) {
  const Error error = Error::transport(TransportFailure::Refused, "connection refused").with_context("list pods");

  EXPECT_EQ(error.message(), "list pods: connection refused");
  EXPECT_TRUE(error.is_connection_refused());
}

}  // namespace
}  // namespace kubexx
