#include "kubexx/store/lister.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "unit/store/test_objects.hpp"

namespace kubexx::store {
namespace {

using meta::LabelSelector;
using meta::Object;
using test::make_pod;
using test::names;
using testing::ElementsAre;
using testing::IsEmpty;

/// What a generated type looks like to a lister.
struct Pod {
  static Pod unchecked(Object object) { return {std::move(object)}; }
  Object object;
};

std::shared_ptr<Indexer> filled(const Indexers& indexers) {
  auto indexer = std::make_shared<Indexer>(indexers);
  for (const char* space : {"one", "two"}) {
    for (const char* app : {"web", "db"}) {
      EXPECT_TRUE(indexer->add(
          make_pod({.namespace_ = space, .name = std::string(app) + "-" + space, .labels = {{"app", app}}})));
    }
  }
  EXPECT_TRUE(indexer->add(make_pod({.namespace_ = "", .name = "node"})));
  return indexer;
}

// TestListAll
TEST(ListerTest, ListsEverythingNothingOrWhatASelectorMatches) {
  const GenericLister lister(filled(namespace_indexers()), {"", "pods"});
  EXPECT_EQ(lister.list().size(), 5U);
  EXPECT_EQ(lister.list(LabelSelector::everything()).size(), 5U);
  EXPECT_THAT(lister.list(LabelSelector::nothing()), IsEmpty());
  EXPECT_THAT(names(lister.list(LabelSelector::equals("app", "web"))), ElementsAre("web-one", "web-two"));
  EXPECT_THAT(lister.list(LabelSelector::equals("app", "none")), IsEmpty());
}

TEST(ListerTest, ListsOneNamespaceWithAndWithoutItsIndex) {
  for (const bool indexed : {true, false}) {
    const GenericLister lister(filled(indexed ? namespace_indexers() : Indexers{}), {"", "pods"});
    EXPECT_THAT(names(lister.in_namespace("one").list()), ElementsAre("db-one", "web-one"));
    EXPECT_THAT(names(lister.in_namespace("two").list(LabelSelector::equals("app", "db"))), ElementsAre("db-two"));
    EXPECT_THAT(lister.in_namespace("two").list(LabelSelector::nothing()), IsEmpty());
    EXPECT_THAT(lister.in_namespace("none").list(), IsEmpty());
    EXPECT_EQ(lister.in_namespace("").list().size(), 5U);
  }
}

TEST(ListerTest, GetsByNameWithinANamespaceAndByKeyOtherwise) {
  const GenericLister lister(filled(namespace_indexers()), {"", "pods"});
  EXPECT_EQ(lister.get("node")->name(), "node");
  EXPECT_EQ(lister.get("one/web-one")->name(), "web-one");
  EXPECT_EQ(lister.get(meta::ObjectKey{"one", "web-one"})->name(), "web-one");
  EXPECT_EQ(lister.in_namespace("one").get("web-one")->name(), "web-one");
  EXPECT_FALSE(lister.in_namespace("two").get("web-one"));
}

TEST(ListerTest, NotFoundIsTheServersErrorWithGroupResourceAndNameOnly) {
  const GenericLister lister(filled({}), {"apps", "deployments"});
  for (const auto& missing :
       {lister.in_namespace("one").get("x"), lister.get(meta::ObjectKey{"one", "x"}), lister.get("x")}) {
    ASSERT_FALSE(missing);
    EXPECT_TRUE(missing.error().is_not_found());
    EXPECT_EQ(missing.error().reason(), "NotFound");
    EXPECT_EQ(missing.error().message(), "deployments.apps \"x\" not found");
    EXPECT_EQ(missing.error().details().name, "x");
    EXPECT_EQ(missing.error().details().group, "apps");
    EXPECT_EQ(missing.error().details().kind, "deployments");
  }
}

TEST(ListerTest, ATypedListerHandsOutTheTypeAroundTheCachesOwnObjects) {
  const auto indexer = filled({{"app", label_index("app")}});
  const Lister<Pod> lister(indexer, {"", "pods"});
  EXPECT_TRUE(lister.get("one/web-one")->object.same_document(indexer->find("one/web-one")));
  EXPECT_EQ(lister.list().size(), 5U);
  EXPECT_EQ(lister.in_namespace("one").list().size(), 2U);
  EXPECT_EQ(lister.by_index("app", "db")->size(), 2U);
  EXPECT_FALSE(lister.by_index("nope", "db"));
  EXPECT_TRUE(lister.get("x").error().is_not_found());
  EXPECT_EQ(lister.snapshot().size(), 5U);
}

}  // namespace
}  // namespace kubexx::store
