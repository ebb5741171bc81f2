#include "inspect/status_json.hpp"

#include "kubexx/controller/status.hpp"
#include "kubexx/workqueue/status.hpp"

namespace kubexx::inspect {
namespace {

std::string_view mode_of(const informer::InformerStatus& status) {
  using reflector::ReflectorState;
  if (status.reflector.state == ReflectorState::Polling) return "poll";
  if (status.reflector.synced_once) return status.reflector.used_watch_list ? "WatchList" : "list";
  if (status.reflector.state == ReflectorState::WatchListing) return "WatchList";
  return status.reflector.state == ReflectorState::Listing ? "list" : "";
}

std::string_view state_of(const informer::InformerStatus& status) {
  if (status.stopped) return "stopped";
  if (!status.started) return "not started";
  return reflector::to_string(status.reflector.state);
}

void write_handler(JsonText& text, const informer::HandlerStatus& handler) {
  text.object([&] {
    text.field("name", handler.name);
    text.field("depth", handler.depth);
    text.field("oldest", handler.oldest);
    text.field("calls", handler.calls);
    text.field("errors", handler.errors);
    text.field("last", handler.last_call);
    text.field("slowest", handler.slowest_call);
    text.field("busy", handler.busy);
    text.field("running", handler.running);
    text.field("synced", handler.synced);
  });
}

void write_informer(JsonText& text, const Entry& entry) {
  const auto status = entry.informer().status();
  const auto& resource = entry.informer().resource();
  text.object([&] {
    text.field("id", entry.id());
    text.field("resource", resource.resource.empty() ? status.description : resource.resource);
    text.field("api", resource.api_version());
    text.field("scope", status.scope);
    text.list("namespaces", [&] {
      for (const auto& namespace_ : status.namespaces) text.value(std::string_view(namespace_));
    });
    text.field("state", state_of(status));
    text.field("mode", mode_of(status));
    text.field("synced", status.synced);
    text.field("restored", status.restored);
    text.field("stale", status.stale);
    text.field("objects", status.objects);
    text.field("bytes", status.bytes);
    text.field("pending", status.queue_depth);
    text.field("version", entry.version());
    text.field("rv", status.resource_version);
    text.field("lag", status.lag);
    text.field("progress", status.reflector.initial_items);
    text.field("attempts", status.reflector.attempts);
    text.field("lists", status.reflector.lists);
    text.field("watches", status.reflector.watches);
    text.field("skipped", status.reflector.skipped);
    text.field("received", status.reflector.received_bytes);
    text.field("repairs", status.repairs);
    text.object("events", [&] {
      text.field("add", status.events.adds);
      text.field("update", status.events.updates);
      text.field("delete", status.events.deletes);
      text.field("resync", status.events.resyncs);
    });
    text.object("restarts", [&] {
      for (const auto& [reason, count] : status.reflector.restarts) text.field(reason, count);
    });
    text.field("error", status.reflector.last_error ? status.reflector.last_error->message() : std::string());
    text.list("handlers", [&] {
      for (const auto& handler : status.handlers) write_handler(text, handler);
    });
  });
}

}  // namespace

void write_informers(JsonText& text, const Entries& entries) {
  text.list("informers", [&] {
    for (const auto& entry : entries) write_informer(text, *entry);
  });
}

void write_queues(JsonText& text) {
  text.list("queues", [&] {
    for (const auto& queue : workqueue::live_queues()) {
      text.object([&] {
        text.field("name", queue.name);
        text.field("depth", queue.depth);
        text.field("processing", queue.processing);
        text.field("delayed", queue.delayed);
        text.field("remembered", queue.remembered);
        text.field("adds", queue.adds);
        text.field("retries", queue.retries);
        text.field("unfinished", queue.unfinished);
        text.field("longest", queue.longest_running);
        text.field("stopping", queue.shutting_down);
      });
    }
  });
}

void write_controllers(JsonText& text) {
  text.list("controllers", [&] {
    for (const auto& controller : controller::live_controllers()) {
      text.object([&] {
        text.field("name", controller.name);
        text.field("state", to_string(controller.state));
        text.list("sources", [&] {
          for (const auto& source : controller.sources) text.value(std::string_view(source));
        });
        text.field("depth", controller.queue.depth);
        text.field("workers", controller.workers);
        text.field("active", controller.active);
        text.field("reconciles", controller.reconciles);
        text.field("requeues", controller.requeues);
        text.field("errors", controller.errors);
        text.field("timeouts", controller.timeouts);
        text.field("error", controller.last_error ? controller.last_error->message() : std::string());
        text.field("errorKey", controller.last_error_key);
      });
    }
  });
}

std::string versions_json(const Entries& entries) {
  JsonText text;
  text.object([&] {
    for (const auto& entry : entries) text.field(entry->id(), entry->version());
  });
  return text.take();
}

std::string history_json(const Entries& entries) {
  JsonText text;
  text.object([&] {
    for (const auto& entry : entries) {
      text.list(entry->id(), [&] {
        for (const auto events : entry->history()) text.value(events);
      });
    }
  });
  return text.take();
}

Readiness readiness(const Entries& entries) {
  Readiness result;
  for (const auto& entry : entries) {
    const auto status = entry->informer().status();
    std::string reason;
    if (status.stopped) {
      reason = "stopped";
    } else if (!status.started) {
      reason = "not started";
    } else if (!status.synced) {
      reason = "not synced, " + std::string(reflector::to_string(status.reflector.state));
    } else if (status.stale) {
      const auto lag = std::chrono::duration_cast<std::chrono::seconds>(status.lag).count();
      reason = "stale, nothing heard for " + std::to_string(lag) + " s";
    } else {
      continue;
    }
    if (status.reflector.last_error) reason += ": " + status.reflector.last_error->message();
    (status.synced && !status.stopped ? result.stale : result.unsynced).push_back(entry->id() + ": " + reason);
  }
  return result;
}

}  // namespace kubexx::inspect
