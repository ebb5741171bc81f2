#include "apiserver/faults/control.hpp"

#include "apiserver/controllers/containers.hpp"
#include "apiserver/http/status.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

Duration milliseconds(meta::Value value) {
  return std::chrono::milliseconds(value.int_or(0));
}

WatchFilter filter_of(const meta::Object& body) {
  WatchFilter filter;
  filter.resource = body["resource"].string();
  filter.namespace_ = body["namespace"].string();
  filter.user_agent = body["userAgent"].string();
  return filter;
}

Result<Fault> fault_of(const meta::Object& body) {
  Fault fault;
  fault.verb = body["verb"].string();
  fault.resource = body["resource"].string();
  fault.subresource = body["subresource"].string();
  fault.user_agent = body["userAgent"].string();
  fault.share = body["share"].double_or(1);
  if (const auto times = body["times"].get_int(); times && *times > 0) fault.times = static_cast<std::uint64_t>(*times);
  fault.status = static_cast<int>(body["status"].int_or(0));
  if (fault.status != 0 && (fault.status < 400 || fault.status > 599)) return bad_request("status must be a failure");
  if (const auto after = body["retryAfter"].get_int()) fault.retry_after = static_cast<int>(*after);
  fault.message = body["message"].string();
  fault.delay = milliseconds(body["delayMillis"]);
  if (const auto at = body["truncateAfter"].get_int(); at && *at >= 0)
    fault.truncate_after = static_cast<std::size_t>(*at);
  if (const auto at = body["corruptAt"].get_int(); at && *at >= 0) fault.corrupt_at = static_cast<std::size_t>(*at);
  fault.reset = body["reset"].bool_or(false);
  return fault;
}

Result<void> play_container(Cluster& cluster, std::string_view action, const meta::Object& body) {
  const ContainerKey key{std::string(body["namespace"].string()), std::string(body["pod"].string()),
                         std::string(body["container"].string())};
  if (action == "startContainer") return start_container(cluster, key);
  if (action == "endContainer") return end_container(cluster, key, static_cast<int>(body["exitCode"].int_or(0)));
  return append_log(cluster, key, body["text"].string(), std::nullopt);
}

}  // namespace

Result<Answer> serve_control(Core::Impl& core, Call& call) {
  if (call.user.role != Role::Admin) return Error::api(403, "Forbidden", "only the admin may break things");
  std::vector<Outage> ended;  // each takes the lock when it ends: after it is given up here
  const bool reads = call.request.method == "GET";
  if (!reads && call.request.method != "POST") return method_not_allowed();
  auto body = meta::parse_json(reads ? "{}" : std::string_view(call.request.body));
  if (!body) return bad_request(body.error().message());
  const std::string_view action = (*body)["action"].string();
  const WatchFilter filter = filter_of(*body);
  std::size_t touched = 0;
  const Locked cluster = core.lock();
  Faults& faults = cluster->faults;
  if (reads) {
    return json_answer("{\"faults\":" + std::to_string(faults.requests.size()) +
                       ",\"watches\":" + std::to_string(cluster->hub.size()) +
                       ",\"version\":" + std::to_string(cluster->storage.version()) + "}\n");
  }
  if (action == "fault") {
    auto fault = fault_of(*body);
    if (!fault) return fault.error();
    add_fault(*cluster, std::move(*fault)).release();
  } else if (action == "cutWatches") {
    touched = end_watches(*cluster, filter, true);
  } else if (action == "endWatches") {
    touched = end_watches(*cluster, filter, false);
  } else if (action == "stallWatches") {
    faults.lasting.push_back(disturb_watches(*cluster, {.filter = filter, .stalls = 1}));
  } else if (action == "delayWatches") {
    faults.lasting.push_back(
        disturb_watches(*cluster, {.filter = filter, .delay = milliseconds((*body)["delayMillis"])}));
  } else if (action == "dropBookmarks") {
    faults.lasting.push_back(disturb_watches(*cluster, {.filter = filter, .dropped_bookmarks = 1}));
  } else if (action == "truncateWatches") {
    touched = truncate_watches(*cluster, filter);
  } else if (action == "cutLogs" || action == "endLogs") {
    touched = cluster->logs.end_followers(action == "cutLogs");
  } else if (action == "startContainer" || action == "endContainer" || action == "appendLog") {
    if (auto done = play_container(*cluster, action, *body); !done) return done.error();
  } else if (action == "bookmarks") {
    send_bookmarks(*cluster);
  } else if (action == "compact") {
    cluster->storage.compact();
  } else if (action == "checkpoint") {
    faults.checkpoint = cluster->storage.snapshot();
  } else if (action == "restore") {
    if (!faults.checkpoint) return bad_request("there is no checkpoint");
    cluster->restore(*faults.checkpoint);
  } else if (action == "dropConnections" || action == "refuseConnections" || action == "restart") {
    if (!faults.connections) return bad_request("this server has no connections");
    call.out->on_close([control = faults.connections, name = std::string(action),
                        down = milliseconds((*body)["downMillis"])] { control(name, down); });
  } else if (action == "clear") {
    ended.swap(faults.lasting);
    faults.requests.clear();
  } else {
    return bad_request("unknown action " + in_quotes(action));
  }
  return json_answer("{\"touched\":" + std::to_string(touched) + "}\n");
}

}  // namespace kubexx::apiserver
