#include "kubexx/meta/gvk.hpp"

#include <gtest/gtest.h>

namespace kubexx::meta {
namespace {

TEST(GroupVersionTest, ParsesTheCoreGroupAndNamedGroups) {
  EXPECT_EQ(GroupVersion::parse("v1").value(), (GroupVersion{"", "v1"}));
  EXPECT_EQ(GroupVersion::parse("apps/v1").value(), (GroupVersion{"apps", "v1"}));
  EXPECT_EQ(GroupVersion::parse("").value(), (GroupVersion{"", ""}));
}

TEST(GroupVersionTest, RefusesASecondSlash) {
  const auto parsed = GroupVersion::parse("a/b/c");

  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().message().find("a/b/c"), std::string::npos);
}

TEST(GroupVersionTest, PrintsWhatItParsed) {
  for (const std::string text : {"v1", "apps/v1", "batch/v1beta1"}) {
    EXPECT_EQ(GroupVersion::parse(text).value().to_string(), text);
  }
}

TEST(GroupKindTest, CutsAtTheFirstDot) {
  EXPECT_EQ(GroupKind::parse("Foo.samplecontroller.k8s.io"), (GroupKind{"samplecontroller.k8s.io", "Foo"}));
  EXPECT_EQ(GroupKind::parse("Pod"), (GroupKind{"", "Pod"}));
  EXPECT_EQ((GroupKind{"apps", "Deployment"}).to_string(), "Deployment.apps");
  EXPECT_EQ((GroupKind{"", "Pod"}).to_string(), "Pod");
}

TEST(GroupResourceTest, CutsAtTheFirstDot) {
  EXPECT_EQ(GroupResource::parse("foos.a.b"), (GroupResource{"a.b", "foos"}));
  EXPECT_EQ((GroupResource{"apps", "deployments"}).to_string(), "deployments.apps");
  EXPECT_EQ((GroupResource{"", "pods"}).to_string(), "pods");
}

TEST(GroupVersionKindTest, ParsesApiVersionAndKind) {
  const auto gvk = GroupVersionKind::parse("apps/v1", "Deployment").value();

  EXPECT_EQ(gvk, (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(gvk.api_version(), "apps/v1");
  EXPECT_EQ(gvk.to_string(), "apps/v1, Kind=Deployment");
  EXPECT_FALSE(GroupVersionKind::parse("a/b/c", "X"));
}

TEST(GroupVersionResourceTest, PrintsAsGoDoes) {
  EXPECT_EQ((GroupVersionResource{"apps", "v1", "deployments"}).to_string(), "apps/v1, Resource=deployments");
  EXPECT_EQ((GroupVersionResource{"", "v1", "pods"}).to_string(), "/v1, Resource=pods");
  EXPECT_EQ((GroupVersionResource{"", "v1", "pods"}).api_version(), "v1");
}

}  // namespace
}  // namespace kubexx::meta
