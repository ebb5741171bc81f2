#include "apiserver/controllers/containers.hpp"

#include "apiserver/http/status.hpp"
#include "apiserver/schema/typed.hpp"
#include "apiserver/verbs/logs.hpp"
#include "apiserver/verbs/writes.hpp"
#include "kubexx/meta/draft.hpp"

namespace kubexx::apiserver {
namespace {

/// A container as it is found before something happens to it.
struct Found {
  std::shared_ptr<const Resource> pods;
  std::string key;  // of the pod
  meta::Object pod;
  std::string container;
};

Result<Found> find(const Cluster& cluster, const ContainerKey& wanted) {
  Found found;
  found.pods = cluster.resources.find("", "v1", "pods");
  found.key = storage_key(wanted.namespace_, wanted.pod);
  const auto pod = found.pods->bucket->objects.find(found.key);
  if (pod == found.pods->bucket->objects.end()) return not_found("", "pods", wanted.pod);
  found.pod = pod->second;
  auto container = chosen_container(found.pod, wanted.container);
  if (!container) return container.error();
  found.container = std::move(*container);
  return found;
}

/// The entry of the status that is this container's, made where there is none.
meta::DraftRef entry_of(const meta::Draft& draft, const Found& found) {
  bool first = false;
  for (const auto each : found.pod["spec"]["initContainers"].items()) {
    first |= each["name"].string() == found.container;
  }
  const meta::DraftRef entries = draft["status"][first ? "initContainerStatuses" : "containerStatuses"];
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i]["name"].string() == found.container) return entries[i];
  }
  const meta::DraftRef entry = entries.append();
  entry["name"].set(found.container);
  entry["image"].set("");
  entry["imageID"].set("");
  entry["restartCount"].set(0);
  return entry;
}

void write_end(const meta::DraftRef& state, std::string_view started, const std::string& now, int exit_code) {
  state["exitCode"].set(exit_code);
  state["reason"].set(exit_code == 0 ? "Completed" : "Error");
  state["startedAt"].set(started.empty() ? now : std::string(started));
  state["finishedAt"].set(now);
}

/// Of a pod whose containers have all ended and do not start again; empty: it is not over.
std::string_view last_phase(const Found& found, const meta::Draft& draft) {
  if (found.pod["spec"]["restartPolicy"].string() != "Never") return {};
  const meta::DraftRef entries = draft["status"]["containerStatuses"];
  if (entries.size() < found.pod["spec"]["containers"].size()) return {};
  std::string_view phase = "Succeeded";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const meta::DraftRef ended = entries[i]["state"]["terminated"];
    if (!ended.exists()) return {};
    if (ended["exitCode"].int_or(0) != 0) phase = "Failed";
  }
  return phase;
}

void put(Cluster& cluster, const Found& found, const meta::Draft& draft) {
  store(cluster, *found.pods, found.key, as_typed(found.pods->type, draft.to_object()));
}

}  // namespace

Result<void> start_container(Cluster& cluster, const ContainerKey& container) {
  const auto found = find(cluster, container);
  if (!found) return found.error();
  const std::string now = cluster.environment.now_text();
  meta::Draft draft = found->pod.edit();
  const meta::DraftRef entry = entry_of(draft, *found);
  const bool again = entry["state"]["running"].exists() || entry["state"]["terminated"].exists();
  if (again) {
    entry["restartCount"].set(entry["restartCount"].int_or(0) + 1);
    entry["lastState"].erase();
    if (entry["state"]["terminated"].exists()) {
      entry["lastState"]["terminated"].set(entry["state"]["terminated"]);
    } else {
      write_end(entry["lastState"]["terminated"], entry["state"]["running"]["startedAt"].string(), now, 1);
    }
  }
  entry["state"].erase();
  entry["state"]["running"]["startedAt"].set(now);
  entry["ready"].set(true);
  entry["started"].set(true);
  draft["status"]["phase"].set("Running");
  cluster.logs.start(found->key, found->container);
  put(cluster, *found, draft);
  return {};
}

Result<void> append_log(Cluster& cluster, const ContainerKey& container, std::string_view text,
                        std::optional<WallTime> time) {
  const auto found = find(cluster, container);
  if (!found) return found.error();
  if (text.size() > cluster.environment.options.log_bytes) {
    return Error::config("a text of " + std::to_string(text.size()) + " bytes is more than a log keeps");
  }
  const auto run = cluster.logs.find(found->key, found->container, false);
  if (run && run->over) return Error::config("container " + found->container + " has ended: start it again first");
  if (!run && !container_status(found->pod, found->container)["state"]["running"].exists()) {
    if (auto started = start_container(cluster, container); !started) return started;
  }
  cluster.logs.append(found->key, found->container, text, time.value_or(cluster.environment.clock.wall()));
  return {};
}

Result<void> end_container(Cluster& cluster, const ContainerKey& container, int exit_code) {
  const auto found = find(cluster, container);
  if (!found) return found.error();
  meta::Draft draft = found->pod.edit();
  const meta::DraftRef entry = entry_of(draft, *found);
  if (!entry["state"]["running"].exists()) {
    return Error::config("container " + found->container + " does not run");
  }
  const std::string started(entry["state"]["running"]["startedAt"].string());
  entry["state"].erase();
  write_end(entry["state"]["terminated"], started, cluster.environment.now_text(), exit_code);
  entry["ready"].set(false);
  if (const auto phase = last_phase(*found, draft); !phase.empty()) draft["status"]["phase"].set(phase);
  cluster.logs.end(found->key, found->container);
  put(cluster, *found, draft);
  return {};
}

void note_pod(Cluster& cluster, const Event& event) {
  if (!event.bucket->group.empty() || event.bucket->resource != "pods" || !event.previous) return;
  const bool gone = event.type == meta::WatchEventType::Deleted;
  if (gone || event.previous.uid() != event.object.uid()) cluster.logs.forget(event.key);
}

}  // namespace kubexx::apiserver
