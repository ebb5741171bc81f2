#include "apiserver/schema/autoscaler.hpp"

#include <string>

#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Draft;
using meta::Object;
using meta::Value;

constexpr std::string_view kPrefix = "autoscaling.alpha.kubernetes.io/";

struct Rest {
  const char* part;
  const char* field;
  const char* annotation;
};
// Besides the metrics, which have a field in both.
constexpr Rest kRest[] = {{"spec", "behavior", "behavior"}, {"status", "conditions", "conditions"}};

struct Metrics {
  const char* part;
  const char* field;       // the list in v2
  const char* number;      // the field in v1
  const char* values;      // what a metric of v2 calls its values
  const char* annotation;  // for the metrics that v1 has no field for
};
constexpr Metrics kMetrics[] = {
    {"spec", "metrics", "targetCPUUtilizationPercentage", "target", "metrics"},
    {"status", "currentMetrics", "currentCPUUtilizationPercentage", "current", "current-metrics"}};

bool is_cpu_utilization(Value metric, const char* values) {
  const Value resource = metric["resource"];
  return metric["type"].string() == "Resource" && resource["name"].string() == "cpu" &&
         resource[values]["averageUtilization"].get_int().has_value();
}

void annotate(Draft& draft, const char* name, Value value) {
  draft["metadata"]["annotations"][std::string(kPrefix) + name].set(meta::to_json(value));
}

// Takes an annotation away; what it says, if it is JSON.
Object take_annotation(Draft& draft, const Object& object, const char* name) {
  const std::string key = std::string(kPrefix) + name;
  const Value text = object["metadata"]["annotations"][key];
  if (!text.exists()) return {};
  auto parsed = meta::parse_json("{\"value\":" + std::string(text.string()) + '}');
  if (!parsed) return {};
  draft["metadata"]["annotations"].erase(key);
  return *parsed;
}

void to_v1(Draft& draft, const Object& object) {
  for (const Metrics& names : kMetrics) {
    Draft rest;
    bool found = false;
    for (Value metric : object[names.part][names.field].items()) {
      if (!found && is_cpu_utilization(metric, names.values)) {
        found = true;
        draft[names.part][names.number].set(*metric["resource"][names.values]["averageUtilization"].get_int());
      } else {
        rest["value"].append(metric);
      }
    }
    const Object others = rest.to_object();
    if (others["value"].size() > 0) annotate(draft, names.annotation, others["value"]);
    if (object[names.part].exists()) draft[names.part].erase(names.field);
  }
  for (const Rest& names : kRest) {
    const Value value = object[names.part][names.field];
    if (!value.exists()) continue;
    annotate(draft, names.annotation, value);
    draft[names.part].erase(names.field);
  }
}

void to_v2(Draft& draft, const Object& object) {
  for (const Metrics& names : kMetrics) {
    if (const auto percent = object[names.part][names.number].get_int()) {
      const auto metric = draft[names.part][names.field].append();
      metric["type"].set("Resource");
      metric["resource"]["name"].set("cpu");
      if (names.part == std::string_view("spec")) metric["resource"][names.values]["type"].set("Utilization");
      metric["resource"][names.values]["averageUtilization"].set(*percent);
      draft[names.part].erase(names.number);
    }
    const Object others = take_annotation(draft, object, names.annotation);
    for (Value metric : others["value"].items()) draft[names.part][names.field].append(metric);
  }
  for (const Rest& names : kRest) {
    const Object kept = take_annotation(draft, object, names.annotation);
    if (kept["value"].exists()) draft[names.part][names.field].set(kept["value"]);
  }
  if (object["metadata"]["annotations"].exists() && draft["metadata"]["annotations"].size() == 0)
    draft["metadata"].erase("annotations");
}

}  // namespace

void convert_autoscaler(Draft& draft, bool v1) {
  const Object object = draft.to_object();
  v1 ? to_v1(draft, object) : to_v2(draft, object);
}

}  // namespace kubexx::apiserver
