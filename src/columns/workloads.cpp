#include "base/internal/text.hpp"
#include "columns/rows.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::columns {
namespace {

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

Row cron_job_row(const Object& job, WallTime now) {
  const Value spec = job["spec"];
  const Value pod = spec["jobTemplate"]["spec"]["template"]["spec"];
  const std::string_view last = job["status"]["lastScheduleTime"].string();
  return {name(job),
          text(spec["schedule"].string()),
          or_none(spec["timeZone"].string()),
          spec["suspend"].bool_or(false) ? "True" : "False",
          count(job["status"]["active"]),
          last.empty() ? "<none>" : age(last, now),
          object_age(job, now),
          container_field(pod, "name"),
          container_field(pod, "image"),
          selector(spec["jobTemplate"]["spec"]["selector"])};
}

Row replication_controller_row(const Object& object, WallTime now) {
  auto row = replica_set_row(object, now);
  row.back() = labels(object["spec"]["selector"]);  // no selector of expressions, as others have
  return row;
}

Row pod_template_row(const Object& object, WallTime) {
  const Value pod = object["template"]["spec"];
  return {name(object), container_field(pod, "name"), container_field(pod, "image"),
          labels(object["template"]["metadata"]["labels"])};
}

Row revision_row(const Object& revision, WallTime now) {
  std::string controller = "<none>";
  for (Value owner : revision["metadata"]["ownerReferences"].items()) {
    if (!owner["controller"].bool_or(false)) continue;
    const std::string_view version = owner["apiVersion"].string();
    const auto slash = version.find('/');
    controller = to_lower(owner["kind"].string());
    if (slash != std::string_view::npos) controller += '.' + text(version.substr(0, slash));
    controller += '/' + text(owner["name"].string());
  }
  return {name(revision), controller, revision["revision"].int_or(0), object_age(revision, now)};
}

std::string percent(Value number) {
  const auto value = number.get_int();
  return value ? std::to_string(*value) + '%' : "";
}

/// "current/target" of one metric; `current` may be missing.
std::string metric_text(Value metric, Value current) {
  const std::string type = text(metric["type"].string());
  std::string field = type;  // "Resource": spec in .resource
  if (!field.empty()) field[0] = lower(field[0]);
  const Value spec = metric[field];
  const Value target = spec["target"];
  const Value now = current["type"] == metric["type"] ? current[field]["current"] : Value();
  const std::string prefix = type.ends_with("Resource") ? text(spec["name"].string()) + ": " : "";
  if (const auto average = target["averageValue"].string(); !average.empty()) {
    const bool said = type == "Object" || type == "External";
    return prefix + or_none(now["averageValue"].string(), "<unknown>") + '/' + text(average) + (said ? " (avg)" : "");
  }
  if (type.ends_with("Resource")) {
    return prefix + or_none(percent(now["averageUtilization"]), "<unknown>") + '/' +
           or_none(percent(target["averageUtilization"]), "<auto>");
  }
  return or_none(now["value"].string(), "<unknown>") + '/' + text(target["value"].string());
}

Row autoscaler_row(const Object& object, WallTime now) {
  const Value spec = object["spec"];
  const Value metrics = spec["metrics"];
  constexpr std::size_t kShown = 2;
  std::vector<std::string> targets;
  for (std::size_t i = 0; i < metrics.size() && i < kShown; ++i) {
    targets.push_back(metric_text(metrics[i], object["status"]["currentMetrics"][i]));
  }
  std::string shown = or_none(joined(targets, ", "));
  if (metrics.size() > kShown) shown += " + " + std::to_string(metrics.size() - kShown) + " more...";
  if (const auto old = percent(spec["targetCPUUtilizationPercentage"]); !old.empty()) {  // autoscaling/v1
    shown = "cpu: " + or_none(percent(object["status"]["currentCPUUtilizationPercentage"]), "<unknown>") + '/' + old;
  }
  const Value reference = spec["scaleTargetRef"];
  return {name(object),
          text(reference["kind"].string()) + '/' + text(reference["name"].string()),
          shown,
          number_or(spec["minReplicas"], "<unset>"),
          spec["maxReplicas"].int_or(0),
          object["status"]["currentReplicas"].int_or(0),
          object_age(object, now)};
}

}  // namespace

void add_workload_columns(ColumnTable& out) {
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
  out[{"", "replicationcontrollers"}] = {{named(), whole("Desired"), whole("Current"), whole("Ready"), plain("Age"),
                                          wide("Containers"), wide("Images"), wide("Selector")},
                                         replication_controller_row};
  out[{"", "podtemplates"}] = {{named(), plain("Containers"), plain("Images"), plain("Pod Labels")}, pod_template_row};
  out[{"apps", "controllerrevisions"}] = {{named(), plain("Controller"), plain("Revision"), plain("Age")},
                                          revision_row};
  out[{"batch", "cronjobs"}] = {
      {named(), plain("Schedule"), plain("Timezone"), yes_or_no("Suspend"), whole("Active"), plain("Last Schedule"),
       plain("Age"), wide("Containers"), wide("Images"), wide("Selector")},
      cron_job_row};
  out[{"autoscaling", "horizontalpodautoscalers"}] = {{named(), plain("Reference"), plain("Targets"), plain("MinPods"),
                                                       plain("MaxPods"), plain("Replicas"), plain("Age")},
                                                      autoscaler_row};
}

}  // namespace kubexx::columns
