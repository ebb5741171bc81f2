#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include "kubexx/testkit/eventually.hpp"
#include "replicas/replica_group.hpp"

namespace kubexx::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Of replica.cpp; a lease is written in whole seconds, so others wait two. Between two tries there are up to 2.2 times
// the retry period (its jitter).
constexpr Duration kLongestLease = seconds(2);
constexpr Duration kLongestRetry = milliseconds(200) * 11 / 5;
// How long processes on a busy machine may take to do what they can do at once: one that was just started, too.
constexpr Duration kSlack = seconds(1);
// A renewal that was the last thing a leader did is seen by the next try of another, who then waits for a lease and
// takes it with its next try.
constexpr Duration kTakeover = kLongestLease + 2 * kLongestRetry + kSlack;
// A machine that is busier than that for a moment is tormented again: an election that is slow is slow again.
constexpr int kTries = 3;

double ms(Duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

class ReplicasTest : public ::testing::TestWithParam<int> {
 protected:
  static apiserver::Options options() {
    apiserver::Options o;
    o.request_log_entries = 500'000;
    return o;
  }
  /// When the server got the first write of the key after that moment.
  std::optional<TimePoint> await_write(const std::string& key, TimePoint after) {
    std::optional<TimePoint> written;
    const auto looked = [&, seen = std::size_t(0)]() mutable {
      const auto count = server_.requests().count("patch", "configmaps");
      if (std::exchange(seen, count) == count) return false;  // to read them all takes time from those who are measured
      const auto all = writes_in(server_.requests());
      const auto first =
          std::find_if(all.begin(), all.end(), [&](const auto& w) { return w.key == key && w.time > after; });
      if (first != all.end()) written = first->time;
      return written.has_value();
    };
    return testkit::eventually(looked, seconds(60)) ? written : std::nullopt;
  }
  /// Nobody writes inside the term of another; late requests are those one a term that were under way. One that had
  /// passed the guard when its process was stopped is sent when it goes on, and may meet another's term: no guard can
  /// help that. It takes a stop within microseconds, so there are no two of them.
  static void expect_exclusive(const std::vector<ReplicaWrite>& writes) {
    std::map<std::string, std::pair<TimePoint, TimePoint>> terms;  // first and last write in time
    std::map<std::string, int> late_in_term;
    Duration latest{};
    const auto term_of = [](const ReplicaWrite& w) { return w.key + " " + w.writer + "/" + std::to_string(w.term); };
    for (const auto& w : writes) {
      if (w.time > w.deadline) {
        ++late_in_term[term_of(w)];
        latest = std::max(latest, w.time - w.deadline);
        continue;
      }
      auto [entry, first] = terms.try_emplace(term_of(w), w.time, w.time);
      entry->second.second = w.time;
    }
    int strays = 0;
    for (const auto& w : writes) {
      for (const auto& [term, span] : terms) {
        if (!term.starts_with(w.key + " ") || term == term_of(w)) continue;
        const bool inside = span.first < w.time && w.time < span.second;
        if (inside && w.time > w.deadline) ++strays;
        EXPECT_FALSE(inside && w.time <= w.deadline) << term_of(w) << " writes inside " << term;
      }
    }
    EXPECT_LE(strays, 1);
    for (const auto& [term, count] : late_in_term) EXPECT_LE(count, 1) << term;
    std::cout << "  writes " << writes.size() << ", terms " << terms.size() << ", under way at the deadline "
              << late_in_term.size() << " (at most " << ms(latest) << " ms late)\n";
  }
  static void print(const ReplicaGroup& group) {
    std::cout << "  pauses " << group.faults().pauses << ", kills " << group.faults().kills << ", outages "
              << group.faults().outages << "\n";
  }

  apiserver::Server server_{options()};
};

TEST_P(ReplicasTest, NoLeaderWritesAfterItsGuardsDeadlineAndThereIsSoonOneAgain) {
  ReplicaGroup group(server_, "leader", GetParam(), 7);
  ASSERT_TRUE(await_write("leader", TimePoint()));

  Duration took = Duration::max();
  for (int tries = 0; tries < kTries && took > kTakeover; ++tries) {
    group.torment(tries == 0 ? seconds(10) : seconds(3));
    const auto healed = Clock::system().now();
    const auto back = await_write("leader", healed);
    ASSERT_TRUE(back);
    took = *back - healed;
  }
  EXPECT_LE(ms(took), ms(kTakeover));
  print(group);
  std::cout << "  leader again " << ms(took) << " ms after the last fault (lease " << ms(kLongestLease) << ", retry "
            << ms(kLongestRetry) << ")\n";
  // So that there is something to look at.
  EXPECT_TRUE(testkit::eventually([&] { return writes_in(server_.requests()).size() > 100; }, seconds(60)));
  expect_exclusive(writes_in(server_.requests()));
}

TEST_P(ReplicasTest, EachShardKeyHasOneOwnerAtMostAndSoonOneAgain) {
  ReplicaGroup group(server_, "shards", GetParam(), 11);
  ASSERT_TRUE(await_write("key-0", TimePoint()));

  // Members learn of each other by what they read at their tries, and a key moves after it was let go.
  constexpr Duration kMoved = kTakeover + 2 * kLongestRetry;
  Duration longest = Duration::max();
  for (int tries = 0; tries < kTries && longest > kMoved; ++tries) {
    group.torment(tries == 0 ? seconds(10) : seconds(3));
    const auto healed = Clock::system().now();
    longest = {};
    for (int k = 0; k < 16; ++k) {
      const auto back = await_write("key-" + std::to_string(k), healed);
      ASSERT_TRUE(back) << k;
      longest = std::max(longest, *back - healed);
    }
  }
  EXPECT_LE(ms(longest), ms(kMoved));
  print(group);
  std::cout << "  every key owned again " << ms(longest) << " ms after the last fault\n";
  expect_exclusive(writes_in(server_.requests()));
}

INSTANTIATE_TEST_SUITE_P(Sizes, ReplicasTest, ::testing::Values(2, 5));

}  // namespace
}  // namespace kubexx::test
