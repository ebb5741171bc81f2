#include "kubexx/delta/delta.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "kubexx/delta/intake.hpp"
#include "unit/store/test_objects.hpp"

namespace kubexx::delta {
namespace {

using test::pod;

std::vector<meta::KeyedObject> keyed(const std::vector<meta::Object>& objects) {
  return Intake().take(objects).value();
}

// TestDeltaFIFO_KeyOf, TestRealFIFO_KeyOf
TEST(DeltaKeyTest, AnObjectAndATombstoneHaveTheSameKey) {
  const Delta seen(DeltaType::Deleted, pod("foo"));
  const Delta inferred = Delta::tombstone(meta::Key("default/foo"), pod("foo"));
  const Delta blind = Delta::tombstone(meta::Key("default/foo"), {});

  EXPECT_EQ(seen.key().text(), "default/foo");
  EXPECT_EQ(inferred.key(), seen.key());
  EXPECT_EQ(blind.key(), seen.key());
}

TEST(DeltaKeyTest, AKeyThatIsGivenIsTheKeyWhateverTheObjectIsCalled) {
  const Delta named(DeltaType::Added, meta::Key("other"), pod("foo"));
  EXPECT_EQ(named.key().text(), "other");
  EXPECT_EQ(named.object().name(), "foo");
}

TEST(DeltaKeyTest, ChangesOfNoSingleObjectHaveNone) {
  for (const Delta& delta :
       {Delta::sync_all(), Delta::bookmark("7"), Delta::replaced_all({{meta::Key("default/a"), pod("a")}}, "7")}) {
    EXPECT_FALSE(delta.has_key());
    EXPECT_TRUE(delta.key().empty());
  }
  EXPECT_TRUE(Delta(DeltaType::Added, test::bare_object("x")).key().empty());
}

TEST(DeltaTest, CarriesWhatItsTypeSays) {
  const Delta list = Delta::replaced_all(keyed({pod("a"), pod("b")}), "7");
  ASSERT_EQ(list.objects().size(), 2U);
  EXPECT_EQ(list.objects()[1].key.text(), "default/b");
  EXPECT_EQ(list.resource_version(), "7");
  EXPECT_FALSE(list.is_tombstone());

  const Delta gone = Delta::tombstone(meta::Key("default/a"), {});
  EXPECT_TRUE(gone.is_tombstone());
  EXPECT_EQ(gone.type(), DeltaType::Deleted);
  EXPECT_EQ(gone.resource_version(), "");
  EXPECT_TRUE(gone.objects().empty());
  EXPECT_EQ(Delta::bookmark("9").resource_version(), "9");
  EXPECT_FALSE(Delta(DeltaType::Deleted, pod("a")).is_tombstone());
}

TEST(DeltaTest, GivesAwayWhatItCarries) {
  const auto object = pod("a");
  Delta one(DeltaType::Added, object);
  EXPECT_EQ(one.take_key().text(), "default/a");
  EXPECT_TRUE(one.take_object().same_document(object));
  EXPECT_FALSE(one.object());
  EXPECT_TRUE(one.take_objects().empty());

  Delta list = Delta::replaced_all(keyed({object}), "7");
  const Delta copy = list;
  EXPECT_EQ(list.take_objects().size(), 1U);
  EXPECT_EQ(copy.objects().size(), 1U);  // a copy keeps its own
}

TEST(DeltaTest, AnObjectUnderATypeThatCarriesNoneIsMisuse) {
  EXPECT_THROW(Delta(DeltaType::SyncAll, pod("a")), std::logic_error);
  EXPECT_THROW(Delta(DeltaType::Bookmark, pod("a")), std::logic_error);
  EXPECT_THROW(Delta(DeltaType::ReplacedAll, pod("a")), std::logic_error);
}

TEST(DeltaTest, CopiesCarryTheSameAndAMoveLeavesNothingBehind) {
  Delta one = Delta::tombstone(meta::Key("default/foo"), test::pod("foo", 3));
  Delta copy = one;
  Delta moved = std::move(one);
  EXPECT_EQ(copy.key().text(), "default/foo");
  EXPECT_EQ(moved.key().text(), "default/foo");
  EXPECT_TRUE(copy.object().same_document(moved.object()));

  copy = Delta::replaced_all(keyed({test::pod("a", 1), test::pod("b", 2)}), "7");
  moved = copy;
  copy = Delta(DeltaType::Added, test::pod("c", 4));
  EXPECT_EQ(moved.type(), DeltaType::ReplacedAll);
  EXPECT_EQ(moved.objects().size(), 2U);
  EXPECT_EQ(moved.resource_version(), "7");
  EXPECT_FALSE(moved.object());
  EXPECT_EQ(copy.type(), DeltaType::Added);
  EXPECT_EQ(copy.key().text(), "default/c");
  EXPECT_TRUE(copy.objects().empty());
  EXPECT_FALSE(copy.is_tombstone());
}

TEST(DeltaTest, AMarkedDeltaIsTheSameWithAMark) {
  const auto object = pod("a");
  const auto replaced = Delta(DeltaType::Replaced, object).marked(true);
  EXPECT_TRUE(replaced.repairs());
  EXPECT_EQ(replaced.object(), object);
  EXPECT_FALSE(replaced.is_tombstone());
  const auto gone = Delta::tombstone(meta::Key("ns/a"), object).marked(true);
  EXPECT_TRUE(gone.repairs());
  EXPECT_EQ(gone.key().text(), "ns/a");
  EXPECT_EQ(gone.object(), object);
  const auto all = Delta::replaced_all(keyed({object}), "7").marked(true);
  EXPECT_TRUE(all.repairs());
  EXPECT_EQ(all.resource_version(), "7");
  EXPECT_EQ(all.objects().size(), 1U);

  EXPECT_FALSE(Delta::replaced_all(keyed({object}), "7").marked(false).repairs());
  EXPECT_FALSE(Delta(DeltaType::Replaced, object).repairs());
}

TEST(DeltaTest, AListSpeaksForEverythingForSomeNamespacesOrForTheOthers) {
  EXPECT_TRUE(Coverage{}.has("red"));
  EXPECT_TRUE(Coverage{}.has(""));
  const Coverage some{.namespaces = {"red", "blue"}};
  EXPECT_TRUE(some.has("blue"));
  EXPECT_FALSE(some.has("green"));
  const Coverage others{.namespaces = {"red", "blue"}, .others = true};
  EXPECT_FALSE(others.has("blue"));
  EXPECT_TRUE(others.has("green"));
  EXPECT_TRUE(Delta::replaced_all({}, "7", some).coverage().has("red"));
  EXPECT_TRUE(Delta::sync_all().coverage().all());
}

}  // namespace
}  // namespace kubexx::delta
