#include "events/event_sink.hpp"

#include <utility>

#include "kubexx/base/log.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::events {

EventSink::EventSink(rest::Client client, const EventBroadcasterOptions& options)
    : client_(std::move(client)),
      options_(options),
      random_(options.random ? *options.random : Random::process()),
      strand_(client_.executor()),
      correlator_(options),
      series_(options) {
  const auto counter = [&](const char* result) {
    return client_.metrics()->counter("kubexx_events_total", "Events recorded, by what became of them",
                                      {{"result", result}});
  };
  created_ = counter("created");
  patched_ = counter("patched");
  counted_ = counter("counted");  // filtered, or part of a series that is written later
  failed_ = counter("failed");
  dropped_ = counter("dropped");
}

void EventSink::start() {
  if (options_.api != EventApi::Events) return;
  arm_series_timer(true);
  arm_series_timer(false);
}

void EventSink::dropped(std::string_view why, std::string_view reason) {
  dropped_.add();
  log(LogLevel::Warning, "event dropped", {{"why", why}, {"reason", reason}});
}

void EventSink::push(EventRecord event) {
  std::string_view refused;
  bool schedule = false;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      refused = "the broadcaster was shut down";
    } else if (queue_.size() >= options_.queue) {
      refused = "the queue is full";
    } else {
      queue_.push_back(std::move(event));
      schedule = !scheduled_;
      scheduled_ = true;
    }
  }
  if (!refused.empty()) return dropped(refused, event.reason);
  if (schedule) {
    strand_.post([self = shared_from_this()] { self->next(); });
  }
}

/// Takes events until one has to be written. Runs only while nothing is being written.
void EventSink::next() {
  while (!writing_ && !ended_) {
    if (!due_.empty()) {
      auto patch = std::move(due_.front());
      due_.pop_front();
      write(std::move(patch));
      continue;
    }
    std::optional<EventRecord> event;
    {
      const std::lock_guard lock(mutex_);
      if (queue_.empty()) {
        scheduled_ = false;
      } else {
        event = std::move(queue_.front());
        queue_.pop_front();
      }
    }
    if (event) {
      const auto now = strand_.clock().now();
      write(options_.api == EventApi::Core ? correlator_.observe(std::move(*event), now)
                                           : series_.observe(std::move(*event), now));
      continue;
    }
    if (!draining_) return;
    tend_series(false);
    if (due_.empty()) return finish_close(true);
  }
}

void EventSink::write(EventWrite write) {
  if (write.what == EventWrite::What::Skip) return counted_.add();
  writing_ = std::move(write);
  tries_ = 0;
  attempt();
}

void EventSink::attempt() {
  ++tries_;
  const bool patch = writing_->what == EventWrite::What::Patch;
  const auto& event = writing_->event;
  rest::Request request;
  request.method = patch ? "PATCH" : "POST";
  request.path.resource = options_.api == EventApi::Core ? meta::GroupVersionResource{"", "v1", "events"}
                                                         : meta::GroupVersionResource{"events.k8s.io", "v1", "events"};
  request.path.namespace_ = event.namespace_;
  if (patch) {
    request.path.name = event.name;
    request.content_type = "application/strategic-merge-patch+json";
    request.body = event_patch(event, options_.api);
  } else {
    request.body = meta::to_json(event_object(event, options_.api));
  }
  attempt_timer_ = strand_.post_after(options_.attempt_timeout, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->call_) self->answered(Error::timeout("no answer in time"));
  });
  call_ = client_.start(std::move(request), strand_, [weak = weak_from_this()](Result<rest::Response> answer) {
    if (const auto self = weak.lock()) self->answered(answer);
  });
}

void EventSink::answered(const Result<rest::Response>& answer) {
  attempt_timer_.cancel();
  call_.reset();
  if (!answer) return failed(answer.error());
  (writing_->what == EventWrite::What::Patch ? patched_ : created_).add();
  end_write();
}

void EventSink::failed(const Error& error) {
  if (error.is_not_found() && writing_->what == EventWrite::What::Patch) {
    writing_->what = EventWrite::What::Create;  // the event was forgotten by the server meanwhile
    return attempt();
  }
  const bool answered = error.kind() != ErrorKind::Transport && error.kind() != ErrorKind::Timeout;
  if (answered || draining_ || tries_ >= options_.tries) {
    const bool quiet = error.is_already_exists() || error.has_cause("NamespaceTerminating");
    log(quiet ? LogLevel::Debug : LogLevel::Warning, "event not written",
        {{"event", writing_->event.namespace_ + "/" + writing_->event.name},
         {"reason", writing_->event.reason},
         {"tries", tries_},
         {"error", error}});
    failed_.add();
    return end_write();
  }
  // The first wait is a random part of the usual one: programs that lost one server do not come back as one.
  const auto scale = tries_ == 1 ? random_.uniform() : 1.0;
  const auto delay = Duration(static_cast<Duration::rep>(scale * static_cast<double>(options_.retry_delay.count())));
  sleep_timer_ = strand_.post_after(delay, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->writing_ && !self->call_) self->attempt();
  });
}

void EventSink::end_write() {
  writing_.reset();
  strand_.post([self = shared_from_this()] { self->next(); });
}

void EventSink::arm_series_timer(bool finish) {
  const auto period = finish ? options_.series_finish : options_.series_refresh;
  series_timers_[finish ? 0 : 1] = strand_.post_after(period, [weak = weak_from_this(), finish] {
    const auto self = weak.lock();
    if (!self || self->draining_) return;
    self->tend_series(finish);
    bool schedule = false;
    {
      const std::lock_guard lock(self->mutex_);
      schedule = !self->due_.empty() && !self->scheduled_;
      if (schedule) self->scheduled_ = true;
    }
    self->arm_series_timer(finish);
    if (schedule) self->next();
  });
}

void EventSink::tend_series(bool finish) {
  auto patches = finish ? series_.finish(strand_.clock().now()) : series_.refresh();
  for (auto& event : patches) due_.push_back({EventWrite::What::Patch, std::move(event)});
}

void EventSink::close(Duration flush, UniqueFunction<void(bool)> done) {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  strand_.post([self = shared_from_this(), flush, done = std::move(done)]() mutable {
    if (self->draining_) return done(true);
    self->draining_ = true;
    self->drained_ = std::move(done);
    for (auto& timer : self->series_timers_) timer.cancel();
    self->drain_timer_ = self->strand_.post_after(flush, [weak = self->weak_from_this()] {
      if (const auto sink = weak.lock()) sink->finish_close(false);
    });
    self->sleep_timer_.cancel();
    if (!self->writing_) return self->next();
    if (!self->call_) self->attempt();
  });
}

void EventSink::finish_close(bool complete) {
  if (ended_) return;
  ended_ = true;
  attempt_timer_.cancel();
  drain_timer_.cancel();
  call_.reset();
  std::size_t left = writing_ ? 1 : 0;
  writing_.reset();
  {
    const std::lock_guard lock(mutex_);
    left += queue_.size();
    queue_.clear();
  }
  dropped_.add(static_cast<double>(left));
  if (left > 0) log(LogLevel::Warning, "events dropped at shutdown", {{"events", left}});
  auto done = std::exchange(drained_, {});  // it owns the broadcaster's state, and that owns this
  done(complete);
}

}  // namespace kubexx::events
