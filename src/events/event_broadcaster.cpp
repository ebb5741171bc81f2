#include "kubexx/events/event_broadcaster.hpp"

#include <unistd.h>

#include <mutex>
#include <vector>

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
struct KUBEXX_HIDDEN EventRecorder::Impl {
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

Result<EventRecord> EventRecorder::Impl::make(const meta::Object& about, std::string_view type, std::string_view reason,
                                              std::string_view message, const EventDetails& details) const {
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

void EventRecorder::Impl::dispatch(EventRecord event) const {
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

EventRecorder::EventRecorder(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

EventRecorder EventRecorder::to(std::function<void(const meta::Object&)> take, const Clock& clock) {
  auto impl = std::make_shared<Impl>();
  impl->take = std::move(take);
  impl->clock = &clock;
  impl->component = "test";
  return EventRecorder(std::move(impl));
}

void EventRecorder::event(const meta::Object& about, std::string_view type, std::string_view reason,
                          std::string_view message, const EventDetails& details) const {
  if (!impl_) return;
  auto event = impl_->make(about, type, reason, message, details);
  if (event) return impl_->dispatch(std::move(*event));
  if (impl_->sink) impl_->sink->dropped(event.error().message(), reason);
}

struct KUBEXX_HIDDEN EventBroadcaster::Impl {
  std::shared_ptr<EventSink> sink;
  EventBroadcasterOptions options;
  std::shared_ptr<Executor> handlers;
  std::optional<Strand> listener;
  std::mutex mutex;
  std::optional<bool> complete;            // guarded by mutex
  bool closing = false;                    // guarded by mutex
  std::vector<Async<bool>::Done> waiting;  // guarded by mutex

  void complete_with(bool all_written, Async<bool>::Done done) const {
    const auto& strand = sink->strand();
    strand.post(detail::completing<bool>(strand.executor(), std::move(done), all_written));
  }

  void closed(bool all_written) {
    std::vector<Async<bool>::Done> told;
    {
      const std::lock_guard lock(mutex);
      complete = all_written;
      told.swap(waiting);
    }
    // Not at once: who waits wants to be the last owner of all this.
    for (auto& done : told) complete_with(all_written, std::move(done));
  }
};

EventBroadcaster::EventBroadcaster(rest::Client client, EventBroadcasterOptions options)
    : impl_(std::make_shared<Impl>()) {
  impl_->handlers = client.handlers();
  if (options.on_event) impl_->listener.emplace(impl_->handlers);
  impl_->sink = std::make_shared<EventSink>(std::move(client), options);
  impl_->options = std::move(options);
  impl_->sink->start();
}

EventBroadcaster::~EventBroadcaster() {
  shutdown(impl_->options.flush);
}

EventRecorder EventBroadcaster::recorder(std::string component, std::string instance) const {
  auto impl = std::make_shared<EventRecorder::Impl>();
  impl->sink = impl_->sink;
  impl->clock = &impl_->sink->clock();
  impl->options = impl_->options;
  impl->listener = impl_->listener;
  impl->component = std::move(component);
  impl->instance = utf8_prefix(instance.empty() ? host_name() : instance, kMaxShort);
  return EventRecorder(std::move(impl));
}

Async<bool> EventBroadcaster::shutdown_async(Duration flush) {
  const auto begin = [impl = impl_, flush](Async<bool>::Done done) {
    bool close = false;
    {
      std::unique_lock lock(impl->mutex);
      if (impl->complete) {
        const bool complete = *impl->complete;
        lock.unlock();
        return impl->complete_with(complete, std::move(done));
      }
      impl->waiting.push_back(std::move(done));
      close = !std::exchange(impl->closing, true);
    }
    if (close) impl->sink->close(flush, [impl](bool all_written) { impl->closed(all_written); });
  };
  return Async<bool>(impl_->sink->strand().executor(), begin).needs(impl_->handlers);
}

bool EventBroadcaster::shutdown(Duration flush) {
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->complete) return *impl_->complete;
  }
  // An executor that goes away leaves it incomplete.
  const auto complete = shutdown_async(flush).map([](bool all) { return Result<bool>(all); }).wait();
  if (!complete && !complete.error().is_canceled()) report_error(complete.error(), "events");
  return complete.value_or(false);
}

}  // namespace kubexx::events
