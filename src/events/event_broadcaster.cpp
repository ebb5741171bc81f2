#include "kubexx/events/event_broadcaster.hpp"

#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "events/event_sink.hpp"
#include "kubexx/base/error_sink.hpp"

namespace kubexx::events {
namespace {

constexpr std::size_t kMaxMessage = 8 << 10;
constexpr std::size_t kMaxShort = 128;  // what the server takes for reason, action and instance

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "unknown";
  return name;
}

}  // namespace

/// Where a recorder's events go: a sink, or (in tests) a function.
struct EventRecorder::State {
  std::shared_ptr<EventSink> sink;
  std::function<void(const meta::Object&)> take;
  const Clock* clock;
  EventBroadcasterOptions options;
  std::optional<Strand> listener;
  std::string component;
  std::string instance;

  Result<EventRecord> make(const meta::Object& about, std::string_view type, std::string_view reason,
                           std::string_view message, const EventDetails& details) const;
  void dispatch(EventRecord event) const;
};

Result<EventRecord> EventRecorder::State::make(const meta::Object& about, std::string_view type,
                                               std::string_view reason, std::string_view message,
                                               const EventDetails& details) const {
  if (type != "Normal" && type != "Warning") {
    return Error::config("the type of an event is Normal or Warning, not \"" + std::string(utf8_prefix(type, 64)) +
                         "\"");
  }
  auto reference = event_reference(about, details.field_path);
  if (!reference) return reference.error();
  EventRecord event;
  if (details.related) {
    auto related = event_reference(details.related);
    if (!related) return related.error().with_context("related object");
    event.related = std::move(*related);
  }
  event.first = event.last = clock->wall();
  event.namespace_ = reference->namespace_.empty() ? "default" : reference->namespace_;
  event.name = event_name(reference->name, event.first);
  event.about = std::move(*reference);
  event.type = type;
  event.reason = utf8_prefix(reason, kMaxShort);
  event.action = utf8_prefix(details.action, kMaxShort);
  event.message = utf8_prefix(message, kMaxMessage);
  event.component = component;
  event.instance = instance;
  event.annotations = details.annotations;
  return event;
}

void EventRecorder::State::dispatch(EventRecord event) const {
  if (take) return take(event_object(event, EventApi::Core));
  log(options.log_level, "event",
      {{"object", event.about.kind + " " + event.namespace_ + "/" + event.about.name},
       {"type", event.type},
       {"reason", event.reason},
       {"message", event.message}});
  if (listener && listener->depth() < options.queue) {
    listener->post([object = event_object(event, options.api), on_event = options.on_event] {
      call_isolated("event listener", [&] { on_event(object); });
    });
  }
  sink->push(std::move(event));
}

EventRecorder::EventRecorder(std::shared_ptr<const State> state) : state_(std::move(state)) {}

EventRecorder EventRecorder::to(std::function<void(const meta::Object&)> take, const Clock& clock) {
  auto state = std::make_shared<State>();
  state->take = std::move(take);
  state->clock = &clock;
  state->component = "test";
  return EventRecorder(std::move(state));
}

void EventRecorder::event(const meta::Object& about, std::string_view type, std::string_view reason,
                          std::string_view message, const EventDetails& details) const {
  if (!state_) return;
  auto event = state_->make(about, type, reason, message, details);
  if (event) return state_->dispatch(std::move(*event));
  if (state_->sink) state_->sink->dropped(event.error().message(), reason);
}

struct EventBroadcaster::State {
  std::shared_ptr<EventSink> sink;
  EventBroadcasterOptions options;
  std::optional<Strand> listener;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<bool> complete;  // guarded by mutex
  bool closing = false;          // guarded by mutex
};

EventBroadcaster::EventBroadcaster(rest::Client client, EventBroadcasterOptions options)
    : state_(std::make_shared<State>()) {
  if (options.on_event) state_->listener.emplace(client.handlers());
  state_->sink = std::make_shared<EventSink>(std::move(client), options);
  state_->options = std::move(options);
  state_->sink->start();
}

EventBroadcaster::~EventBroadcaster() {
  shutdown(state_->options.flush);
}

EventRecorder EventBroadcaster::recorder(std::string component, std::string instance) const {
  auto state = std::make_shared<EventRecorder::State>();
  state->sink = state_->sink;
  state->clock = &state_->sink->clock();
  state->options = state_->options;
  state->listener = state_->listener;
  state->component = std::move(component);
  state->instance = utf8_prefix(instance.empty() ? host_name() : instance, kMaxShort);
  return EventRecorder(std::move(state));
}

bool EventBroadcaster::shutdown(Duration flush) {
  std::unique_lock lock(state_->mutex);
  if (!std::exchange(state_->closing, true)) {
    lock.unlock();
    state_->sink->close(flush, [state = state_](bool complete) {
      const std::lock_guard guard(state->mutex);
      state->complete = complete;
      state->changed.notify_all();
    });
    lock.lock();
  }
  state_->changed.wait(lock, [&] { return state_->complete.has_value(); });
  return *state_->complete;
}

}  // namespace kubexx::events
