#include "apiserver/columns.hpp"

#include <algorithm>
#include <map>

#include "kubexx/meta/int_or_string.hpp"
#include "kubexx/meta/label_selector.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Object;
using meta::Value;
using Row = std::vector<Cell>;

std::string text(std::string_view value) {
  return std::string(value);
}
std::string or_none(std::string_view value, std::string_view none = "<none>") {
  return std::string(value.empty() ? none : value);
}
std::string name(const Object& object) {
  return text(object.name());
}
std::string object_age(const Object& object, WallTime now) {
  return age(object.creation_timestamp(), now);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator = ",") {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i) out += separator;
    out += parts[i];
  }
  return out;
}

std::string container_field(Value pod_spec, std::string_view field) {
  std::vector<std::string> out;
  for (Value container : pod_spec["containers"].items()) out.push_back(text(container[field].string()));
  return join(out);
}

std::string labels(Value map) {
  std::vector<std::string> out;
  for (const auto& [key, value] : map.entries()) out.push_back(text(key) + '=' + text(value.string()));
  std::sort(out.begin(), out.end());
  return or_none(join(out));
}

std::string selector(Value value) {
  auto parsed = meta::LabelSelector::from_object(value);
  return parsed ? or_none(parsed->to_string()) : "<error>";
}

std::string number_or(Value value, std::string_view fallback) {
  if (const auto count = value.get_int()) return std::to_string(*count);
  return or_none(value.string(), fallback);
}

std::string pod_status(const Object& pod) {
  const Value status = pod["status"];
  std::string reason = text(status["reason"].string().empty() ? status["phase"].string() : status["reason"].string());
  bool initializing = false;
  std::size_t index = 0;
  for (Value container : status["initContainerStatuses"].items()) {
    const Value terminated = container["state"]["terminated"];
    if (terminated.exists() && terminated["exitCode"].int_or(0) == 0) {
      ++index;
      continue;
    }
    const std::string_view waiting = container["state"]["waiting"]["reason"].string();
    if (terminated.exists()) {
      const std::string_view why = terminated["reason"].string();
      reason = "Init:" + (why.empty() ? "ExitCode:" + std::to_string(terminated["exitCode"].int_or(0)) : text(why));
    } else if (!waiting.empty() && waiting != "PodInitializing") {
      reason = "Init:" + text(waiting);
    } else {
      reason = "Init:" + std::to_string(index) + '/' + std::to_string(pod["spec"]["initContainers"].size());
    }
    initializing = true;
    break;
  }
  if (!initializing) {
    bool running = false;
    const Value list = status["containerStatuses"];
    for (std::size_t i = list.size(); i-- > 0;) {
      const Value state = list[i]["state"];
      const Value terminated = state["terminated"];
      if (!state["waiting"]["reason"].string().empty()) {
        reason = state["waiting"]["reason"].string();
      } else if (terminated.exists()) {
        reason = terminated["reason"].string().empty() ? "ExitCode:" + std::to_string(terminated["exitCode"].int_or(0))
                                                       : text(terminated["reason"].string());
      } else if (list[i]["ready"].bool_or(false) && state["running"].exists()) {
        running = true;
      }
    }
    if (reason == "Completed" && running) reason = "Running";
  }
  if (!pod.deletion_timestamp().empty()) reason = status["reason"].string() == "NodeLost" ? "Unknown" : "Terminating";
  return reason;
}

Row pod_row(const Object& pod, WallTime now) {
  std::int64_t ready = 0;
  std::int64_t restarts = 0;
  std::string_view last_restart;
  for (Value container : pod["status"]["containerStatuses"].items()) {
    ready += container["ready"].bool_or(false) && container["state"]["running"].exists() ? 1 : 0;
    restarts += container["restartCount"].int_or(0);
    last_restart = std::max(last_restart, container["lastState"]["terminated"]["finishedAt"].string());
  }
  std::string restart_text = std::to_string(restarts);
  if (restarts && !last_restart.empty()) restart_text += " (" + age(last_restart, now) + " ago)";
  std::int64_t gates = 0;
  for (Value gate : pod["spec"]["readinessGates"].items()) {
    for (Value condition : pod["status"]["conditions"].items())
      gates += condition["type"] == gate["conditionType"] && condition["status"].string() == "True" ? 1 : 0;
  }
  const std::size_t all_gates = pod["spec"]["readinessGates"].size();
  return {name(pod),
          std::to_string(ready) + '/' + std::to_string(pod["spec"]["containers"].size()),
          pod_status(pod),
          restart_text,
          object_age(pod, now),
          or_none(pod["status"]["podIP"].string()),
          or_none(pod["spec"]["nodeName"].string()),
          or_none(pod["status"]["nominatedNodeName"].string()),
          all_gates ? std::to_string(gates) + '/' + std::to_string(all_gates) : "<none>"};
}

std::string node_address(const Object& node, std::string_view type) {
  for (Value address : node["status"]["addresses"].items()) {
    if (address["type"].string() == type) return text(address["address"].string());
  }
  return "<none>";
}

Row node_row(const Object& node, WallTime now) {
  std::string status = "Unknown";
  for (Value condition : node["status"]["conditions"].items()) {
    if (condition["type"].string() == "Ready") status = condition["status"].string() == "True" ? "Ready" : "NotReady";
  }
  if (node["spec"]["unschedulable"].bool_or(false)) status += ",SchedulingDisabled";
  std::vector<std::string> roles;
  constexpr std::string_view kRole = "node-role.kubernetes.io/";
  for (const auto& [key, value] : node.labels()) {
    if (key.starts_with(kRole) && key.size() > kRole.size()) roles.push_back(text(key.substr(kRole.size())));
    if (key == "kubernetes.io/role" && !value.string().empty()) roles.push_back(text(value.string()));
  }
  std::sort(roles.begin(), roles.end());
  const Value info = node["status"]["nodeInfo"];
  return {name(node),
          status,
          or_none(join(roles)),
          object_age(node, now),
          text(info["kubeletVersion"].string()),
          node_address(node, "InternalIP"),
          node_address(node, "ExternalIP"),
          or_none(info["osImage"].string(), "<unknown>"),
          or_none(info["kernelVersion"].string(), "<unknown>"),
          or_none(info["containerRuntimeVersion"].string(), "<unknown>")};
}

Row service_row(const Object& service, WallTime now) {
  const Value spec = service["spec"];
  std::vector<std::string> ports;
  for (Value port : spec["ports"].items()) {
    std::string entry = std::to_string(port["port"].int_or(0));
    if (const std::int64_t node = port["nodePort"].int_or(0)) entry += ':' + std::to_string(node);
    ports.push_back(entry + '/' + text(port["protocol"].string()));
  }
  const std::string_view type = spec["type"].string();
  std::vector<std::string> external;
  if (type == "ExternalName") {
    external.push_back(text(spec["externalName"].string()));
  } else {
    for (Value ingress : service["status"]["loadBalancer"]["ingress"].items())
      external.push_back(text(ingress["ip"].string().empty() ? ingress["hostname"].string() : ingress["ip"].string()));
    for (Value address : spec["externalIPs"].items()) external.push_back(text(address.string()));
  }
  const std::string none = type == "LoadBalancer" ? "<pending>" : "<none>";
  return {name(service),
          text(type),
          or_none(spec["clusterIP"].string()),
          or_none(join(external), none),
          or_none(join(ports)),
          object_age(service, now),
          labels(spec["selector"])};
}

Row event_row(const Object& event, WallTime now) {
  const Value object = event["involvedObject"];
  std::string kind = text(object["kind"].string());
  for (char& c : kind) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::string_view first = event["firstTimestamp"].string();
  if (first.empty()) first = event["eventTime"].string();
  std::string_view last = event["lastTimestamp"].string();
  if (!event["series"]["lastObservedTime"].string().empty()) last = event["series"]["lastObservedTime"].string();
  std::string source = text(event["source"]["component"].string());
  if (source.empty()) source = event["reportingComponent"].string();
  if (const std::string_view host = event["source"]["host"].string(); !host.empty()) source += ", " + text(host);
  std::int64_t count = event["count"].int_or(0);
  if (event["series"].exists()) count = event["series"]["count"].int_or(count);
  return {age(last.empty() ? first : last, now),
          text(event["type"].string()),
          text(event["reason"].string()),
          kind + '/' + text(object["name"].string()),
          text(object["fieldPath"].string()),
          source,
          text(event["message"].string()),
          age(first, now),
          count ? count : 1,
          name(event)};
}

Row deployment_row(const Object& object, WallTime now) {
  const Value spec = object["spec"];
  const Value status = object["status"];
  const Value pod = spec["template"]["spec"];
  return {name(object),
          std::to_string(status["readyReplicas"].int_or(0)) + '/' + std::to_string(spec["replicas"].int_or(0)),
          status["updatedReplicas"].int_or(0),
          status["availableReplicas"].int_or(0),
          object_age(object, now),
          container_field(pod, "name"),
          container_field(pod, "image"),
          selector(spec["selector"])};
}

Row replica_set_row(const Object& object, WallTime now) {
  const Value pod = object["spec"]["template"]["spec"];
  return {name(object),
          object["spec"]["replicas"].int_or(0),
          object["status"]["replicas"].int_or(0),
          object["status"]["readyReplicas"].int_or(0),
          object_age(object, now),
          container_field(pod, "name"),
          container_field(pod, "image"),
          selector(object["spec"]["selector"])};
}

Row stateful_set_row(const Object& object, WallTime now) {
  const Value pod = object["spec"]["template"]["spec"];
  return {name(object),
          std::to_string(object["status"]["readyReplicas"].int_or(0)) + '/' +
              std::to_string(object["spec"]["replicas"].int_or(0)),
          object_age(object, now), container_field(pod, "name"), container_field(pod, "image")};
}

Row daemon_set_row(const Object& object, WallTime now) {
  const Value status = object["status"];
  const Value pod = object["spec"]["template"]["spec"];
  return {name(object),
          status["desiredNumberScheduled"].int_or(0),
          status["currentNumberScheduled"].int_or(0),
          status["numberReady"].int_or(0),
          status["updatedNumberScheduled"].int_or(0),
          status["numberAvailable"].int_or(0),
          labels(pod["nodeSelector"]),
          object_age(object, now),
          container_field(pod, "name"),
          container_field(pod, "image"),
          selector(object["spec"]["selector"])};
}

Row job_row(const Object& job, WallTime now) {
  const Value spec = job["spec"];
  const Value status = job["status"];
  std::string state = "Running";
  for (Value condition : status["conditions"].items()) {
    if (condition["status"].string() != "True") continue;
    const std::string_view type = condition["type"].string();
    if (type == "Complete" || type == "Failed" || type == "Suspended") state = type;
  }
  if (!job.deletion_timestamp().empty()) state = "Terminating";
  std::string completions = std::to_string(status["succeeded"].int_or(0)) + '/';
  if (spec["completions"].exists()) {
    completions += std::to_string(spec["completions"].int_or(0));
  } else {
    const std::int64_t parallel = spec["parallelism"].int_or(0);
    completions += parallel > 1 ? "1 of " + std::to_string(parallel) : "1";
  }
  std::string duration;
  if (const std::string_view start = status["startTime"].string(); !start.empty()) {
    auto end = meta::Time::parse(status["completionTime"].string());
    duration = age(start, end ? end->wall() : now);
  }
  const Value pod = spec["template"]["spec"];
  return {name(job),
          state,
          completions,
          duration,
          object_age(job, now),
          container_field(pod, "name"),
          container_field(pod, "image"),
          selector(spec["selector"])};
}

Column plain(std::string column) {
  return {std::move(column), "string", "", 0, ""};
}
Column wide(std::string column) {
  return {std::move(column), "string", "", 1, ""};
}
Column whole(std::string column) {
  return {std::move(column), "integer", "", 0, ""};
}
Column named() {
  return {"Name", "string", "name", 0, ""};
}

std::map<std::pair<std::string_view, std::string_view>, Columns> make_columns() {
  std::map<std::pair<std::string_view, std::string_view>, Columns> out;
  out[{"", "pods"}] = {{named(), plain("Ready"), plain("Status"), plain("Restarts"), plain("Age"), wide("IP"),
                        wide("Node"), wide("Nominated Node"), wide("Readiness Gates")},
                       pod_row};
  out[{"", "nodes"}] = {{named(), plain("Status"), plain("Roles"), plain("Age"), plain("Version"), wide("Internal-IP"),
                         wide("External-IP"), wide("OS-Image"), wide("Kernel-Version"), wide("Container-Runtime")},
                        node_row};
  out[{"", "services"}] = {{named(), plain("Type"), plain("Cluster-IP"), plain("External-IP"), plain("Port(s)"),
                            plain("Age"), wide("Selector")},
                           service_row};
  Column event_name = named();
  event_name.priority = 1;
  out[{"", "events"}] = {{plain("Last Seen"), plain("Type"), plain("Reason"), plain("Object"), wide("Subobject"),
                          wide("Source"), plain("Message"), wide("First Seen"), wide("Count"), event_name},
                         event_row};
  out[{"", "namespaces"}] = {{named(), plain("Status"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
                               return {name(object), text(object["status"]["phase"].string()), object_age(object, now)};
                             }};
  out[{"", "configmaps"}] = {{named(), plain("Data"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
                               return {name(object),
                                       static_cast<std::int64_t>(object["data"].size() + object["binaryData"].size()),
                                       object_age(object, now)};
                             }};
  out[{"", "secrets"}] = {{named(), plain("Type"), plain("Data"), plain("Age")},
                          [](const Object& object, WallTime now) -> Row {
                            return {name(object), text(object["type"].string()),
                                    static_cast<std::int64_t>(object["data"].size()), object_age(object, now)};
                          }};
  out[{"", "serviceaccounts"}] = {{named(), plain("Age")}, [](const Object& object, WallTime now) -> Row {
                                    return {name(object), object_age(object, now)};
                                  }};
  out[{"apps", "deployments"}] = {{named(), plain("Ready"), plain("Up-to-date"), plain("Available"), plain("Age"),
                                   wide("Containers"), wide("Images"), wide("Selector")},
                                  deployment_row};
  out[{"apps", "replicasets"}] = {{named(), whole("Desired"), whole("Current"), whole("Ready"), plain("Age"),
                                   wide("Containers"), wide("Images"), wide("Selector")},
                                  replica_set_row};
  out[{"apps", "statefulsets"}] = {{named(), plain("Ready"), plain("Age"), wide("Containers"), wide("Images")},
                                   stateful_set_row};
  out[{"apps", "daemonsets"}] = {
      {named(), whole("Desired"), whole("Current"), whole("Ready"), whole("Up-to-date"), whole("Available"),
       plain("Node Selector"), plain("Age"), wide("Containers"), wide("Images"), wide("Selector")},
      daemon_set_row};
  out[{"batch", "jobs"}] = {{named(), plain("Status"), plain("Completions"), plain("Duration"), plain("Age"),
                             wide("Containers"), wide("Images"), wide("Selector")},
                            job_row};
  out[{"coordination.k8s.io", "leases"}] = {
      {named(), plain("Holder"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
        return {name(object), text(object["spec"]["holderIdentity"].string()), object_age(object, now)};
      }};
  out[{"networking.k8s.io", "networkpolicies"}] = {
      {named(), plain("Pod-Selector"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
        return {name(object), selector(object["spec"]["podSelector"]), object_age(object, now)};
      }};
  out[{"policy", "poddisruptionbudgets"}] = {
      {named(), plain("Min Available"), plain("Max Unavailable"), whole("Allowed Disruptions"), plain("Age")},
      [](const Object& object, WallTime now) -> Row {
        return {name(object), number_or(object["spec"]["minAvailable"], "N/A"),
                number_or(object["spec"]["maxUnavailable"], "N/A"), object["status"]["disruptionsAllowed"].int_or(0),
                object_age(object, now)};
      }};
  return out;
}

}  // namespace

const Columns* find_columns(std::string_view group, std::string_view resource) {
  static const auto kTable = make_columns();
  // Both event APIs print the same; the storage keeps the older form.
  const auto it = kTable.find({resource == "events" ? std::string_view() : group, resource});
  return it == kTable.end() ? nullptr : &it->second;
}

const Columns& columns_of(const Resource& resource) {
  static const Columns kGeneric = {{named(), {"Created At", "date", "", 0, ""}},
                                   [](const Object& object, WallTime) -> Row {
                                     return {name(object), text(object.creation_timestamp())};
                                   }};
  const Columns* own = find_columns(resource.group, resource.resource);
  return own ? *own : kGeneric;
}

std::string age(std::string_view timestamp, WallTime now) {
  auto then = meta::Time::parse(timestamp);
  if (!then) return "<unknown>";
  const std::int64_t seconds = meta::Time::from_wall(now).unix_seconds - then->unix_seconds;
  const auto unit = [](std::int64_t count, const char* suffix) { return std::to_string(count) + suffix; };
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 60 * 2) return unit(seconds, "s");
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return seconds % 60 ? unit(minutes, "m") + unit(seconds % 60, "s") : unit(minutes, "m");
  if (minutes < 60 * 3) return unit(minutes, "m");
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return minutes % 60 ? unit(hours, "h") + unit(minutes % 60, "m") : unit(hours, "h");
  if (hours < 48) return unit(hours, "h");
  const std::int64_t days = hours / 24;
  if (hours < 24 * 8) return hours % 24 ? unit(days, "d") + unit(hours % 24, "h") : unit(days, "d");
  if (days < 365 * 2) return unit(days, "d");
  const std::int64_t years = days / 365;
  if (years < 8) return days % 365 ? unit(years, "y") + unit(days % 365, "d") : unit(years, "y");
  return unit(years, "y");
}

}  // namespace kubexx::apiserver
