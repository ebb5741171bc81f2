#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "kubexx/api/core/v1.hpp"
#include "kubexx/apiserver/server.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/rest/client.hpp"
#include "kubexx/testkit/client.hpp"

namespace kubexx::guide {

using api::core::v1::ConfigMap;
using api::core::v1::Pod;
using namespace std::chrono_literals;

/// What a program does with an Error that it cannot heal.
inline void complain(const Error& error) {
  ADD_FAILURE() << error.message();
}

/// A server with what the pages speak of, and a client of it.
class GuideTest : public ::testing::Test {
 protected:
  void seed_pod(const std::string& name, const std::string& node, const std::string& app,
                const std::string& phase = "Running") {
    const auto pod = meta::object_from_json(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
        R"(","namespace":"default","labels":{"app":")" + app + R"("}},"spec":{"nodeName":")" + node +
        R"(","containers":[{"name":"main","image":"i"}]},"status":{"phase":")" + phase + R"("}})");
    ASSERT_TRUE(server.seed(pod));
  }

  apiserver::Server server;
  const rest::Client client = testkit::client(server);
};

}  // namespace kubexx::guide
