#include "kubexx/informer/process_deltas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <variant>

#include "informer/make_queue.hpp"
#include "unit/delta/queue_support.hpp"

namespace kubexx::informer {
namespace {

using delta::Delta;
using delta::Deltas;
using delta::DeltaType;
using test::pod;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Writes down what is announced, each time with what the store has under the key at that moment.
class Calls final : public Announcer {
 public:
  explicit Calls(const store::Indexer& store) : store_(store) {}
  void announce(Notification n) override {
    switch (n.kind) {
      case Notification::Kind::Add:
        return note("add " + test::text_of(n.after), n.key.text());
      case Notification::Kind::Update:
        return note("update " + test::text_of(n.before) + " " + test::text_of(n.after), n.key.text());
      case Notification::Kind::Delete:
        return note("delete " + n.key.text(), n.key.text());
    }
  }
  std::vector<std::string> lines;
  std::vector<std::string> held;

 private:
  void note(std::string line, const std::string& key) {
    lines.push_back(std::move(line));
    const auto object = store_.find(key);
    held.push_back(object ? test::text_of(object) : "nothing");
  }
  const store::Indexer& store_;
};

/// Refuses objects whose name begins with "bad".
Result<std::string> choosy_key(const meta::Object& object) {
  if (object.name().starts_with("bad")) return Error::config("a bad name");
  return meta::ObjectKey::of(object).to_string();
}

// TestProcessDeltasInBatch
class BatchTest : public testing::Test {
 protected:
  Result<void> apply(Deltas deltas) { return process_deltas(deltas, false, store, calls); }

  store::Indexer store{{}, choosy_key};
  Calls calls{store};
};

TEST_F(BatchTest, EveryChangeIsInTheStoreBeforeTheFirstCallAndEachIsCalled) {
  ASSERT_TRUE(store.add(pod("old", 1)));
  ASSERT_TRUE(store.add(pod("gone", 2)));
  ASSERT_TRUE(apply({Delta(DeltaType::Added, pod("new", 3)), Delta(DeltaType::Updated, pod("old", 4)),
                     Delta(DeltaType::Deleted, pod("gone", 5))}));

  EXPECT_THAT(calls.lines,
              ElementsAre("add default/new@3", "update default/old@1 default/old@4", "delete default/gone"));
  EXPECT_THAT(calls.held, ElementsAre("default/new@3", "default/old@4", "nothing"));
}

TEST_F(BatchTest, WhatTheStoreCannotNameFailsAllChangesBesideItAndNobodyIsCalled) {
  ASSERT_TRUE(store.add(pod("old", 1)));
  const auto done = apply({Delta(DeltaType::Added, pod("new", 2)), Delta(DeltaType::Added, {}, pod("bad-1", 3)),
                           Delta(DeltaType::Updated, pod("old", 4))});

  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), testing::HasSubstr("a bad name"));
  EXPECT_THAT(calls.lines, IsEmpty());
  EXPECT_THAT(store.list_keys(), ElementsAre("default/old"));
}

TEST_F(BatchTest, ChangesOfOneKeyAreHeardOfOneAfterTheOther) {
  ASSERT_TRUE(apply({Delta(DeltaType::Added, pod("a", 1)), Delta(DeltaType::Updated, pod("a", 2)),
                     Delta(DeltaType::Deleted, pod("a", 3)), Delta(DeltaType::Added, pod("a", 4))}));

  EXPECT_THAT(calls.lines,
              ElementsAre("add default/a@1", "update default/a@1 default/a@2", "delete default/a", "add default/a@4"));
  EXPECT_EQ(store.last_store_sync_resource_version(), "4");
}

TEST_F(BatchTest, WhatNobodyWasToldOfIsRemovedInSilence) {
  ASSERT_TRUE(apply({Delta(DeltaType::Deleted, pod("stranger", 1))}));
  EXPECT_THAT(calls.lines, IsEmpty());
}

TEST_F(BatchTest, ChangesAroundAListAreHeardOfInTheirOrder) {
  std::vector<meta::KeyedObject> list;
  list.push_back({meta::Key("default/b"), pod("b", 3)});
  ASSERT_TRUE(apply({Delta(DeltaType::Added, pod("a", 1)), Delta::replaced_all(std::move(list), "5"),
                     Delta(DeltaType::Updated, pod("b", 6)), Delta::bookmark("9")}));

  EXPECT_THAT(calls.lines,
              ElementsAre("add default/a@1", "delete default/a", "add default/b@3", "update default/b@3 default/b@6"));
  EXPECT_EQ(store.last_store_sync_resource_version(), "9");
}

using Lists = std::vector<std::vector<meta::Object>>;

/// What handlers hear of these lists, given one after the other.
std::vector<std::string> history_of(const Lists& lists, QueueKind kind) {
  const auto store = std::make_shared<store::Indexer>();
  Calls calls(*store);
  auto queue = make_queue(kind, store);
  const auto process = [&](Deltas& deltas, bool initial) { return process_deltas(deltas, initial, *store, calls); };
  for (const auto& list : lists) {
    std::visit(
        [&](auto& plain) {
          plain.replace(delta::Intake().take(list).value(), "9");
          while (plain.try_pop(process).value()) {
          }
        },
        queue);
  }
  return calls.lines;
}

// TestReplaceEvents
TEST(ReplaceHistoryTest, AListIsHeardOfAlikeWithEitherQueue) {
  const std::vector<meta::Object> three{pod("a", 1), pod("b", 2), pod("c", 3)};
  for (const auto kind : {QueueKind::Ordered, QueueKind::PerKey}) {
    const auto queue = static_cast<int>(kind);
    EXPECT_THAT(history_of({three}, kind), ElementsAre("add default/a@1", "add default/b@2", "add default/c@3"))
        << queue;
    EXPECT_THAT(history_of({three, {}}, kind),
                UnorderedElementsAre("add default/a@1", "add default/b@2", "add default/c@3", "delete default/a",
                                     "delete default/b", "delete default/c"))
        << queue;
    EXPECT_THAT(history_of({three, {pod("d", 6), pod("b", 5)}}, kind),
                UnorderedElementsAre("add default/a@1", "add default/b@2", "add default/c@3", "delete default/a",
                                     "delete default/c", "add default/d@6", "update default/b@2 default/b@5"))
        << queue;
  }
}

TEST(ReplaceHistoryTest, InOrderDeletionsAreHeardOfBeforeAdditions) {
  EXPECT_THAT(history_of({{pod("a", 1)}, {pod("b", 2)}}, QueueKind::Ordered),
              ElementsAre("add default/a@1", "delete default/a", "add default/b@2"));
}

}  // namespace
}  // namespace kubexx::informer
