#include <algorithm>

#include "base/internal/text.hpp"
#include "columns/rows.hpp"

namespace kubexx::columns {
namespace {

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
          or_none(joined(roles)),
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
          or_none(joined(external), none),
          or_none(joined(ports)),
          object_age(service, now),
          labels(spec["selector"])};
}

Row event_row(const Object& event, WallTime now) {
  const Value object = event["involvedObject"];
  const std::string kind = to_lower(object["kind"].string());
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

Row endpoints_row(const Object& endpoints, WallTime now) {
  std::vector<std::string> all;
  for (Value subset : endpoints["subsets"].items()) {
    for (Value address : subset["addresses"].items()) {
      const std::string_view ip = address["ip"].string();
      const std::string host = ip.find(':') == std::string_view::npos ? text(ip) : '[' + text(ip) + ']';
      if (subset["ports"].size() == 0) all.push_back(text(ip));
      for (Value port : subset["ports"].items()) all.push_back(host + ':' + std::to_string(port["port"].int_or(0)));
    }
  }
  return {name(endpoints), or_none(some(all, 3)), object_age(endpoints, now)};
}

Row quota_row(const Object& quota, WallTime now) {
  std::vector<std::string> names;
  for (const auto& [key, value] : quota["status"]["hard"].entries()) names.push_back(text(key));
  std::sort(names.begin(), names.end());
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const auto& resource : names) {
    const auto used = number_or(quota["status"]["used"][resource], "0");
    (resource.starts_with("limits") ? limits : requests)
        .push_back(resource + ": " + used + '/' + number_or(quota["status"]["hard"][resource], "0"));
  }
  return {name(quota), joined(requests, ", "), joined(limits, ", "), object_age(quota, now)};
}

Row component_row(const Object& component, WallTime) {
  std::string status = "Unknown";
  Value healthy;
  for (Value condition : component["conditions"].items()) {
    if (condition["type"].string() == "Healthy") healthy = condition;
  }
  if (healthy["status"].string() == "True") status = "Healthy";
  if (healthy["status"].string() == "False") status = "Unhealthy";
  return {name(component), status, text(healthy["message"].string()), text(healthy["error"].string())};
}

}  // namespace

void add_core_columns(ColumnTable& out) {
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
  out[{"", "endpoints"}] = {{named(), plain("Endpoints"), plain("Age")}, endpoints_row};
  out[{"", "resourcequotas"}] = {{named(), plain("Request"), plain("Limit"), plain("Age")}, quota_row};
  out[{"", "componentstatuses"}] = {{named(), plain("Status"), plain("Message"), plain("Error")}, component_row};
}

}  // namespace kubexx::columns
