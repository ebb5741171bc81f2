// Between a program and the shared libraries: types are the same on both sides.
#include <gtest/gtest.h>

#include <typeinfo>

#include "kubexx/apiserver/server.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx {
namespace {

TEST(SharedLibraryTest, AnExceptionThatTheLibraryThrowsIsCaughtByItsType) {
  const Result<int> failed = Error::timeout("too late");

  try {
    failed.value();
    FAIL() << "no exception";
  } catch (const Exception& caught) {
    EXPECT_TRUE(caught.error().is_timeout());
    EXPECT_EQ(typeid(caught), typeid(Exception));
  }
}

TEST(SharedLibraryTest, AnExceptionThatTheProgramThrowsIsCaughtByItsTypeInTheLibrary) {
  try {
    throw Exception(Error::api(404, "NotFound", "gone"));
  } catch (...) {
    EXPECT_TRUE(current_exception_as_error().is_not_found());
  }
}

TEST(SharedLibraryTest, BothLibrariesAndTheProgramShareOneClass) {
  apiserver::Server server({.tls = false});                 // of the one library, which is made of the other
  const rest::Client client = testkit::client(server, {});  // of the other

  EXPECT_NE(dynamic_cast<const ElasticExecutor*>(client.handlers().get()), nullptr);
  EXPECT_TRUE(client::ResourceApi(client, {"", "v1", "pods"}, "default").get("x").error().is_not_found());
}

}  // namespace
}  // namespace kubexx
