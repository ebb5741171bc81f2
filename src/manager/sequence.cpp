#include "manager/sequence.hpp"

#include <utility>

#include "base/internal/duration_text.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::manager {

void Sequence::add(Component component, std::size_t place) {
  entries_.push_back({std::move(component), place});
}

void Sequence::start(const election::LeaderGuard& guard, Done up) {
  guard_ = guard;
  up_ = std::move(up);
  begin(0);
}

void Sequence::begin(std::size_t which) {
  if (which == entries_.size()) {
    if (auto up = std::exchange(up_, nullptr)) up({});
    return;
  }
  Entry& entry = entries_[which];
  entry.phase = Phase::Starting;
  entry.stop = std::stop_source();
  const auto run = ++entry.run;
  setting_.board->set(entry.place, ComponentState::Starting);
  entry.timer =
      setting_.strand.post_after(entry.component.start_deadline.value_or(setting_.start_deadline),
                                 [self = shared_from_this(), which, run] { self->start_is_late(which, run); });
  launch(which);
}

/// Its code runs where it may block.
void Sequence::launch(std::size_t which) {
  Entry& entry = entries_[which];
  const auto run = entry.run;
  ComponentRun given;
  given.stop = entry.stop.get_token();
  given.guard = guard_;
  given.started = [self = shared_from_this(), which, run] {
    self->post([which, run](Sequence& all) { all.came_up(which, run); });
  };
  auto ended = [self = shared_from_this(), which, run](const Result<void>& result) {
    self->post([which, run, result](Sequence& all) { all.ended(which, run, result); });
  };
  setting_.handlers->post([function = entry.component.run, given = std::move(given), ended]() mutable {
    try {
      function(std::move(given)).start(ended);
    } catch (...) {
      ended(current_exception_as_error());
    }
  });
}

void Sequence::came_up(std::size_t which, std::uint64_t run) {
  Entry& entry = entries_[which];
  if (entry.run != run || entry.phase != Phase::Starting) return;
  entry.timer.cancel();
  entry.phase = Phase::Running;
  setting_.board->set(entry.place, ComponentState::Running);
  if (up_) begin(which + 1);
}

void Sequence::ended(std::size_t which, std::uint64_t run, const Result<void>& result) {
  Entry& entry = entries_[which];
  if (entry.run != run) return;
  entry.timer.cancel();
  const auto phase = std::exchange(entry.phase, Phase::Idle);
  const bool asked = entry.stop.stop_requested();
  const bool well = result || (asked && result.error().is_canceled());
  const auto& name = entry.component.name;
  if (phase == Phase::Starting) {
    fail(entry, result ? Error::config("component " + name + " ended before it was up")
                       : result.error().with_context("component " + name + " did not start"));
  } else if (well) {
    if (phase == Phase::Stuck) --stuck_;
    setting_.board->set(entry.place, ComponentState::Ended);
  } else {
    fail(entry, result.error().with_context("component " + name));
  }
  if (phase == Phase::Stopping) stop_next();
}

/// What it waits for is asked where its code may run.
void Sequence::start_is_late(std::size_t which, std::uint64_t run) {
  const Entry& entry = entries_[which];
  if (entry.run != run || entry.phase != Phase::Starting) return;
  auto text = "component " + entry.component.name + " was not up within " +
              duration_text(entry.component.start_deadline.value_or(setting_.start_deadline));
  setting_.handlers->post(
      [self = shared_from_this(), which, run, text = std::move(text), missing = entry.component.missing]() mutable {
        if (missing) call_isolated("component", [&] { text += ": " + missing(); });
        self->post([which, run, text](Sequence& all) {
          Entry& late = all.entries_[which];
          if (late.run == run && late.phase == Phase::Starting) all.fail(late, Error::timeout(text));
        });
      });
}

void Sequence::fail(Entry& entry, const Error& error) {
  setting_.board->set(entry.place, ComponentState::Failed, error);
  log(LogLevel::Error, "a component failed", {{"component", entry.component.name}, {"error", error}});
  if (stopping_) return note(error);
  if (auto up = std::exchange(up_, nullptr)) {
    up(error);
  } else {
    failed_(error);
  }
}

void Sequence::stop(Done ended) {
  up_ = nullptr;
  ended_ = std::move(ended);
  first_error_.reset();
  if (!std::exchange(stopping_, true)) stop_next();
}

void Sequence::stop_next() {
  for (std::size_t which = entries_.size(); which-- > 0;) {
    Entry& entry = entries_[which];
    if (entry.phase == Phase::Stopping) return;
    if (entry.phase != Phase::Starting && entry.phase != Phase::Running) continue;
    entry.phase = Phase::Stopping;
    setting_.board->set(entry.place, ComponentState::Stopping);
    entry.timer = setting_.strand.post_after(
        entry.component.stop_deadline.value_or(setting_.stop_deadline),
        [self = shared_from_this(), which, run = entry.run] { self->stop_is_late(which, run); });
    entry.stop.request_stop();
    return;
  }
  stopping_ = false;
  guard_ = {};
  const auto first = std::exchange(first_error_, std::nullopt);
  if (auto done = std::exchange(ended_, nullptr)) done(first ? Result<void>(*first) : Result<void>());
}

void Sequence::stop_is_late(std::size_t which, std::uint64_t run) {
  Entry& entry = entries_[which];
  if (entry.run != run || entry.phase != Phase::Stopping) return;
  const auto deadline = duration_text(entry.component.stop_deadline.value_or(setting_.stop_deadline));
  const auto error = Error::timeout("component " + entry.component.name + " did not end within " + deadline);
  log(LogLevel::Error, "a component does not end", {{"component", entry.component.name}, {"deadline", deadline}});
  entry.phase = Phase::Stuck;
  ++stuck_;
  note(error);
  setting_.board->set(entry.place, ComponentState::Stuck, error);
  stop_next();
}

void Sequence::show(ComponentState state) {
  for (const Entry& entry : entries_) {
    if (entry.phase == Phase::Idle) setting_.board->set(entry.place, state);
  }
}

}  // namespace kubexx::manager
