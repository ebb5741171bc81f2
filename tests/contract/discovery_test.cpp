#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/client/resource_mapper.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testing/client.hpp"

namespace kubexx::client {
namespace {

class DiscoveryContractTest : public ::testing::Test {
 protected:
  apiserver::Server server_;
  rest::Client client_ = testing::client(server_);
};

TEST_F(DiscoveryContractTest, TheAggregatedFormTakesTwoRequests) {
  const auto found = discover(client_);

  ASSERT_TRUE(found) << found.error();
  EXPECT_TRUE(found->failures.empty());
  EXPECT_GT(found->resources.size(), 50U);
  EXPECT_EQ(server_.requests().size(), 2U);
}

TEST_F(DiscoveryContractTest, WhatPeopleTypeLeadsToTheSameResource) {
  ResourceMapper mapper(client_);
  for (const auto* text : {"po", "pod", "pods", "Pod", "PODS"}) {
    const auto found = mapper.find(std::string_view(text));
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->resource, (meta::GroupVersionResource{"", "v1", "pods"}));
  }
  for (const auto* text : {"deploy", "deployments.apps", "deploy.v1.apps", "Deployment"}) {
    const auto found = mapper.find(std::string_view(text));
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->resource, (meta::GroupVersionResource{"apps", "v1", "deployments"}));
  }
}

TEST_F(DiscoveryContractTest, AnUnknownNameIsAnsweredWithWhatIsSpelledAlike) {
  ResourceMapper mapper(client_);

  const auto found = mapper.find("podz");

  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message(), ::testing::HasSubstr("did you mean pods?"));
}

TEST_F(DiscoveryContractTest, ANewCustomResourceIsFoundAfterAMiss) {
  ResourceMapper mapper(client_);
  ASSERT_TRUE(mapper.find("pods"));
  ASSERT_FALSE(mapper.find("foos"));
  rest::Request create;
  create.method = "POST";
  create.path.resource = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
  create.body =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},
          "spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"foos","singular":"foo","kind":"Foo"},
          "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
  const auto created = client_.send(create);
  ASSERT_TRUE(created) << created.error();

  const auto found = mapper.find("Foo");

  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->resource, (meta::GroupVersionResource{"example.com", "v1", "foos"}));
}

TEST_F(DiscoveryContractTest, TheServerTellsItsVersion) {
  const auto version = server_version(client_);

  ASSERT_TRUE(version) << version.error();
  EXPECT_EQ(version->major, "1");
}

}  // namespace
}  // namespace kubexx::client
