#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"

namespace kubexx::meta {
namespace {

constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"1",)"
    R"("labels":{"x":"y"},"managedFields":[{"fieldsV1":{"f:x":{"\"":[1,{"}":2}]}}}]},)"
    R"("spec":{"nodeName":"n","containers":[{"name":"c","image":"i"},{"name":"d"}],"managedFields":1},"status":{"phase":"Running"}})";

Object decode(Projection projection) {
  DecodeOptions options;
  options.projection = std::move(projection);
  return parse_json(kPod, options).value();
}

TEST(ProjectionTest, FullKeepsEverything) {
  const Object pod = decode(Projection::full());
  EXPECT_EQ(to_json(pod), kPod);
  EXPECT_EQ(pod.completeness(), Completeness::Full);
}

TEST(ProjectionTest, TheDefaultDropsManagedFieldsOfTheMetadataOnly) {
  const Object pod = decode(Projection());
  EXPECT_FALSE(pod.at("/metadata/managedFields").exists());
  EXPECT_EQ(pod.at("/spec/managedFields").get_int(), 1);
  EXPECT_EQ(pod.at("/status/phase").string(), "Running");
  EXPECT_EQ(pod.completeness(), Completeness::WithoutManagedFields);
  EXPECT_EQ(pod.projection_name(), "");
  EXPECT_EQ(Projection(), Projection::without_managed_fields());
}

TEST(ProjectionTest, MetadataOnlyKeepsTypeAndMetadata) {
  const Object pod = decode(Projection::metadata_only());
  EXPECT_EQ(to_json(pod), R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"b","uid":"u",)"
                          R"("resourceVersion":"1","labels":{"x":"y"}}})");
  EXPECT_EQ(pod.completeness(), Completeness::MetadataOnly);
  EXPECT_EQ(pod.projection_name(), "metadata only");
}

TEST(ProjectionTest, PathsKeepWhatTheyNamePassThroughListsAndKeepTheIdentity) {
  const Object pod = decode(Projection::paths({"spec.containers.image", "status"}).value());
  EXPECT_EQ(to_json(pod),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"b","uid":"u",)"
            R"("resourceVersion":"1"},"spec":{"containers":[{"image":"i"},{}]},"status":{"phase":"Running"}})");
  EXPECT_EQ(pod.completeness(), Completeness::SelectedPaths);
  EXPECT_EQ(pod.projection_name(), "paths spec.containers.image, status");
}

TEST(ProjectionTest, AShorterPathContainsTheLongerOnes) {
  const Object pod = decode(Projection::paths({"spec.nodeName", "spec", "metadata"}).value());
  EXPECT_EQ(pod.at("/spec/containers/0/image").string(), "i");
  EXPECT_EQ(pod.at("/metadata/labels/x").string(), "y");
  EXPECT_FALSE(pod.at("/metadata/managedFields").exists());
  EXPECT_FALSE(pod["status"].exists());
  EXPECT_TRUE(decode(Projection::paths({"metadata.managedFields"}).value()).at("/metadata/managedFields").is_list());
}

TEST(ProjectionTest, BadPathsAreErrors) {
  for (const char* path : {"", ".", "a..b", ".a", "a.", "spec.containers[0]", "/spec", "a b"}) {
    EXPECT_FALSE(Projection::paths({path})) << path;
  }
}

TEST(ProjectionTest, DroppedFieldsAreNotAllocated) {
  const Object with = decode(Projection::full());
  const Object without = decode(Projection::without_managed_fields());
  DecodeOptions options;
  const Object never = parse_json(to_json(without), options).value();
  EXPECT_LT(without.byte_size(), with.byte_size());
  EXPECT_EQ(without.byte_size(), never.byte_size());
}

TEST(ProjectionTest, BracketsOfADroppedValueMustBalance) {
  EXPECT_FALSE(parse_json(R"({"metadata":{"managedFields":[}})", {.projection = Projection()}));
  EXPECT_FALSE(parse_json(R"({"metadata":{"managedFields":}})", {.projection = Projection()}));
  EXPECT_FALSE(parse_json(R"({"metadata":{"managedFields":[1]]}})", {.projection = Projection()}));
}

}  // namespace
}  // namespace kubexx::meta
