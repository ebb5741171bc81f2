#include "kubexx/delta/delta.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "unit/store/test_objects.hpp"

namespace kubexx::delta {
namespace {

using test::pod;

// TestDeltaFIFO_KeyOf, TestRealFIFO_KeyOf
TEST(DeltaKeyTest, ObjectTombstoneAndDeltasHaveTheSameKey) {
  const Delta seen(DeltaType::Deleted, pod("foo"));
  const Delta inferred = Delta::tombstone({"default/foo", pod("foo")});
  const Delta blind = Delta::tombstone({"default/foo", {}});

  EXPECT_EQ(key_of(seen).value(), "default/foo");
  EXPECT_EQ(key_of(inferred).value(), "default/foo");
  EXPECT_EQ(key_of(blind).value(), "default/foo");
  EXPECT_EQ(key_of(Deltas{Delta(DeltaType::Added, pod("old")), seen}).value(), "default/foo");
}

TEST(DeltaKeyTest, ATombstoneIsNamedByItsKeyAndNotByTheFunction) {
  const meta::KeyFunc function = [](const meta::Object&) -> Result<std::string> { return std::string("other"); };
  EXPECT_EQ(key_of(Delta::tombstone({"default/foo", pod("foo")}), function).value(), "default/foo");
  EXPECT_EQ(key_of(Delta(DeltaType::Added, pod("foo")), function).value(), "other");
}

TEST(DeltaKeyTest, ChangesWithoutAKeyAreAnError) {
  EXPECT_FALSE(key_of(Deltas{}));
  EXPECT_FALSE(key_of(Delta::sync_all()));
  EXPECT_FALSE(key_of(Delta::bookmark("7")));
  EXPECT_FALSE(key_of(Delta::replaced_all({pod("a")}, "7")));
  EXPECT_FALSE(key_of(Delta(DeltaType::Added, test::bare_object("x"))));
}

TEST(DeltaTest, CarriesWhatItsTypeSays) {
  const Delta list = Delta::replaced_all({pod("a"), pod("b")}, "7");
  EXPECT_EQ(list.objects().size(), 2U);
  EXPECT_EQ(list.resource_version(), "7");
  EXPECT_FALSE(list.is_tombstone());

  const Delta gone = Delta::tombstone({"default/a", {}});
  EXPECT_TRUE(gone.is_tombstone());
  EXPECT_EQ(gone.tombstone_key(), "default/a");
  EXPECT_EQ(gone.resource_version(), "");
  EXPECT_TRUE(gone.objects().empty());
  EXPECT_EQ(Delta::bookmark("9").resource_version(), "9");
  EXPECT_EQ(Delta(DeltaType::Deleted, pod("a")).tombstone_key(), "");
}

TEST(DeltaTest, AnObjectUnderATypeThatCarriesNoneIsMisuse) {
  EXPECT_THROW(Delta(DeltaType::SyncAll, pod("a")), std::logic_error);
  EXPECT_THROW(Delta(DeltaType::Bookmark, pod("a")), std::logic_error);
  EXPECT_THROW(Delta(DeltaType::ReplacedAll, pod("a")), std::logic_error);
}

TEST(DeltaTest, CopiesCarryTheSameAndAMoveLeavesNothingBehind) {
  Delta one = Delta::tombstone({"default/foo", test::pod("foo", 3)});
  Delta copy = one;
  Delta moved = std::move(one);
  EXPECT_EQ(copy.tombstone_key(), "default/foo");
  EXPECT_EQ(moved.tombstone_key(), "default/foo");
  EXPECT_TRUE(copy.object().same_document(moved.object()));

  copy = Delta::replaced_all({test::pod("a", 1), test::pod("b", 2)}, "7");
  moved = copy;
  copy = Delta(DeltaType::Added, test::pod("c", 4));
  EXPECT_EQ(moved.type(), DeltaType::ReplacedAll);
  EXPECT_EQ(moved.objects().size(), 2U);
  EXPECT_EQ(moved.resource_version(), "7");
  EXPECT_EQ(copy.type(), DeltaType::Added);
  EXPECT_EQ(copy.tombstone_key(), "");
  EXPECT_FALSE(copy.is_tombstone());
}

TEST(DeltaTest, AMarkedDeltaIsTheSameWithAMark) {
  const auto object = pod("a");
  const auto replaced = Delta(DeltaType::Replaced, object).marked(true);
  EXPECT_TRUE(replaced.repairs());
  EXPECT_EQ(replaced.object(), object);
  EXPECT_FALSE(replaced.is_tombstone());
  const auto gone = Delta::tombstone({"ns/a", object}).marked(true);
  EXPECT_TRUE(gone.repairs());
  EXPECT_EQ(gone.tombstone_key(), "ns/a");
  EXPECT_EQ(gone.object(), object);
  const auto all = Delta::replaced_all({object}, "7").marked(true);
  EXPECT_TRUE(all.repairs());
  EXPECT_EQ(all.resource_version(), "7");
  EXPECT_EQ(all.objects().size(), 1U);

  EXPECT_FALSE(Delta::replaced_all({object}, "7").marked(false).repairs());
  EXPECT_FALSE(Delta(DeltaType::Replaced, object).repairs());
}

}  // namespace
}  // namespace kubexx::delta
