#include "apiserver/cluster.hpp"

#include "apiserver/controllers/containers.hpp"
#include "apiserver/controllers/definitions.hpp"
#include "apiserver/controllers/garbage.hpp"
#include "apiserver/verbs/writes.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::apiserver {

Cluster::Cluster(Environment& around, Guard guarded)
    : environment(around),
      guard(std::move(guarded)),
      storage(environment.options.history_events, environment.options.history_bytes),
      resources(storage, environment.options.api_all),
      hub(storage, environment.clock,
          [this](Duration delay, Action action) { return schedule(delay, std::move(action)); },
          {environment.options.watch_backlog, environment.options.unread_bytes, environment.options.bookmark_interval}),
      logs([this](Duration delay, Action action) { return schedule(delay, std::move(action)); },
           environment.options.log_bytes) {}

void Cluster::open() {
  storage.set_listener([this](const std::shared_ptr<const Event>& event) {
    // The write has happened, whatever lacks memory to follow it.
    call_isolated("apiserver watches", [&] { hub.publish(event); });
    call_isolated("apiserver owners", [&] { note_owners(*this, *event); });
    call_isolated("apiserver pods", [&] { note_pod(*this, *event); });
  });
  const auto namespaces = resources.find("", "v1", "namespaces");
  for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    meta::Draft draft;
    draft["kind"].set("Namespace");
    draft["apiVersion"].set("v1");
    draft["metadata"]["name"].set(name);
    draft["metadata"]["uid"].set(environment.make_uid());
    draft["metadata"]["resourceVersion"].set("0");
    draft["metadata"]["creationTimestamp"].set(environment.now_text());
    draft["metadata"]["labels"]["kubernetes.io/metadata.name"].set(name);
    draft["spec"]["finalizers"].append("kubernetes");
    draft["status"]["phase"].set("Active");
    store(*this, *namespaces, name, draft.to_object());
  }
}

void Cluster::restore(const Storage::Snapshot& snapshot) {
  for (const auto& watcher : hub.matching({})) hub.abort(watcher->id);
  logs.clear();
  storage.restore(snapshot);
  owners.clear();
  for (const auto& [name, bucket] : storage.buckets()) {
    for (const auto& [key, object] : bucket->objects) {
      Event event;
      event.type = meta::WatchEventType::Added;
      event.key = key;
      event.object = object;
      event.bucket = bucket.get();
      note_owners(*this, event);
    }
  }
  load_definitions(*this);
}

}  // namespace kubexx::apiserver
