#include "informer/apply_deltas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kubexx/delta/ordered_queue.hpp"
#include "unit/delta/queue_support.hpp"

namespace kubexx::informer {
namespace {

using delta::Delta;
using delta::Deltas;
using delta::DeltaType;
using test::pod;
using testing::ElementsAre;
using testing::IsEmpty;

/// Writes down what is announced, each time with what the store has under the key at that moment.
class Calls final : public Announcer {
 public:
  explicit Calls(const store::Indexer& store) : store_(store) {}
  void announce(Notification n) override {
    switch (n.kind) {
      case Notification::Kind::Add:
        return note("add " + test::text_of(n.after), store_.key_of(n.after).value());
      case Notification::Kind::Update:
        return note("update " + test::text_of(n.before) + " " + test::text_of(n.after), store_.key_of(n.after).value());
      case Notification::Kind::Delete:
        return note("delete " + n.key, n.key);
    }
  }
  std::vector<std::string> lines;
  std::vector<std::string> held;

 private:
  void note(std::string line, const std::string& key) {
    lines.push_back(std::move(line));
    const auto object = store_.get_by_key(key);
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
  Result<void> apply(Deltas deltas) { return apply_batch(deltas, false, store, calls); }

  store::Indexer store{{}, choosy_key};
  Calls calls{store};
};

TEST_F(BatchTest, WhatSucceededIsInTheStoreBeforeTheFirstCallAndEveryChangeIsCalled) {
  ASSERT_TRUE(store.add(pod("old", 1)));
  ASSERT_TRUE(store.add(pod("gone", 2)));
  ASSERT_TRUE(apply({Delta(DeltaType::Added, pod("new", 3)), Delta(DeltaType::Updated, pod("old", 4)),
                     Delta(DeltaType::Deleted, pod("gone", 5))}));

  EXPECT_THAT(calls.lines,
              ElementsAre("add default/new@3", "update default/old@1 default/old@4", "delete default/gone"));
  EXPECT_THAT(calls.held, ElementsAre("default/new@3", "default/old@4", "nothing"));
}

TEST_F(BatchTest, WhenNothingCanBeStoredNobodyIsCalledAndTheErrorIsReturned) {
  const auto done = apply({Delta(DeltaType::Added, pod("bad-1", 1)), Delta(DeltaType::Updated, pod("bad-2", 2)),
                           Delta(DeltaType::Deleted, pod("bad-3", 3))});

  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), testing::HasSubstr("a bad name"));
  EXPECT_THAT(calls.lines, IsEmpty());
  EXPECT_EQ(store.size(), 0U);
}

TEST_F(BatchTest, WhenPartOfItCannotBeStoredOnlyTheRestIsCalledAndTheErrorIsReturned) {
  ASSERT_TRUE(store.add(pod("old", 1)));
  const auto done = apply({Delta(DeltaType::Added, pod("bad-first", 2)), Delta(DeltaType::Added, pod("new", 3)),
                           Delta(DeltaType::Deleted, pod("bad-between", 4)), Delta(DeltaType::Updated, pod("old", 5)),
                           Delta(DeltaType::Updated, pod("bad-last", 6))});

  EXPECT_FALSE(done);
  EXPECT_THAT(calls.lines, ElementsAre("add default/new@3", "update default/old@1 default/old@5"));
  EXPECT_THAT(store.list_keys(), testing::UnorderedElementsAre("default/new", "default/old"));
}

TEST_F(BatchTest, OneByOneTheChangesBeforeTheOneThatFailsAreKeptAndCalled) {
  Deltas deltas{Delta(DeltaType::Added, pod("a", 1)), Delta(DeltaType::Added, pod("bad", 2)),
                Delta(DeltaType::Added, pod("b", 3))};

  EXPECT_FALSE(apply_deltas(deltas, false, store, calls));
  EXPECT_THAT(calls.lines, ElementsAre("add default/a@1"));
}

class Known final : public delta::KnownObjects {
 public:
  explicit Known(const store::Indexer& store) : store_(store) {}
  std::vector<std::string> list_keys() const override { return store_.list_keys(); }
  meta::Object get(std::string_view key) const override { return store_.get_by_key(key); }

 private:
  const store::Indexer& store_;
};

using Lists = std::vector<std::vector<meta::Object>>;

/// What handlers hear of these lists, given one after the other.
std::vector<std::string> history_of(const Lists& lists, bool atomic) {
  store::Indexer store;
  Calls calls(store);
  delta::OrderedQueue queue(
      {.atomic_events = atomic, .known_objects = atomic ? nullptr : std::make_shared<Known>(store)});
  const auto single = [&](Deltas& deltas, bool initial) { return apply_deltas(deltas, initial, store, calls); };
  const auto batch = [&](Deltas& deltas, bool initial) { return apply_batch(deltas, initial, store, calls); };
  for (const auto& list : lists) {
    EXPECT_TRUE(queue.replace(list, "9"));
    while (queue.try_pop_batch(batch, single).value()) {
    }
  }
  const auto deletion = [](const std::string& line) { return line.starts_with("delete "); };
  std::sort(
      std::find_if(calls.lines.begin(), calls.lines.end(), deletion),
      std::find_if_not(std::find_if(calls.lines.begin(), calls.lines.end(), deletion), calls.lines.end(), deletion));
  return calls.lines;
}

// TestReplaceEvents
TEST(ReplaceHistoryTest, AListTakenAsAWholeOrApartIsHeardOfAlike) {
  const std::vector<meta::Object> three{pod("a", 1), pod("b", 2), pod("c", 3)};
  for (const bool atomic : {true, false}) {
    EXPECT_THAT(history_of({three}, atomic), ElementsAre("add default/a@1", "add default/b@2", "add default/c@3"))
        << atomic;
    EXPECT_THAT(history_of({three, {}}, atomic),
                ElementsAre("add default/a@1", "add default/b@2", "add default/c@3", "delete default/a",
                            "delete default/b", "delete default/c"))
        << atomic;
    EXPECT_THAT(history_of({three, {pod("d", 6), pod("b", 5)}}, atomic),
                ElementsAre("add default/a@1", "add default/b@2", "add default/c@3", "delete default/a",
                            "delete default/c", "add default/d@6", "update default/b@2 default/b@5"))
        << atomic;
  }
}

}  // namespace
}  // namespace kubexx::informer
