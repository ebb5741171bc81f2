#include "kubexx/client/resource_mapper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/client/fake_client.hpp"

namespace kubexx::client {
namespace {

using testing::HasSubstr;

/// The older form of discovery: pods, a group that works and one whose server is down.
void serve_discovery(rest::FakeTransport& transport) {
  transport.answer(200, R"({"kind":"APIVersions","versions":["v1"]})");
  transport.answer(200, R"({"kind":"APIResourceList","groupVersion":"v1","resources":[
    {"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get","list"],"shortNames":["po"]}]})");
  transport.answer(200, R"({"kind":"APIGroupList","groups":[{"name":"down.example.com",
    "versions":[{"groupVersion":"down.example.com/v1","version":"v1"}],
    "preferredVersion":{"groupVersion":"down.example.com/v1","version":"v1"}}]})");
  transport.answer(503, "the server is down");
}

TEST(ResourceMapperTest, WhatIsRememberedIsNotAskedAgain) {
  FakeClient fake;
  serve_discovery(*fake.transport);
  ResourceMapper mapper(fake.client);

  EXPECT_EQ(mapper.get("po")->kind, "Pod");
  EXPECT_EQ(mapper.get(meta::GroupVersionKind{"", "v1", "Pod"})->resource.resource, "pods");
  EXPECT_EQ(mapper.get(meta::GroupVersionResource{"", "v1", "pods"})->kind, "Pod");
  EXPECT_EQ(mapper.all()->size(), 1U);
  EXPECT_EQ(fake.transport->requests.size(), 4U);
}

TEST(ResourceMapperTest, AMissIsAskedOnceMoreAndNamesWhatCouldNotBeRead) {
  FakeClient fake;
  serve_discovery(*fake.transport);
  ResourceMapper mapper(fake.client);
  ASSERT_TRUE(mapper.get("pods"));
  serve_discovery(*fake.transport);

  const auto missing = mapper.get("widgets");

  ASSERT_FALSE(missing);
  EXPECT_FALSE(missing.error().is_not_found()) << "it may be in what could not be read";
  EXPECT_THAT(missing.error().message(), HasSubstr("doesn't have a resource type \"widgets\""));
  EXPECT_THAT(missing.error().message(), HasSubstr("down.example.com/v1 could not be read"));
  EXPECT_EQ(fake.transport->requests.size(), 8U);
}

TEST(ResourceMapperTest, OfSeveralVersionsThePreferredOneIsFoundUnlessAnotherIsNamed) {
  FakeClient fake;
  fake.transport->answer(200, R"({"kind":"APIVersions","versions":[]})");
  fake.transport->answer(200, R"({"kind":"APIGroupList","groups":[{"name":"example.com",
    "versions":[{"groupVersion":"example.com/v2beta1","version":"v2beta1"},
                {"groupVersion":"example.com/v1","version":"v1"}],
    "preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}}]})");
  for (int version = 0; version < 2; ++version) {
    fake.transport->answer(200, R"({"kind":"APIResourceList","resources":[
      {"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["get"]}]})");
  }
  ResourceMapper mapper(fake.client);

  EXPECT_EQ(mapper.get("widgets")->resource.version, "v1");
  EXPECT_EQ(mapper.get("widgets.v2beta1.example.com")->resource.version, "v2beta1");
}

TEST(ResourceMapperTest, AServerThatDoesNotAnswerIsTheError) {
  FakeClient fake;
  fake.transport->answer(500, "broken");
  ResourceMapper mapper(fake.client);

  EXPECT_TRUE(mapper.get("pods").error().is_internal());
}

}  // namespace
}  // namespace kubexx::client
