#include "logs/log_source.hpp"

#include <utility>

#include "kubexx/meta/time.hpp"
#include "meta/internal/nano_time.hpp"

namespace kubexx::logs {
namespace {

constexpr int kPatience = 3;  // failures in a row after which others get the slot

}  // namespace

LogSource::LogSource(SourceHost& host, const Strand& strand, LogOrigin origin, SourceOptions options)
    : host_(host),
      strand_(strand),
      options_(std::move(options)),
      origin_(std::make_shared<const LogOrigin>(std::move(origin))),
      backoff_(options_.backoff, strand_.clock()),
      cursor_(Random::process().next()) {}

void LogSource::update(const ContainerState& state) {
  if (gone_ || closed_ || state == state_) return;
  state_ = state;
  if (call_ && behind() && asked_ == Want::Current && cursor_.lacks_last())
    call_.reset();  // it is that of the next run
  if (call_ || queued_) return;
  timer_.cancel();  // what was waited for may have happened
  go_on();
}

void LogSource::remove() {
  if (gone_ || closed_) return;
  gone_ = true;
  timer_.cancel();
  if (!call_) {
    if (state_.started && (cut_ || behind())) lose();
    return close();
  }
  timer_ = strand_.post_after(options_.drain, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->close();
  });
}

void LogSource::granted() {
  queued_ = false;
  slot_ = true;
  go_on();
}

void LogSource::consumed(std::size_t bytes) {
  waiting_bytes_ -= bytes;
  if (!held_ || waiting_bytes_ > options_.max_waiting_bytes / 2) return;
  held_ = false;
  if (call_) call_->resume();
}

void LogSource::close() {
  if (std::exchange(closed_, true)) return;
  timer_.cancel();
  call_.reset();
  held_ = false;
  leave_slot();
  host_.ended(*this);
}

/// What is to be read next. A server has the log of the current run and of the one before it.
LogSource::Want LogSource::plan() {
  if (!state_.started) return Want::Nothing;
  if (!run_) begin_run(state_.restarts);
  if (*run_ > state_.restarts + 1) begin_run(state_.restarts);  // of a status that was reset
  if (behind()) doubted_ = false;
  if (doubted_) return Want::Previous;
  if (behind() && !complete_ && *run_ < state_.restarts - 1) {
    lose();
    complete_ = true;
  }
  if (behind() && complete_) {
    if (*run_ < state_.restarts - 2) lose();
    begin_run(*run_ < state_.restarts - 1 ? state_.restarts - 1 : state_.restarts);
  }
  if (behind()) return Want::Previous;
  return complete_ && state_.over && !ahead() ? Want::Nothing : Want::Current;
}

void LogSource::begin_run(std::int64_t run) {
  first_ = !run_;
  run_ = run;
  complete_ = false;
  opened_ = false;
  seen_ = false;
  gap_is_real_ = false;
  auto next = *origin_;
  next.restarts = run;
  origin_ = std::make_shared<const LogOrigin>(std::move(next));
}

void LogSource::lose() {
  lost_ = true;
  host_.count_gap();
}

void LogSource::go_on() {
  const Want want = plan();
  if (want == Want::Nothing) return leave_slot();
  if (slot_) return ask(want);
  queued_ = true;
  host_.want_slot(shared_from_this());
}

client::LogOptions LogSource::query(Want want) const {
  client::LogOptions query;
  query.container = origin_->container;
  query.timestamps = true;
  query.previous = want == Want::Previous;
  query.follow = want == Want::Current && (!state_.over || ahead());
  auto since = options_.since;
  if (cursor_.last() && (!since || *cursor_.last() > *since)) since = cursor_.last();
  if (since) query.since_time = meta::Time::from_wall(*since).to_string();
  if (first_ && !cursor_.last()) query.tail_lines = options_.tail_lines;
  return query;
}

void LogSource::ask(Want want) {
  asked_ = want;
  asked_to_end_ = want == Want::Previous || (state_.over && !ahead());
  lines_.emplace(options_.max_line_bytes);
  mid_line_ = false;
  stray_ = false;
  took_ = false;
  line_time_ = cursor_.last().value_or(WallTime());
  cursor_.begin(seen_);
  rest::ByteCallbacks callbacks;
  callbacks.on_open = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_open();
  };
  callbacks.on_bytes = [weak = weak_from_this()](std::string_view bytes) {
    if (const auto self = weak.lock()) self->on_bytes(bytes);
  };
  callbacks.on_end = [weak = weak_from_this()](const Error* error) {
    if (const auto self = weak.lock()) self->on_end(error);
  };
  call_ = host_.open(*origin_, query(want), std::move(callbacks));
  if (held_) call_->hold();
}

void LogSource::on_open() {
  if (opened_ && !asked_to_end_) host_.count_resumed();
  // Nothing was seen yet, and "the last lines" are others now.
  if (opened_ && !cursor_.last() && first_ && options_.tail_lines) lose();
  opened_ = true;
  told_.clear();
}

void LogSource::on_bytes(std::string_view bytes) {
  failures_ = 0;
  lines_->take(bytes, [this](std::string_view text, bool whole) { return on_line(text, whole); });
  send();
  if (stray_) doubt();
}

bool LogSource::on_line(std::string_view text, bool whole) {
  if (!std::exchange(mid_line_, !whole)) {
    const auto space = text.find(' ');
    if (const auto time = meta::parse_nano_text(text.substr(0, space))) {
      line_time_ = *time;
      text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    }
  }
  if (options_.since && line_time_ < *options_.since) return true;  // a server knows whole seconds alone
  // Of a previous log that is looked at in doubt, what is newer than all that was seen is of a run in between.
  const bool may_follow_gap =
      gap_is_real_ || (asked_ == Want::Previous && (!doubted_ || line_time_ > cursor_.last().value_or(WallTime())));
  const auto verdict = cursor_.take(line_time_, text, may_follow_gap);
  if (verdict == LogCursor::Verdict::Known) return true;
  if (verdict == LogCursor::Verdict::AfterGap) {
    stray_ = !may_follow_gap;
    if (stray_) return false;
    lose();
  }
  seen_ = true;
  took_ = true;
  gap_is_real_ = false;
  if (!batch_) batch_.emplace(origin_);
  batch_->add(line_time_, text, !whole, std::exchange(lost_, false));
  return true;
}

void LogSource::send() {
  if (!batch_) return;
  backoff_.reset();
  waiting_bytes_ += batch_->bytes();
  host_.deliver(shared_from_this(), std::move(*batch_));
  batch_.reset();
  if (waiting_bytes_ < options_.max_waiting_bytes || held_ || !call_) return;
  held_ = true;
  call_->hold();
  host_.changed(*this);
}

void LogSource::on_end(const Error* error) {
  const auto ended = std::move(call_);
  // A last line without an end is whole where nothing more is written; else it comes again.
  if (!error && (asked_to_end_ || gone_)) {
    lines_->end([this](std::string_view text, bool whole) { return on_line(text, whole); });
    send();
    if (stray_) return doubt();
  }
  held_ = held_ && waiting_bytes_ > options_.max_waiting_bytes / 2;
  conclude(error);
}

/// The answer is of another run, or the node lost lines.
void LogSource::doubt() {
  call_.reset();
  if (asked_ == Want::Current) {
    doubted_ = true;
  } else {
    doubted_ = false;
    gap_is_real_ = true;
  }
  if (gone_) {
    lose();
    return close();
  }
  go_on();
}

/// What the previous log said. False: nothing.
bool LogSource::settle_doubt(const Error* error) {
  if (error && error->code() != 400) return false;
  doubted_ = false;
  if (!error && (cursor_.found_last() || took_)) {
    begin_run(*run_ + 1);
  } else {
    gap_is_real_ = true;
  }
  return true;
}

void LogSource::conclude(const Error* error) {
  cut_ = error != nullptr;
  if (doubted_ && !gone_ && asked_ == Want::Previous && settle_doubt(error)) return go_on();
  if (!error && asked_to_end_) {
    if (cursor_.lacks_last()) {
      if (asked_ == Want::Current && !gap_is_real_) return doubt();
      lose();
    }
    complete_ = true;
  }
  if (error && asked_ == Want::Previous && error->code() == 400) {  // the node has it no more
    lose();
    complete_ = true;
    error = nullptr;
  }
  if (gone_) {
    if (error) lose();
    return close();
  }
  if (error) {
    ++failures_;
    if (error->message() != told_) {
      told_ = error->message();
      host_.problem(origin_, *error);
    }
  }
  const bool news = complete_ || behind() || (!error && state_.over && !asked_to_end_);
  if (news && !error) return go_on();
  wait();
}

void LogSource::wait() {
  if (failures_ >= kPatience) leave_slot();
  timer_ = strand_.post_after(backoff_.next(), [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && !self->closed_) self->go_on();
  });
}

void LogSource::leave_slot() {
  if (!slot_ && !queued_) return;
  slot_ = false;
  queued_ = false;
  host_.leave_slot(*this);
}

}  // namespace kubexx::logs
