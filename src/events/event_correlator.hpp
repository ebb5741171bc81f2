#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "events/event_lru.hpp"
#include "events/event_record.hpp"

namespace kubexx::events {

/// What becomes of an event: left out, created, or a patch of the one it repeats.
struct EventWrite {
  enum class What { Skip, Create, Patch };
  What what = What::Skip;
  EventRecord event{};
};

/// The rules of core/v1 events, in client-go's order: combine similar ones, count repeated ones, filter floods.
/// Not thread-safe; time comes with the events.
class EventCorrelator {
 public:
  explicit EventCorrelator(const EventBroadcasterOptions& options);
  EventWrite observe(EventRecord event, TimePoint now);

 private:
  struct Similar {
    std::set<std::string> messages{};
    TimePoint last{};
  };
  struct Seen {
    std::int64_t count = 0;
    WallTime first{};
    std::string name{};
  };
  struct Bucket {
    double tokens = 0;
    TimePoint filled{};
  };
  /// The key under which the event is counted; turns it into the combined one where it is one too many.
  std::string combine(EventRecord& event, TimePoint now);
  bool spends_token(const EventRecord& event, TimePoint now);

  const EventBroadcasterOptions options_;
  EventLru<Similar> similar_;
  EventLru<Seen> seen_;
  EventLru<Bucket> buckets_;
};

/// The rules of events.k8s.io/v1: the first is created, the second makes a series of it, later ones are only counted
/// until the series is refreshed or has ended. Not thread-safe.
class EventSeries {
 public:
  explicit EventSeries(const EventBroadcasterOptions& options);
  EventWrite observe(EventRecord event, TimePoint now);
  /// Forgets what had no event for `series_finish`; the patches that say how often they came.
  std::vector<EventRecord> finish(TimePoint now);
  /// The patches of running series whose count the server does not know yet.
  std::vector<EventRecord> refresh();

 private:
  struct Running {
    EventRecord event{};
    TimePoint last{};
    std::int64_t written = 1;  // the count the server was told
  };
  const EventBroadcasterOptions options_;
  EventLru<Running> running_;
};

}  // namespace kubexx::events
