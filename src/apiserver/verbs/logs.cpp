#include "apiserver/verbs/logs.hpp"

#include <vector>

#include "apiserver/http/respond.hpp"
#include "apiserver/http/status.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Object;
using meta::Value;

std::vector<std::string> names_of(const Object& pod, const char* field) {
  std::vector<std::string> names;
  for (const Value entry : pod["spec"][field].items()) names.emplace_back(entry["name"].string());
  return names;
}

std::string in_brackets(const std::vector<std::string>& names) {
  std::string out = "[";
  for (const std::string& name : names) out += (out.size() > 1 ? " " : "") + name;
  return out + "]";
}

/// A number that must be at least `least`; what is wrong with it goes to the causes.
Result<std::optional<std::uint64_t>> count(const Query& query, const char* key, std::int64_t least,
                                           std::vector<ErrorCause>& causes) {
  const auto number = query.number(key);
  if (!number) return number.error();
  if (!*number) return std::optional<std::uint64_t>();
  if (**number < least) {
    causes.push_back(invalid_value(key, std::to_string(**number),
                                   least > 0 ? "must be greater than 0" : "must be greater than or equal to 0"));
  }
  return std::optional(static_cast<std::uint64_t>(**number));
}

Result<LogQuery> query_of(const Cluster& cluster, const Call& call) {
  const Query& query = call.route.query;
  LogQuery out;
  std::vector<ErrorCause> causes;
  out.follow = query.flag("follow");
  out.timestamps = query.flag("timestamps");
  out.previous = query.flag("previous");
  const auto tail = count(query, "tailLines", 0, causes);
  if (!tail) return tail.error();
  const auto limit = count(query, "limitBytes", 1, causes);
  if (!limit) return limit.error();
  const auto seconds = count(query, "sinceSeconds", 1, causes);
  if (!seconds) return seconds.error();
  if (*seconds && query.has("sinceTime")) {
    causes.push_back(forbidden_value("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  }
  if (!causes.empty()) return invalid("", "PodLogOptions", call.route.name, std::move(causes));
  out.tail_lines = *tail;
  out.limit_bytes = *limit;
  if (*seconds) {
    const auto most = static_cast<std::uint64_t>(std::chrono::seconds(std::chrono::hours(24 * 365 * 50)).count());
    out.since = cluster.environment.clock.wall() - std::chrono::seconds(std::min(**seconds, most));
  }
  if (query.has("sinceTime")) {
    const auto since = meta::Time::parse(query.get("sinceTime"));  // whole seconds, as a node is asked
    if (!since) return bad_request("sinceTime: " + since.error().message());
    out.since = since->wall();
  }
  return out;
}

/// What a node says of a container that has no log, or an empty answer for a pod without a node.
Result<Answer> nothing_to_read(const Object& pod, const std::string& container, bool previous) {
  const std::string which = in_quotes(container) + " in pod " + in_quotes(pod.name());
  if (previous && container_status(pod, container)) {
    return bad_request("previous terminated container " + which + " not found");
  }
  if (pod["spec"]["nodeName"].string().empty()) {
    Answer empty;
    empty.status = 204;
    empty.raw_type = "text/plain";
    return empty;
  }
  const auto reason = container_status(pod, container)["state"]["waiting"]["reason"].string();
  return bad_request("container " + which +
                     " is waiting to start: " + std::string(reason.empty() ? "ContainerCreating" : reason));
}

bool was_started(const Value& status) {
  return status["state"]["running"].exists() || status["state"]["terminated"].exists() ||
         status["lastState"]["terminated"].exists();
}

Answer follow(Cluster& cluster, const Call& call, const std::shared_ptr<ContainerRun>& run, const LogQuery& query) {
  cluster.environment.log.set_status(call.ticket, 200);
  call.out->start(200, base_headers(cluster.environment, "text/plain"));
  const auto id = cluster.logs.follow(run, query, call.out);
  call.out->on_close(cluster.guard([&cluster, id] { cluster.logs.leave(id); }));
  Answer out;
  out.sent = true;
  return out;
}

}  // namespace

Result<std::string> chosen_container(const Object& pod, std::string_view name) {
  const auto containers = names_of(pod, "containers");
  if (name.empty()) {
    if (containers.size() == 1) return containers.front();
    std::string message = "a container name must be specified for pod " + std::string(pod.name());
    if (!containers.empty()) message += ", choose one of: " + in_brackets(containers);
    const auto first = names_of(pod, "initContainers");
    if (!containers.empty() && !first.empty()) message += " or one of the init containers: " + in_brackets(first);
    return bad_request(message);
  }
  for (const char* field : {"containers", "initContainers", "ephemeralContainers"}) {
    for (const std::string& known : names_of(pod, field)) {
      if (known == name) return known;
    }
  }
  return bad_request("container " + std::string(name) + " is not valid for pod " + std::string(pod.name()));
}

Value container_status(const Object& pod, std::string_view container) {
  for (const char* field : {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    for (const Value entry : pod["status"][field].items()) {
      if (entry["name"].string() == container) return entry;
    }
  }
  return {};
}

Result<Answer> serve_log(Cluster& cluster, Call& call, const Object& pod) {
  const auto query = query_of(cluster, call);
  if (!query) return query.error();
  const auto container = chosen_container(pod, call.route.query.get("container"));
  if (!container) return container.error();
  const std::string key = storage_key(pod.namespace_(), pod.name());
  if (!cluster.logs.started(key, *container) && was_started(container_status(pod, *container)))
    cluster.logs.start(key, *container);  // its status was put there; nobody wrote a line
  const auto run = cluster.logs.find(key, *container, query->previous);
  if (!run) return nothing_to_read(pod, *container, query->previous);
  if (query->follow) {
    if (cluster.logs.followers() >= cluster.environment.options.max_watches) return too_many_requests(1);
    return follow(cluster, call, run, *query);
  }
  Answer out;
  out.raw = ContainerLogs::read(*run, *query);
  out.raw_type = "text/plain";
  return out;
}

}  // namespace kubexx::apiserver
