#include "apiserver/storage/container_logs.hpp"

#include <algorithm>
#include <vector>

#include "meta/internal/nano_time.hpp"

namespace kubexx::apiserver {
namespace {

constexpr std::size_t kMostUnread = 256 << 10;  // then a follower waits
constexpr std::size_t kPiece = 32 << 10;
constexpr Duration kLookAgain = std::chrono::milliseconds(5);  // whether a follower has caught up

void append_line(std::string& out, const ContainerRun::Line& line, bool timestamps) {
  if (timestamps) out.append(meta::to_nano_text(line.time)).append(" ");
  out.append(line.text).append("\n");
}

/// The number of the first line that is asked for. A node finds the tail first and looks at the time then.
std::uint64_t first_line(const ContainerRun& run, const LogQuery& query) {
  const std::uint64_t end = run.first + run.lines.size();
  return end - std::min<std::uint64_t>(query.tail_lines.value_or(run.lines.size()), run.lines.size());
}

/// `left`: what a limit still allows. False: it is used up.
bool cut_to(std::string& text, std::optional<std::uint64_t>& left) {
  if (!left) return true;
  if (text.size() >= *left) text.resize(*left);
  *left -= text.size();
  return *left > 0;
}

}  // namespace

void ContainerLogs::start(const std::string& pod, const std::string& container) {
  Logs& logs = pods_[pod][container];
  if (logs.current) {
    end(pod, container);
    logs.previous = std::move(logs.current);
  }
  logs.current = std::make_shared<ContainerRun>();
}

void ContainerLogs::end(const std::string& pod, const std::string& container) {
  const auto run = find(pod, container, false);
  if (!run) return;
  run->over = true;
  tell(run);
}

bool ContainerLogs::started(const std::string& pod, const std::string& container) const {
  const auto containers = pods_.find(pod);
  return containers != pods_.end() && containers->second.count(container) > 0;
}

void ContainerLogs::append(const std::string& pod, const std::string& container, std::string_view text, WallTime time) {
  auto& run = pods_[pod][container].current;
  if (!run) run = std::make_shared<ContainerRun>();
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    run->lines.push_back({time, std::string(text.substr(0, end))});
    run->bytes += end + sizeof(ContainerRun::Line);
    while (run->bytes > limit_ && run->lines.size() > 1) {
      run->bytes -= run->lines.front().text.size() + sizeof(ContainerRun::Line);
      run->lines.pop_front();
      ++run->first;
    }
    if (end + 1 >= text.size()) break;  // a newline at the end begins no line
    text.remove_prefix(end + 1);
  }
  tell(run);
}

void ContainerLogs::forget(const std::string& pod) {
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return;
  const auto containers = std::move(found->second);
  pods_.erase(found);
  for (const auto& [name, logs] : containers) {
    if (!logs.current) continue;
    logs.current->over = true;
    tell(logs.current);
  }
}

void ContainerLogs::clear() {
  end_followers(true);
  pods_.clear();
}

std::shared_ptr<ContainerRun> ContainerLogs::find(const std::string& pod, const std::string& container, bool previous) {
  const auto containers = pods_.find(pod);
  if (containers == pods_.end()) return nullptr;
  const auto logs = containers->second.find(container);
  if (logs == containers->second.end()) return nullptr;
  return previous ? logs->second.previous : logs->second.current;
}

std::string ContainerLogs::read(const ContainerRun& run, const LogQuery& query) {
  std::string out;
  auto left = query.limit_bytes;
  for (auto at = first_line(run, query) - run.first; at < run.lines.size(); ++at) {
    const auto& line = run.lines[at];
    if (query.since && line.time < *query.since) continue;
    append_line(out, line, query.timestamps);
    if (left && out.size() >= *left) break;
  }
  cut_to(out, left);
  return out;
}

std::uint64_t ContainerLogs::follow(std::shared_ptr<ContainerRun> run, const LogQuery& query,
                                    std::shared_ptr<ResponseWriter> out) {
  const std::uint64_t id = ++last_id_;
  Follower follower;
  follower.next = first_line(*run, query);
  follower.since = query.since;
  follower.run = std::move(run);
  follower.out = std::move(out);
  follower.timestamps = query.timestamps;
  follower.left = query.limit_bytes;
  followers_.emplace(id, std::move(follower));
  pump(id);
  return id;
}

void ContainerLogs::leave(std::uint64_t id) {
  const auto found = followers_.find(id);
  if (found == followers_.end()) return;
  found->second.later.cancel();
  followers_.erase(found);
}

std::size_t ContainerLogs::end_followers(bool cut) {
  const auto all = std::move(followers_);
  followers_.clear();
  for (auto [id, follower] : all) {
    follower.later.cancel();
    cut ? follower.out->abort() : follower.out->finish();
  }
  return all.size();
}

void ContainerLogs::tell(const std::shared_ptr<ContainerRun>& run) {
  std::vector<std::uint64_t> ids;  // one that ends leaves the map
  for (const auto& [id, follower] : followers_) {
    if (follower.run == run) ids.push_back(id);
  }
  for (const std::uint64_t id : ids) pump(id);
}

void ContainerLogs::pump(std::uint64_t id) {
  Follower& follower = followers_.at(id);
  const ContainerRun& run = *follower.run;
  follower.next = std::max(follower.next, run.first);
  const std::uint64_t end = run.first + run.lines.size();
  bool more = true;
  while (more && follower.next < end && follower.out->backlog() < kMostUnread) {
    std::string piece;
    while (follower.next < end && piece.size() < kPiece) {
      const auto& line = run.lines[follower.next++ - run.first];
      if (!follower.since || line.time >= *follower.since) append_line(piece, line, follower.timestamps);
    }
    more = cut_to(piece, follower.left);
    if (!piece.empty()) follower.out->write(std::make_shared<const std::string>(std::move(piece)));
  }
  if (!more || (run.over && follower.next == end)) {
    const auto out = follower.out;
    leave(id);
    return out->finish();
  }
  if (follower.next == end || follower.later.pending()) return;
  follower.later = schedule_(kLookAgain, [this, id] {
    const auto found = followers_.find(id);
    if (found == followers_.end()) return;
    found->second.later = Timer();
    pump(id);
  });
}

}  // namespace kubexx::apiserver
