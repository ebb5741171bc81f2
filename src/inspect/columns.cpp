#include "inspect/columns.hpp"

#include <map>

namespace kubexx::inspect {
namespace {

using meta::Object;
using meta::Value;

void append_int(std::string& out, std::int64_t number) {
  out += std::to_string(number);
}

void append_pair(std::string& out, std::int64_t done, std::int64_t wanted) {
  append_int(out, done);
  out += '/';
  append_int(out, wanted);
}

Value condition(const Object& object, std::string_view type) {
  for (const Value entry : object["status"]["conditions"].items()) {
    if (entry["type"].string() == type) return entry;
  }
  return {};
}

void pod_status(const Object& pod, std::string& out) {
  if (!pod.deletion_timestamp().empty()) {
    out += "Terminating";
    return;
  }
  const Value status = pod["status"];
  for (const Value container : status["containerStatuses"].items()) {
    const Value state = container["state"];
    const auto reason = state["waiting"]["reason"].string_or(state["terminated"]["reason"].string());
    if (reason.empty()) continue;
    out += reason;
    return;
  }
  out += status["reason"].string_or(status["phase"].string());
}

void pod_ready(const Object& pod, std::string& out) {
  std::int64_t ready = 0;
  const Value containers = pod["status"]["containerStatuses"];
  for (const Value container : containers.items()) ready += container["ready"].bool_or(false) ? 1 : 0;
  append_pair(out, ready, static_cast<std::int64_t>(pod["spec"]["containers"].size()));
}

void pod_restarts(const Object& pod, std::string& out) {
  std::int64_t restarts = 0;
  for (const Value container : pod["status"]["containerStatuses"].items()) {
    restarts += container["restartCount"].int_or(0);
  }
  append_int(out, restarts);
}

void node_status(const Object& node, std::string& out) {
  out += condition(node, "Ready")["status"].string() == "True" ? "Ready" : "NotReady";
  if (node["spec"]["unschedulable"].bool_or(false)) out += ",SchedulingDisabled";
}

void replicas_ready(const Object& object, std::string& out) {
  append_pair(out, object["status"]["readyReplicas"].int_or(0), object["spec"]["replicas"].int_or(0));
}

void data_size(const Object& object, std::string& out) {
  append_int(out, static_cast<std::int64_t>(object["data"].size() + object["binaryData"].size()));
}

// What most controllers keep of their objects, custom ones included.
void usual_status(const Object& object, std::string& out) {
  if (!object.deletion_timestamp().empty()) {
    out += "Terminating";
    return;
  }
  const Value status = object["status"];
  for (const char* field : {"phase", "state"}) {
    if (const auto text = status[field].string(); !text.empty()) {
      out += text;
      return;
    }
  }
  for (const char* type : {"Ready", "Available", "Established"}) {
    const Value found = condition(object, type);
    if (!found) continue;
    if (found["status"].string() != "True") out += "Not ";
    out += type;
    return;
  }
}

// lint would rather see a loop; a table of paths is what this is.
template <const char* First, const char* Second>
void text_at(const Object& object, std::string& out) {
  out += object[First][Second].string();
}
template <const char* First, const char* Second>
void number_at(const Object& object, std::string& out) {
  append_int(out, object[First][Second].int_or(0));
}
template <const char* Name>
void top_text(const Object& object, std::string& out) {
  out += object[Name].string();
}

constexpr char kSpec[] = "spec";
constexpr char kStatus[] = "status";
constexpr char kNodeName[] = "nodeName";
constexpr char kUpdated[] = "updatedReplicas";
constexpr char kAvailable[] = "availableReplicas";
constexpr char kType[] = "type";
constexpr char kReason[] = "reason";
constexpr char kMessage[] = "message";
constexpr char kClusterIp[] = "clusterIP";
constexpr char kHolder[] = "holderIdentity";

void node_version(const Object& node, std::string& out) {
  out += node["status"]["nodeInfo"]["kubeletVersion"].string();
}

}  // namespace

const std::vector<Column>& columns_of(const meta::GroupVersionResource& resource) {
  static const std::vector<Column> kReplicated{{"Ready", replicas_ready}};
  static const std::map<std::string, std::vector<Column>, std::less<>> kKnown{
      {"pods",
       {{"Status", pod_status},
        {"Ready", pod_ready},
        {"Restarts", pod_restarts, true},
        {"Node", text_at<kSpec, kNodeName>}}},
      {"nodes", {{"Status", node_status}, {"Version", node_version}}},
      {"deployments.apps",
       {{"Ready", replicas_ready},
        {"Up to date", number_at<kStatus, kUpdated>, true},
        {"Available", number_at<kStatus, kAvailable>, true}}},
      {"replicasets.apps", kReplicated},
      {"statefulsets.apps", kReplicated},
      {"services", {{"Type", text_at<kSpec, kType>}, {"Cluster IP", text_at<kSpec, kClusterIp>}}},
      {"configmaps", {{"Data", data_size, true}}},
      {"secrets", {{"Type", top_text<kType>}, {"Data", data_size, true}}},
      {"events", {{"Type", top_text<kType>}, {"Reason", top_text<kReason>}, {"Message", top_text<kMessage>}}},
      {"leases.coordination.k8s.io", {{"Holder", text_at<kSpec, kHolder>}}},
  };
  static const std::vector<Column> kUsual{{"Status", usual_status}};
  const auto found = kKnown.find(resource.group_resource().to_string());
  return found == kKnown.end() ? kUsual : found->second;
}

}  // namespace kubexx::inspect
