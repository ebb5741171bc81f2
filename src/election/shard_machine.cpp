#include "election/shard_machine.hpp"

#include <algorithm>

#include "base/internal/text.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/json_stream.hpp"

namespace kubexx::election {
namespace {

constexpr std::string_view kGroupLabel = "kubexx.io/shard-group";
constexpr std::string_view kMember = "kubexx.io/shard-member";
constexpr std::string_view kView = "kubexx.io/shard-view";
constexpr std::size_t kMaxView = 256 << 10;  // the server allows this much for all annotations

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> view;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    view.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return view;
}

Result<std::vector<meta::Object>> items_of(const Result<rest::Response>& answer) {
  if (!answer) return answer.error();
  struct Items final : meta::StreamSink {
    void on_item(meta::Object item) override { all.push_back(std::move(item)); }
    void on_end(Result<meta::ListMeta>) override {}
    std::vector<meta::Object> all;
  } items;
  meta::JsonListReader reader({}, items);
  if (auto fed = reader.feed(answer->body); !fed) return fed.error();
  if (auto end = reader.finish(); !end) return end.error();
  return std::move(items.all);
}

}  // namespace

ShardMachine::ShardMachine(rest::Client client, ShardOptions options, ShardCallbacks callbacks)
    : client_(std::move(client)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      strand_(client_.executor()),
      notices_(client_.handlers()),
      call_(client_, strand_),
      sweep_call_(client_, strand_),
      owned_gauge_(client_.metrics()->gauge("kubexx_shard_slots", "Slots of keys that this replica owns, of 1024",
                                            {{"group", options_.namespace_ + "/" + options_.group}})) {}

void ShardMachine::start() {
  ledger_->on_idle([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->strand_.post([self] {
      if (self->ended_ || self->call_.pending()) return;  // the turn under way will see it
      self->turn_timer_.cancel();
      self->turn();
    });
  });
  strand_.post([self = shared_from_this()] { self->turn(); });
}

void ShardMachine::leave(Task left) {
  strand_.post([self = shared_from_this(), left = std::move(left)]() mutable {
    if (self->ended_) return left();
    self->left_ = std::move(left);
    self->leaving_ = true;
    self->own({});
    self->call_.cancel();
    self->turn_timer_.cancel();
    self->turn();
  });
}

void ShardMachine::abandon() {
  strand_.post([self = shared_from_this()] { self->end(); });
}

void ShardMachine::end() {
  if (std::exchange(ended_, true)) return;
  own({});
  if (guard_) guard_->end();
  call_.cancel();
  sweep_call_.cancel();
  turn_timer_.cancel();
  guard_timer_.cancel();
  ledger_->on_idle(nullptr);
  if (auto left = std::exchange(left_, nullptr)) left();
}

std::vector<std::string> ShardMachine::members() const {
  const std::lock_guard lock(mutex_);
  return members_;
}

void ShardMachine::request(rest::Request request, UniqueFunction<void(ShardMachine&, Result<rest::Response>)> done) {
  call_.start(std::move(request), options_.renew_deadline / 2,
              [weak = weak_from_this(), done = std::move(done)](Result<rest::Response> answer) mutable {
                if (const auto self = weak.lock()) done(*self, std::move(answer));
              });
}

void ShardMachine::turn() {
  if (ended_) return;
  if (leaving_ && ledger_->idle(ShardSet::all())) return give_back();
  publish();
}

void ShardMachine::turn_failed(const Error& error, const char* doing) {
  log(LogLevel::Warning, "shard lease not available",
      {{"group", options_.group}, {"identity", options_.identity}, {"doing", doing}, {"error", error}});
  next_turn_after(options_.retry_period);
}

void ShardMachine::next_turn_after(Duration delay) {
  turn_timer_ = strand_.post_after(delay, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && !self->call_.pending()) self->turn();
  });
}

void ShardMachine::publish() {
  const auto began = strand_.clock().now();
  const auto began_wall = strand_.clock().wall();
  const auto now = meta::MicroTime::from_wall(began_wall).to_string();
  auto draft = lease_ ? lease_.edit() : new_lease(options_.namespace_, lease_name());
  draft["metadata"]["labels"][kGroupLabel].set(options_.group);
  draft["metadata"]["annotations"][kMember].set(options_.identity);
  draft["metadata"]["annotations"][kView].set(joined(next_));
  auto record = LeaseRecord::of(lease_);
  if (record.acquired.empty()) record.acquired = now;
  record.holder = options_.identity;
  record.duration_seconds = whole_seconds(options_.lease_duration);
  record.renewed = now;
  record.write_to(draft);
  auto out = lease_request(lease_ ? "PUT" : "POST", options_.namespace_, lease_ ? lease_name() : std::string(),
                           draft.to_object());
  request(std::move(out), [=, view = next_](ShardMachine& self, const Result<rest::Response>& answer) {
    const auto lease = answer ? answer->object() : Result<meta::Object>(answer.error());
    if (lease) return self.published(*lease, view, began, began_wall);
    const auto& error = lease.error();
    if (error.is_conflict() || error.is_already_exists()) return self.read_own();
    if (error.is_not_found()) self.lease_ = {};
    self.turn_failed(error, "renew");
  });
}

/// Our lease is not as we remember it: an earlier life of ours, an answer that was lost, or somebody's label.
void ShardMachine::read_own() {
  request(lease_request("GET", options_.namespace_, lease_name()),
          [](ShardMachine& self, const Result<rest::Response>& answer) {
            const auto lease = answer ? answer->object() : Result<meta::Object>(answer.error());
            if (!lease) return self.turn_failed(lease.error(), "read");
            self.lease_ = *lease;
            self.publish();
          });
}

void ShardMachine::published(const meta::Object& lease, View view, TimePoint began, WallTime began_wall) {
  lease_ = lease;
  published_ = std::move(view);
  // Too late, and nobody has said so yet: this thread or the whole machine was stopped. What we owned may be another's
  // by now, and our own lease, which nobody else writes, does not tell.
  if (guard_ && guard_->closed()) return guard_ended();
  if (!guard_) {
    guard_ = std::make_shared<LeaderGuard::Impl>(
        strand_.clock(),
        "shard membership of " + options_.identity + " in " + options_.namespace_ + "/" + options_.group,
        options_.renew_deadline, options_.renew_deadline + (options_.lease_duration - options_.renew_deadline) / 2);
  }
  guard_->extend(began, began_wall);
  ledger_->set_guard(guard_);
  guard_timer_.cancel();
  guard_timer_ = strand_.post_after(guard_->deadline() - strand_.clock().now(), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->guard_ended();
  });
  if (strand_.clock().now() >= guard_->deadline()) return guard_ended();
  read_all();
}

/// The lease may be anybody's soon: what we owned is gone. The next publication begins anew, with a new guard.
void ShardMachine::guard_ended() {
  if (ended_ || !guard_) return;
  log(LogLevel::Warning, "shard membership not renewed in time",
      {{"group", options_.group}, {"identity", options_.identity}});
  own({});
  guard_->end();
  guard_.reset();
  ledger_->set_guard(nullptr);
  next_.clear();
  call_.cancel();
  turn_timer_.cancel();
  next_turn_after(options_.retry_period);
}

void ShardMachine::read_all() {
  auto out = lease_request("GET", options_.namespace_, {});
  out.query.emplace_back("labelSelector", std::string(kGroupLabel) + "=" + options_.group);
  request(std::move(out), [](ShardMachine& self, const Result<rest::Response>& answer) {
    const auto leases = items_of(answer);
    if (!leases) return self.turn_failed(leases.error(), "list");
    self.observe(*leases);
    self.decide();
  });
}

void ShardMachine::observe(const std::vector<meta::Object>& leases) {
  const auto now = strand_.clock().now();
  std::vector<std::string> seen;
  for (const auto& lease : leases) {
    const auto identity = std::string(lease.annotations()[kMember].string());
    if (identity.empty() || identity == options_.identity || lease.labels()[kGroupLabel].string() != options_.group) {
      continue;
    }
    seen.push_back(identity);
    auto& other = others_[identity];
    if (other.resource_version == lease.resource_version() && !other.lease.empty()) continue;
    const auto view = lease.annotations()[kView].string();
    other = {std::string(lease.name()),
             std::string(lease.resource_version()),
             std::string(lease.uid()),
             LeaseRecord::of(lease),
             view.size() > kMaxView ? ShardSet::all() : ShardSet::share_of(identity, split(view)),
             now};
  }
  // A lease that somebody deleted counts until it would have run out: its owner may not know yet.
  std::sort(seen.begin(), seen.end());
  std::erase_if(others_, [&](const auto& entry) {
    return !std::binary_search(seen.begin(), seen.end(), entry.first) && !alive(entry.second);
  });
}

bool ShardMachine::alive(const Other& other) const {
  return !released(other) && strand_.clock().now() < other.observed + other.record.duration(options_.lease_duration);
}

void ShardMachine::decide() {
  View members{options_.identity};
  ShardSet claimed;
  for (const auto& [identity, other] : others_) {
    if (!alive(other)) continue;
    members.push_back(identity);
    claimed = claimed | other.claims;
  }
  std::sort(members.begin(), members.end());
  {
    const std::lock_guard lock(mutex_);
    members_ = members;
  }
  if (leaving_) return next_turn_after(options_.retry_period);

  const auto share = ShardSet::share_of(options_.identity, members);
  const auto claims = ShardSet::share_of(options_.identity, published_);
  own((owned_ & share) | ((claims & share) - claimed));
  if (members != published_ && ledger_->idle(claims - share)) {
    next_ = members;
    return publish();
  }
  sweep();
  next_turn_after(options_.retry_period);
}

void ShardMachine::own(const ShardSet& slots) {
  const auto gained = slots - owned_;
  const auto lost = owned_ - slots;
  owned_ = slots;
  ledger_->set_owned(slots);
  owned_gauge_.set(static_cast<double>(slots.size()));
  const auto tell = [&](const char* where, const std::function<void(const ShardSet&)>& callback, const ShardSet& set) {
    if (set.empty() || !callback) return;
    notices_.post([self = shared_from_this(), where, &callback, set] { call_isolated(where, [&] { callback(set); }); });
  };
  tell("on_lost", callbacks_.on_lost, lost);
  tell("on_gained", callbacks_.on_gained, gained);
}

void ShardMachine::give_back() {
  if (!lease_) return end();
  if (guard_) guard_->end();
  auto draft = lease_.edit();
  draft["metadata"]["annotations"][kView].set("");
  LeaseRecord{"", 1, {}, meta::MicroTime::from_wall(strand_.clock().wall()).to_string(), 0}.write_to(draft);
  request(lease_request("PUT", options_.namespace_, lease_name(), draft.to_object()),
          [](ShardMachine& self, const Result<rest::Response>& answer) {
            if (answer || answer.error().is_not_found()) return self.end();
            if (!answer.error().is_conflict()) return self.turn_failed(answer.error(), "give back");
            self.request(lease_request("GET", self.options_.namespace_, self.lease_name()),
                         [](ShardMachine& again, const Result<rest::Response>& read) {
                           const auto lease = read ? read->object() : Result<meta::Object>(read.error());
                           if (!lease) return again.turn_failed(lease.error(), "read");
                           again.lease_ = *lease;
                           again.give_back();
                         });
          });
}

/// Removes the lease of a replica that has been gone for long, one at a time. Only if it is still as we saw it.
void ShardMachine::sweep() {
  if (sweep_call_.pending()) return;
  const auto now = strand_.clock().now();
  for (const auto& [identity, other] : others_) {
    if (alive(other) || now < other.observed + 4 * options_.lease_duration) continue;
    auto out = lease_request("DELETE", options_.namespace_, other.lease);
    meta::Draft body;
    body["apiVersion"].set("v1");
    body["kind"].set("DeleteOptions");
    body["preconditions"]["resourceVersion"].set(other.resource_version);
    if (!other.uid.empty()) body["preconditions"]["uid"].set(other.uid);
    out.body = meta::to_json(body.to_object());
    sweep_call_.start(std::move(out), options_.renew_deadline, [](const Result<rest::Response>&) {});
    return;
  }
}

}  // namespace kubexx::election
