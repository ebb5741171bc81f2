#include "events/event_correlator.hpp"

#include <algorithm>
#include <initializer_list>

namespace kubexx::events {
namespace {

/// Parts with their lengths, so that no two lists of parts make one key.
std::string key_of(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const auto part : parts) key.append(std::to_string(part.size())).append(":").append(part);
  return key;
}

std::string similar_key(const EventRecord& e) {
  return key_of({e.component, e.instance, e.about.kind, e.about.namespace_, e.about.name, e.about.uid,
                 e.about.api_version, e.type, e.reason});
}

std::string full_key(const EventRecord& e) {
  return key_of({e.component, e.instance, e.about.kind, e.about.namespace_, e.about.name, e.about.field_path,
                 e.about.uid, e.about.api_version, e.type, e.reason, e.message});
}

std::string flood_key(const EventRecord& e) {
  return key_of({e.component, e.instance, e.about.kind, e.about.namespace_, e.about.name, e.about.uid,
                 e.about.api_version, e.type});
}

std::string series_key(const EventRecord& e) {
  const auto reference = [](const EventReference& r) {
    return key_of({r.api_version, r.kind, r.namespace_, r.name, r.uid, r.field_path});
  };
  return key_of({e.type, e.action, e.reason, e.component, e.instance, reference(e.about), reference(e.related)});
}

}  // namespace

EventCorrelator::EventCorrelator(const EventBroadcasterOptions& options)
    : options_(options), similar_(options.remembered), seen_(options.remembered), buckets_(options.remembered) {}

std::string EventCorrelator::combine(EventRecord& event, TimePoint now) {
  auto key = similar_key(event);
  auto* group = similar_.find(key);
  if (!group || now - group->last > options_.similar_for) group = &similar_.put(key, Similar{});
  group->messages.insert(event.message);
  group->last = now;
  if (group->messages.size() < static_cast<std::size_t>(std::max(options_.similar, 1))) return full_key(event);
  group->messages.erase(event.message);  // the set stays one below the limit: the next message is one too many again
  event.message = "(combined from similar events): " + event.message;
  event.annotations.clear();
  event.related = {};
  return key;
}

bool EventCorrelator::spends_token(const EventRecord& event, TimePoint now) {
  const auto key = flood_key(event);
  auto* bucket = buckets_.find(key);
  if (!bucket) bucket = &buckets_.put(key, Bucket{static_cast<double>(options_.burst), now});
  if (options_.refill > Duration::zero()) {
    const auto gained = std::chrono::duration<double>(now - bucket->filled) / options_.refill;
    bucket->tokens = std::min(static_cast<double>(options_.burst), bucket->tokens + gained);
  }
  bucket->filled = now;
  if (bucket->tokens < 1) return false;
  bucket->tokens -= 1;
  return true;
}

EventWrite EventCorrelator::observe(EventRecord event, TimePoint now) {
  const auto key = combine(event, now);
  if (const auto* before = seen_.find(key)) {
    event.name = before->name;
    event.first = before->first;
    event.count = before->count + 1;
  }
  seen_.put(key, Seen{event.count, event.first, event.name});
  if (!spends_token(event, now)) return {EventWrite::What::Skip, std::move(event)};
  return {event.count > 1 ? EventWrite::What::Patch : EventWrite::What::Create, std::move(event)};
}

EventSeries::EventSeries(const EventBroadcasterOptions& options) : options_(options), running_(options.remembered) {}

EventWrite EventSeries::observe(EventRecord event, TimePoint now) {
  const auto key = series_key(event);
  auto* running = running_.find(key);
  if (!running) {
    running_.put(key, Running{event, now, 1});
    return {EventWrite::What::Create, std::move(event)};
  }
  running->last = now;
  running->event.last = event.last;
  ++running->event.count;
  if (running->event.count > 2) return {EventWrite::What::Skip, running->event};
  running->written = running->event.count;
  return {EventWrite::What::Patch, running->event};
}

std::vector<EventRecord> EventSeries::finish(TimePoint now) {
  std::vector<EventRecord> patches;
  std::vector<std::string> ended;
  for (auto& [key, running] : running_.entries()) {
    if (now - running.last < options_.series_finish) continue;
    if (running.event.count != running.written) patches.push_back(running.event);
    ended.push_back(key);
  }
  for (const auto& key : ended) running_.erase(key);
  return patches;
}

std::vector<EventRecord> EventSeries::refresh() {
  std::vector<EventRecord> patches;
  for (auto& [key, running] : running_.entries()) {
    if (running.event.count == running.written) continue;
    running.written = running.event.count;
    patches.push_back(running.event);
  }
  return patches;
}

}  // namespace kubexx::events
