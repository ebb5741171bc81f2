#include "apiserver/core_impl.hpp"
#include "apiserver/http/status.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

Duration milliseconds(meta::Value value) {
  return std::chrono::milliseconds(value.int_or(0));
}

}  // namespace

// POST {"action": ..., ...}; faults that last stay until {"action":"clear"}.
Result<Answer> CoreImpl::serve_faults(Call& call) {
  if (call.user.role != Role::Admin) return Error::api(403, "Forbidden", "only the admin may break things");
  if (call.request.method == "GET") {
    Answer out;
    const std::lock_guard lock(mutex_);
    out.raw = "{\"faults\":" + std::to_string(faults_.size()) + ",\"watches\":" + std::to_string(hub_.size()) +
              ",\"version\":" + std::to_string(storage_.version()) + "}\n";
    out.raw_type = "application/json";
    return out;
  }
  if (call.request.method != "POST") return method_not_allowed();
  auto body = meta::parse_json(call.request.body);
  if (!body) return bad_request(body.error().message());
  const std::string_view action = (*body)["action"].string();
  WatchFilter filter;
  filter.resource = (*body)["resource"].string();
  filter.namespace_ = (*body)["namespace"].string();
  filter.user_agent = (*body)["userAgent"].string();
  std::size_t touched = 0;
  if (action == "fault") {
    Fault fault;
    fault.verb = (*body)["verb"].string();
    fault.resource = filter.resource;
    fault.user_agent = filter.user_agent;
    fault.share = (*body)["share"].double_or(1);
    if (const auto times = (*body)["times"].get_int(); times && *times > 0)
      fault.times = static_cast<std::uint64_t>(*times);
    fault.status = static_cast<int>((*body)["status"].int_or(0));
    if (fault.status != 0 && (fault.status < 400 || fault.status > 599)) return bad_request("status must be a failure");
    if (const auto after = (*body)["retryAfter"].get_int()) fault.retry_after = static_cast<int>(*after);
    fault.message = (*body)["message"].string();
    fault.delay = milliseconds((*body)["delayMillis"]);
    if (const auto at = (*body)["truncateAfter"].get_int(); at && *at >= 0)
      fault.truncate_after = static_cast<std::size_t>(*at);
    if (const auto at = (*body)["corruptAt"].get_int(); at && *at >= 0)
      fault.corrupt_at = static_cast<std::size_t>(*at);
    fault.reset = (*body)["reset"].bool_or(false);
    add_fault(std::move(fault)).release();
  } else if (action == "cutWatches") {
    touched = end_watches(filter, true);
  } else if (action == "endWatches") {
    touched = end_watches(filter, false);
  } else if (action == "stallWatches") {
    lasting_.push_back(stall_watches(filter));
  } else if (action == "delayWatches") {
    lasting_.push_back(delay_watches(milliseconds((*body)["delayMillis"]), filter));
  } else if (action == "dropBookmarks") {
    lasting_.push_back(drop_bookmarks(filter));
  } else if (action == "truncateWatches") {
    touched = truncate_watches(filter);
  } else if (action == "bookmarks") {
    send_bookmarks();
  } else if (action == "compact") {
    compact_history();
  } else if (action == "checkpoint") {
    control_checkpoint_ = checkpoint();
  } else if (action == "restore") {
    if (!control_checkpoint_) return bad_request("there is no checkpoint");
    restore(*control_checkpoint_);
  } else if (action == "dropConnections" || action == "refuseConnections" || action == "restart") {
    Core::ConnectionControl control;
    {
      const std::lock_guard lock(mutex_);
      control = connection_control_;
    }
    if (!control) return bad_request("this server has no connections");
    call.out->on_close([control = std::move(control), name = std::string(action),
                        down = milliseconds((*body)["downMillis"])] { control(name, down); });
  } else if (action == "clear") {
    lasting_.clear();
    const std::lock_guard lock(mutex_);
    faults_.clear();
  } else {
    return bad_request("unknown action " + in_quotes(action));
  }
  Answer out;
  out.raw = "{\"touched\":" + std::to_string(touched) + "}\n";
  out.raw_type = "application/json";
  return out;
}

}  // namespace kubexx::apiserver
