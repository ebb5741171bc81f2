#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "events/event_correlator.hpp"
#include "events/event_record.hpp"
#include "kubexx/base/metrics.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::events {

/// The writing end of a broadcaster, a state machine on a strand:
///
///   Idle --event--> Writing --answer--> Idle
///                      |  no answer        ^ given up after `tries`, or at once while draining
///                      +--> Sleeping ------+--> Writing
///
/// close() drains: every waiting event gets one try, sleeping ends, and the deadline drops what is left.
class EventSink : public std::enable_shared_from_this<EventSink> {
 public:
  EventSink(rest::Client client, const EventBroadcasterOptions& options);

  void start();
  void push(EventRecord event);  // from any thread
  void dropped(std::string_view why, std::string_view reason);
  /// Calls `done` on the strand, once; true: nothing was dropped since close() began.
  void close(Duration flush, UniqueFunction<void(bool)> done);

  const Clock& clock() const { return strand_.clock(); }
  const Strand& strand() const noexcept { return strand_; }

 private:
  void next();
  void write(EventWrite write);
  void attempt();
  void answered(const Result<rest::Response>& answer);
  void failed(const Error& error);
  void end_write();
  void tend_series(bool finish);
  void arm_series_timer(bool finish);
  void finish_close(bool complete);

  const rest::Client client_;
  const EventBroadcasterOptions options_;
  Random& random_;
  const Strand strand_;

  std::mutex mutex_;
  std::deque<EventRecord> queue_;  // guarded by mutex_
  bool scheduled_ = false;         // guarded by mutex_; next() is posted or a write is under way
  bool closed_ = false;            // guarded by mutex_

  // The rest belongs to the strand.
  EventCorrelator correlator_;
  EventSeries series_;
  std::deque<EventWrite> due_;  // series patches, before the queue
  std::optional<EventWrite> writing_;
  int tries_ = 0;
  std::unique_ptr<meta::Call> call_;
  Timer attempt_timer_;
  Timer sleep_timer_;
  Timer series_timers_[2];
  bool draining_ = false;
  bool ended_ = false;
  Timer drain_timer_;
  UniqueFunction<void(bool)> drained_;

  Counter created_;
  Counter patched_;
  Counter counted_;
  Counter failed_;
  Counter dropped_;
};

}  // namespace kubexx::events
