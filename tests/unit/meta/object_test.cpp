#include "kubexx/meta/object.hpp"

#include <gtest/gtest.h>

#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::meta {
namespace {

TEST(ObjectTest, ANullHandleAnswersAsAnEmptyObject) {
  const Object null;
  EXPECT_FALSE(null);
  EXPECT_FALSE(null.root().exists());
  EXPECT_EQ(null.name(), "");
  EXPECT_EQ(null.namespace_(), "");
  EXPECT_EQ(null.api_version(), "");
  EXPECT_EQ(null.generation(), 0);
  EXPECT_TRUE(null.labels().empty());
  EXPECT_TRUE(null.finalizers().empty());
  EXPECT_FALSE(null.has_metadata());
  EXPECT_EQ(null.byte_size(), 0U);
  EXPECT_EQ(null.raw_bytes(), "");
  EXPECT_EQ(null.completeness(), Completeness::Full);
  EXPECT_EQ(null, Object());
  EXPECT_FALSE(null.edit().changed());
}

TEST(ObjectTest, MetadataIsReadWithoutSearchingTheRest) {
  const Object pod = object_from_json(R"({
    "apiVersion": "apps/v1", "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "prod", "uid": "u-1", "resourceVersion": "42", "generation": 3,
      "generateName": "web-", "creationTimestamp": "2024-01-01T00:00:00Z", "deletionTimestamp": "2024-01-02T00:00:00Z",
      "labels": {"app": "web", "tier": "front"}, "annotations": {"note": "x"},
      "ownerReferences": [{"name": "owner"}], "finalizers": ["a/b"]}})");
  EXPECT_EQ(pod.api_version(), "apps/v1");
  EXPECT_EQ(pod.kind(), "Deployment");
  EXPECT_EQ(pod.name(), "web");
  EXPECT_EQ(pod.namespace_(), "prod");
  EXPECT_EQ(pod.uid(), "u-1");
  EXPECT_EQ(pod.resource_version(), "42");
  EXPECT_EQ(pod.generation(), 3);
  EXPECT_EQ(pod.generate_name(), "web-");
  EXPECT_EQ(pod.creation_timestamp(), "2024-01-01T00:00:00Z");
  EXPECT_EQ(pod.deletion_timestamp(), "2024-01-02T00:00:00Z");
  EXPECT_EQ(pod.labels()["app"].string(), "web");
  EXPECT_TRUE(pod.labels().contains("tier"));
  EXPECT_EQ(pod.annotations()["note"].string(), "x");
  EXPECT_EQ(pod.owner_references()[0]["name"].string(), "owner");
  EXPECT_EQ(pod.finalizers()[0].string(), "a/b");
  EXPECT_EQ(pod.gvk().group, "apps");
  EXPECT_EQ(pod.gvk().version, "v1");
}

TEST(ObjectTest, MetadataOfTheWrongTypeReadsAsEmpty) {
  const Object odd = object_from_json(R"({"metadata":"text","kind":5})");
  EXPECT_FALSE(odd.has_metadata());
  EXPECT_EQ(odd.name(), "");
  EXPECT_EQ(odd.kind(), "");
  EXPECT_TRUE(odd.labels().empty());
}

TEST(ObjectTest, CopiesShareTheDocumentAndOutliveEachOther) {
  Object first = object_from_json(R"({"metadata":{"name":"a"}})");
  const Object second = first;
  EXPECT_TRUE(second.same_document(first));
  first = Object();
  EXPECT_EQ(second.name(), "a");
}

TEST(ObjectTest, RawBytesDoNotChangeWhenHandlesComeAndGo) {
  const Object object = object_from_json(R"({"metadata":{"name":"a"}})");
  const std::string before(object.raw_bytes());
  const Object other = object;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(before, object.raw_bytes());
  EXPECT_EQ(object.raw_bytes(), other.raw_bytes());
}

TEST(ObjectTest, EqualStringsAreStoredOnce) {
  const std::string text(1000, 'x');
  const Object once = object_from_json("[\"" + text + "\"]");
  const Object twice = object_from_json("[\"" + text + "\",\"" + text + "\"]");
  EXPECT_EQ(twice.byte_size(), once.byte_size() + 4);
}

TEST(DiffTest, PathsNameEveryPlaceThatDiffers) {
  const Object before = object_from_json(R"({"a":1,"b":{"c":[1,2,3],"d":"x"},"gone":true,"same":{"z":1}})");
  const Object after = object_from_json(R"({"a":1,"b":{"c":[1,5],"d":{"e":1}},"same":{"z":1},"new/key":null})");

  const auto paths = diff_paths(before.root(), after.root());

  EXPECT_EQ(paths, (std::vector<std::string>{"/b/c/1", "/b/c/2", "/b/d", "/gone", "/new~1key"}));
  EXPECT_TRUE(diff_paths(before.root(), before.root()).empty());
  EXPECT_EQ(diff_paths(before.root(), after.root(), 2).size(), 2U);
  EXPECT_EQ(diff_paths(Value(), after.root()), (std::vector<std::string>{""}));
}

}  // namespace
}  // namespace kubexx::meta
