#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "base/internal/deadline.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::client {

/// Brings what an asynchronous call delivers on its strand to a thread that waits for it. A reader that falls behind
/// holds the call, so little piles up.
template <class Item>
class Mailbox : public std::enable_shared_from_this<Mailbox<Item>> {
 public:
  /// `limit`: items that may wait before the call is held.
  Mailbox(const kubexx::detail::Awaited& awaited, Strand strand, std::size_t limit)
      : awaited_(awaited), strand_(std::move(strand)), limit_(limit) {}

  /// Runs `start`, which makes the call, on the strand. The call is released by close().
  template <class Start>
  void begin(Start start) {
    strand_.post([self = this->shared_from_this(), start = std::move(start)]() mutable {
      if (!self->closed_) self->call_ = start();
    });
  }
  void close() {
    strand_.post([self = this->shared_from_this()] {
      self->closed_ = true;
      self->call_.reset();
    });
  }

  /// On the strand.
  void put(Item item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    arrived_.notify_all();
    if (items_.size() < limit_ || held_ || !call_) return;
    held_ = true;
    call_->hold();
  }
  void end(const Error* error) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (error) error_ = *error;
    arrived_.notify_all();
  }

  /// The next item; nothing when the call ended well. Canceled and Timeout come before what still waits.
  Result<std::optional<Item>> next(const std::stop_token& stop, std::optional<TimePoint> deadline) {
    std::unique_lock lock(mutex_);
    const auto left = deadline ? *deadline - strand_.clock().now() : Duration::max();
    const auto until = kubexx::detail::after(Clock::system().now(), left);
    const auto met = arrived_.wait(awaited_, lock, [this] { return ended_ || !items_.empty(); }, stop, until);
    if (!met) return met.error();
    if (stop.stop_requested()) return Error::canceled();
    if (!*met) return Error::timeout("nothing more came in time");
    if (items_.empty()) {
      if (error_) return *error_;
      return std::optional<Item>();
    }
    auto item = std::move(items_.front());
    items_.pop_front();
    if (items_.empty() && held_) {
      held_ = false;
      strand_.post([self = this->shared_from_this()] {
        if (self->call_) self->call_->resume();
      });
    }
    return std::optional<Item>(std::move(item));
  }

 private:
  const kubexx::detail::Awaited awaited_;  // of the thread that waits
  const Strand strand_;
  const std::size_t limit_;
  std::unique_ptr<meta::Call> call_;  // of the strand
  bool closed_ = false;               // of the strand
  std::mutex mutex_;
  kubexx::detail::DrivingCondition arrived_;
  std::deque<Item> items_;      // guarded by mutex_
  bool held_ = false;           // guarded by mutex_
  bool ended_ = false;          // guarded by mutex_
  std::optional<Error> error_;  // guarded by mutex_
};

/// Puts the events of a watch into a mailbox, without keeping it.
class EventPutter final : public meta::StreamSink {
 public:
  explicit EventPutter(std::weak_ptr<Mailbox<meta::WatchEvent>> box) : box_(std::move(box)) {}
  void on_event(meta::WatchEvent event) override {
    if (const auto box = box_.lock()) box->put(std::move(event));
  }
  void on_end(Result<meta::ListMeta> end) override {
    if (const auto box = box_.lock()) box->end(end ? nullptr : &end.error());
  }

 private:
  const std::weak_ptr<Mailbox<meta::WatchEvent>> box_;
};

/// Hands the items of a call to `take` on this thread until it says false (success), the call ends, stop or timeout.
/// `start(strand, mailbox)` makes the call, which fills the mailbox and does not keep it; it runs on the strand.
template <class Item, class Start, class Take>
Result<void> read_stream(const rest::Client& client, const rest::CallOptions& limits, std::size_t waiting, Start start,
                         Take take) {
  if (limits.stop.stop_requested()) return Error::canceled();
  const kubexx::detail::Awaited awaited{client.executor().get(), client.handlers().get()};
  if (auto possible = awaited.possible(); !possible) return possible;
  const Strand strand(client.executor());
  const auto box = std::make_shared<Mailbox<Item>>(awaited, strand, waiting);
  std::optional<TimePoint> deadline;
  if (limits.timeout) deadline = strand.clock().now() + *limits.timeout;
  box->begin([strand, &box = *box, start = std::move(start)]() mutable { return start(strand, box); });
  struct Closer {
    Mailbox<Item>& box;
    ~Closer() { box.close(); }
  } closer{*box};
  while (true) {
    auto item = box->next(limits.stop, deadline);
    if (!item) return item.error();
    if (!*item) return {};
    Result<bool> more = take(**item);
    if (!more) return more.error();
    if (!*more) return {};
  }
}

}  // namespace kubexx::client
