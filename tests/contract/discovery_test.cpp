#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contract/any_server.hpp"
#include "kubexx/client/resource_mapper.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::client {
namespace {

class DiscoveryTest : public contract::AnyServerTest {};
INSTANTIATE_TEST_SUITE_P(AnyServer, DiscoveryTest, contract::kAnyServer, contract::server_name);

TEST_P(DiscoveryTest, EverythingTheServerOffersIsFoundWithoutFailures) {
  const auto found = discover(client());

  ASSERT_TRUE(found) << found.error();
  EXPECT_TRUE(found->failures.empty());
  EXPECT_GT(found->resources.size(), 50U);
  const auto pods = std::find_if(found->resources.begin(), found->resources.end(),
                                 [](const ApiResource& r) { return r.resource.resource == "pods"; });
  ASSERT_NE(pods, found->resources.end());
  EXPECT_EQ(pods->kind, "Pod");
  EXPECT_TRUE(pods->namespaced);
  EXPECT_TRUE(pods->can("watch"));
  EXPECT_THAT(pods->short_names, ::testing::ElementsAre("po"));
  EXPECT_THAT(pods->subresources, ::testing::Contains("status"));
  for (const auto* name : {"log", "eviction"}) {
    const bool found_it =
        std::find(pods->subresources.begin(), pods->subresources.end(), name) != pods->subresources.end();
    EXPECT_EQ(found_it, has_subresource(pods->resource, name)) << name;
    EXPECT_TRUE(found_it || !is_embedded()) << name;
  }
}

TEST_P(DiscoveryTest, TheAggregatedFormTakesTwoRequests) {
  if (minor_version() < 30) GTEST_SKIP() << "aggregated discovery: a part of every server from Kubernetes 1.30 on";
  const auto transport = std::make_shared<contract::CountingTransport>(
      transport::HttpTransport::create(contract::transport_options(config())).value());
  rest::ClientOptions options;
  options.transport = transport;

  const auto found = discover(rest::Client::create(config(), options).value());

  ASSERT_TRUE(found) << found.error();
  EXPECT_TRUE(found->failures.empty());
  EXPECT_GT(found->resources.size(), 50U);
  EXPECT_EQ(transport->others(), 2);
}

TEST_P(DiscoveryTest, WhatPeopleTypeLeadsToTheSameResource) {
  ResourceMapper mapper(client());
  for (const auto* text : {"po", "pod", "pods", "Pod", "PODS"}) {
    const auto found = mapper.get(std::string_view(text));
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->resource, (meta::GroupVersionResource{"", "v1", "pods"}));
  }
  for (const auto* text : {"deploy", "deployments.apps", "deploy.v1.apps", "Deployment"}) {
    const auto found = mapper.get(std::string_view(text));
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->resource, (meta::GroupVersionResource{"apps", "v1", "deployments"}));
  }
}

TEST_P(DiscoveryTest, AnUnknownNameIsAnsweredWithWhatIsSpelledAlike) {
  ResourceMapper mapper(client());

  const auto found = mapper.get("podz");

  ASSERT_FALSE(found);
  EXPECT_TRUE(found.error().is_not_found()) << found.error();
  EXPECT_THAT(found.error().message(), ::testing::HasSubstr("did you mean pods?"));
}

TEST_P(DiscoveryTest, ANewCustomResourceIsFoundAfterAMiss) {
  const auto group = namespace_() + ".example.com";
  const auto name = "foos." + group;
  ResourceMapper mapper(client());
  ASSERT_TRUE(mapper.get("pods"));
  ASSERT_FALSE(mapper.get(name));
  const ResourceApi definitions(client(), {"apiextensions.k8s.io", "v1", "customresourcedefinitions"});
  const auto created = definitions.create(
      meta::parse_json(
          R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":")" + name +
          R"("},"spec":{"group":")" + group +
          R"(","scope":"Namespaced","names":{"plural":"foos","singular":"foo","kind":"Foo"},
          "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})")
          .value());
  ASSERT_TRUE(created) << created.error();

  EXPECT_TRUE(testkit::eventually([&] { return mapper.get("Foo." + group).has_value(); }));
  const auto found = mapper.get(name);

  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->resource, (meta::GroupVersionResource{group, "v1", "foos"}));
  EXPECT_TRUE(definitions.remove(name));
}

TEST_P(DiscoveryTest, TheServerTellsItsVersion) {
  const auto version = server_version(client());

  ASSERT_TRUE(version) << version.error();
  EXPECT_EQ(version->major, "1");
}

}  // namespace
}  // namespace kubexx::client
