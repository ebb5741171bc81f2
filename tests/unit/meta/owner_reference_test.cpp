#include "kubexx/meta/owner_reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/meta/json.hpp"

namespace kubexx::meta {
namespace {

using testing::HasSubstr;

Object owner(const std::string& name = "parent", const std::string& api_version = "apps/v1") {
  return object_from_json(R"({"apiVersion":")" + api_version +
                          R"(","kind":"ReplicaSet","metadata":{"namespace":"n","name":")" + name + R"(","uid":"u-)" +
                          name + R"("}})");
}

Draft child() {
  return object_from_json(R"({"metadata":{"namespace":"n","name":"child"}})").edit();
}

TEST(OwnerReferenceTest, TheControllerIsTheReferenceThatSaysSo) {
  const auto object = object_from_json(
      R"({"metadata":{"ownerReferences":[{"name":"a","uid":"1"},{"name":"b","uid":"2","controller":true}]}})");

  EXPECT_EQ(controller_of(object)["name"].string(), "b");
  EXPECT_TRUE(is_controlled_by(object, object_from_json(R"({"metadata":{"uid":"2"}})")));
  EXPECT_FALSE(is_controlled_by(object, object_from_json(R"({"metadata":{"uid":"1"}})")));
  EXPECT_FALSE(controller_of(Object()).exists());
  EXPECT_FALSE(is_controlled_by(Object(), Object()));
}

TEST(OwnerReferenceTest, SettingAControllerWritesTheWholeReference) {
  auto draft = child();

  ASSERT_TRUE(set_controller_reference(owner(), draft));

  EXPECT_EQ(to_json(draft.to_object()["metadata"]["ownerReferences"]),
            R"([{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"parent","uid":"u-parent","controller":true,)"
            R"("blockOwnerDeletion":true}])");
  EXPECT_TRUE(is_controlled_by(draft.to_object(), owner()));
}

TEST(OwnerReferenceTest, TheSameOwnerIsUpdatedInPlace) {
  auto draft = child();
  ASSERT_TRUE(set_owner_reference(owner("parent", "apps/v1beta1"), draft));
  ASSERT_TRUE(set_owner_reference(owner("other"), draft));

  ASSERT_TRUE(set_controller_reference(owner(), draft));
  ASSERT_TRUE(set_controller_reference(owner(), draft));

  const auto object = draft.to_object();
  ASSERT_EQ(object.owner_references().size(), 2U);
  EXPECT_EQ(object.owner_references()[0]["apiVersion"].string(), "apps/v1");
  EXPECT_EQ(controller_of(object)["name"].string(), "parent");
}

TEST(OwnerReferenceTest, ASecondControllerIsRefused) {
  auto draft = child();
  ASSERT_TRUE(set_controller_reference(owner(), draft));

  const auto result = set_controller_reference(owner("other"), draft);

  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("already owned by another controller, ReplicaSet \"parent\""));
  EXPECT_EQ(draft.to_object().owner_references().size(), 1U);
  EXPECT_TRUE(set_owner_reference(owner("other"), draft));
}

TEST(OwnerReferenceTest, OwnersOfOtherNamespacesAreRefused) {
  auto elsewhere = object_from_json(R"({"metadata":{"namespace":"m","name":"child"}})").edit();
  auto cluster_wide = object_from_json(R"({"metadata":{"name":"child"}})").edit();

  EXPECT_THAT(set_controller_reference(owner(), elsewhere).error().message(), HasSubstr("cross-namespace"));
  EXPECT_THAT(set_controller_reference(owner(), cluster_wide).error().message(), HasSubstr("cluster-scoped"));
  EXPECT_FALSE(elsewhere.changed());
}

TEST(OwnerReferenceTest, AClusterWideOwnerMayOwnAnything) {
  auto draft = child();
  const auto node = object_from_json(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","uid":"7"}})");

  EXPECT_TRUE(set_controller_reference(node, draft));
}

TEST(OwnerReferenceTest, AnOwnerNeedsAnIdentity) {
  auto draft = child();

  EXPECT_FALSE(set_controller_reference(Object(), draft));
  EXPECT_FALSE(set_owner_reference(object_from_json(R"({"kind":"X","metadata":{"name":"a"}})"), draft));
}

TEST(OwnerReferenceTest, RemovingTheLastReferenceRemovesTheList) {
  auto draft = child();
  ASSERT_TRUE(set_controller_reference(owner(), draft));

  EXPECT_FALSE(remove_owner_reference(owner("other"), draft));
  EXPECT_TRUE(remove_owner_reference(owner(), draft));

  EXPECT_FALSE(draft.changed());
}

}  // namespace
}  // namespace kubexx::meta
