#include "kubexx/meta/name.hpp"

#include <gtest/gtest.h>

#include <set>

#include "meta/document/field_ids.hpp"

namespace kubexx::meta {
namespace {

TEST(NameTest, EveryKnownNameIsFoundUnderItsOwnId) {
  ASSERT_GT(name_count(), 900U);
  for (std::size_t id = 0; id < name_count(); ++id) {
    const std::string_view text = name_text(static_cast<NameId>(id));
    ASSERT_FALSE(text.empty());
    EXPECT_EQ(find_name(text), static_cast<NameId>(id)) << text;
  }
}

TEST(NameTest, TextsThatAreNoKnownNameAreNotFound) {
  for (const std::string_view text :
       {"", "Name", "namespac", "namespacee", "x", "no-such-field-in-any-kubernetes-type", "example.com/some-label"}) {
    EXPECT_FALSE(find_name(text)) << text;
  }
  // Differs from a known name in one byte in the middle only, beyond what the first and last eight bytes show.
  std::string text("terminationGracePeriodSeconds");
  ASSERT_TRUE(find_name(text));
  text[14] = '_';
  EXPECT_FALSE(find_name(text));
}

TEST(NameTest, AnIdThatDoesNotExistHasNoText) {
  EXPECT_EQ(name_text(static_cast<NameId>(name_count())), "");
  EXPECT_EQ(name_text(static_cast<NameId>(65535)), "");
}

TEST(NameTest, IdsWrittenInTheSourceMeanWhatTheySay) {
  EXPECT_EQ(name_text(field::kApiVersion), "apiVersion");
  EXPECT_EQ(name_text(field::kKind), "kind");
  EXPECT_EQ(name_text(field::kMetadata), "metadata");
  EXPECT_EQ(name_text(field::kItems), "items");
  EXPECT_EQ(name_text(field::kName), "name");
  EXPECT_EQ(name_text(field::kNamespace), "namespace");
  EXPECT_EQ(name_text(field::kUid), "uid");
  EXPECT_EQ(name_text(field::kResourceVersion), "resourceVersion");
  EXPECT_EQ(name_text(field::kGeneration), "generation");
  EXPECT_EQ(name_text(field::kCreationTimestamp), "creationTimestamp");
  EXPECT_EQ(name_text(field::kLabels), "labels");
  EXPECT_EQ(name_text(field::kAnnotations), "annotations");
  EXPECT_EQ(name_text(field::kOwnerReferences), "ownerReferences");
  EXPECT_EQ(name_text(field::kFinalizers), "finalizers");
  EXPECT_EQ(name_text(field::kDeletionTimestamp), "deletionTimestamp");
  EXPECT_EQ(name_text(field::kManagedFields), "managedFields");
  EXPECT_EQ(name_text(field::kGenerateName), "generateName");
  EXPECT_EQ(name_text(field::kContinue), "continue");
  EXPECT_EQ(name_text(field::kRemainingItemCount), "remainingItemCount");
  EXPECT_EQ(name_text(field::kType), "type");
  EXPECT_EQ(name_text(field::kObject), "object");
}

}  // namespace
}  // namespace kubexx::meta
