#include <algorithm>

#include "apiserver/core_impl.hpp"
#include "apiserver/faults/fault_writer.hpp"

namespace kubexx::apiserver {
namespace {

class FaultWriter final : public ResponseWriter {
 public:
  FaultWriter(std::shared_ptr<ResponseWriter> inner, const Fault& fault)
      : inner_(std::move(inner)), truncate_after_(fault.truncate_after), corrupt_at_(fault.corrupt_at) {}

  void respond(int status, HeaderFields headers, std::string body) override {
    start(status, std::move(headers));
    write(std::make_shared<const std::string>(std::move(body)));
    finish();
  }
  void start(int status, HeaderFields headers) override { inner_->start(status, std::move(headers)); }
  void write(SharedBytes shared) override {
    if (cut_) return;
    std::string bytes = *shared;
    if (corrupt_at_ && *corrupt_at_ >= written_ && *corrupt_at_ < written_ + bytes.size())
      bytes[*corrupt_at_ - written_] ^= 0x15;
    if (truncate_after_ && written_ + bytes.size() >= *truncate_after_) {
      bytes.resize(*truncate_after_ - written_);
      cut_ = true;
    }
    written_ += bytes.size();
    inner_->write(std::make_shared<const std::string>(std::move(bytes)));
    if (cut_) inner_->abort();
  }
  void finish() override {
    if (!cut_) inner_->finish();
  }
  void abort() override { inner_->abort(); }
  std::size_t backlog() const override { return inner_->backlog(); }
  bool closed() const override { return inner_->closed(); }
  void on_close(std::function<void()> callback) override { inner_->on_close(std::move(callback)); }

 private:
  const std::shared_ptr<ResponseWriter> inner_;
  const std::optional<std::size_t> truncate_after_;
  const std::optional<std::size_t> corrupt_at_;
  std::size_t written_ = 0;
  bool cut_ = false;
};

}  // namespace

std::shared_ptr<ResponseWriter> fault_writer(std::shared_ptr<ResponseWriter> inner, const Fault& fault) {
  return std::make_shared<FaultWriter>(std::move(inner), fault);
}

std::optional<Fault> CoreImpl::strike(const Call& call) {
  for (auto it = faults_.begin(); it != faults_.end(); ++it) {
    Fault& fault = it->fault;
    if (!fault.verb.empty() && fault.verb != call.route.verb) continue;
    if (!fault.resource.empty() && fault.resource != call.route.resource) continue;
    if (!fault.user_agent.empty() && call.request.header("user-agent").find(fault.user_agent) == std::string_view::npos)
      continue;
    if (fault.share < 1 && random_->uniform() >= fault.share) continue;
    const Fault hit = fault;
    if (fault.times != std::numeric_limits<std::uint64_t>::max() && --fault.times == 0) faults_.erase(it);
    return hit;
  }
  return std::nullopt;
}

Outage CoreImpl::add_fault(Fault fault) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = next_fault_++;
  if (fault.times > 0) faults_.push_back({id, std::move(fault)});
  return Outage([weak = weak_from_this(), id] {
    const auto self = weak.lock();
    if (!self) return;
    const std::lock_guard guard(self->mutex_);
    self->faults_.remove_if([&](const ActiveFault& active) { return active.id == id; });
  });
}

std::size_t CoreImpl::end_watches(const WatchFilter& filter, bool cut) {
  const std::lock_guard lock(mutex_);
  const auto found = hub_.matching(filter);
  for (const auto& watcher : found) cut ? hub_.abort(watcher->id) : hub_.finish(watcher->id);
  return found.size();
}

Outage CoreImpl::stall_watches(const WatchFilter& filter) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = next_fault_++;
  stalls_.emplace_back(id, filter);
  for (const auto& watcher : hub_.matching(filter)) ++watcher->stalls;
  return Outage([weak = weak_from_this(), id, filter] {
    const auto self = weak.lock();
    if (!self) return;
    const std::lock_guard guard(self->mutex_);
    self->stalls_.remove_if([&](const auto& entry) { return entry.first == id; });
    for (const auto& watcher : self->hub_.matching(filter)) {
      if (watcher->stalls > 0) --watcher->stalls;
      self->hub_.release(watcher);
    }
  });
}

Outage CoreImpl::delay_watches(Duration by, const WatchFilter& filter) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = next_fault_++;
  delays_.emplace_back(id, by, filter);
  for (const auto& watcher : hub_.matching(filter)) watcher->delay += by;
  return Outage([weak = weak_from_this(), id, by, filter] {
    const auto self = weak.lock();
    if (!self) return;
    const std::lock_guard guard(self->mutex_);
    self->delays_.remove_if([&](const auto& entry) { return std::get<0>(entry) == id; });
    for (const auto& watcher : self->hub_.matching(filter))
      watcher->delay = std::max(Duration::zero(), watcher->delay - by);
  });
}

Outage CoreImpl::drop_bookmarks(const WatchFilter& filter) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = next_fault_++;
  mutes_.emplace_back(id, filter);
  for (const auto& watcher : hub_.matching(filter)) ++watcher->dropping_bookmarks;
  return Outage([weak = weak_from_this(), id, filter] {
    const auto self = weak.lock();
    if (!self) return;
    const std::lock_guard guard(self->mutex_);
    self->mutes_.remove_if([&](const auto& entry) { return entry.first == id; });
    for (const auto& watcher : self->hub_.matching(filter)) {
      if (watcher->dropping_bookmarks > 0) --watcher->dropping_bookmarks;
    }
  });
}

std::size_t CoreImpl::inject(std::string_view bytes, const WatchFilter& filter) {
  const std::lock_guard lock(mutex_);
  const auto found = hub_.matching(filter);
  const auto shared = std::make_shared<const std::string>(bytes);
  for (const auto& watcher : found) hub_.write(*watcher, shared);
  return found.size();
}

std::size_t CoreImpl::truncate_watches(const WatchFilter& filter) {
  const std::lock_guard lock(mutex_);
  const auto found = hub_.matching(filter);
  for (const auto& watcher : found) watcher->truncate_next = true;
  return found.size();
}

void CoreImpl::send_bookmarks() {
  const std::lock_guard lock(mutex_);
  for (const auto& watcher : hub_.matching({})) {
    if (watcher->bookmarks) hub_.send_bookmark(*watcher, false);
  }
}

void CoreImpl::compact_history() {
  const std::lock_guard lock(mutex_);
  storage_.compact();
}

Storage::Snapshot CoreImpl::checkpoint() {
  const std::lock_guard lock(mutex_);
  return storage_.snapshot();
}

void CoreImpl::restore(const Storage::Snapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  for (const auto& watcher : hub_.matching({})) hub_.abort(watcher->id);
  storage_.restore(snapshot);
  dependents_.clear();
  by_uid_.clear();
  for (const auto& [name, bucket] : storage_.buckets()) {
    for (const auto& [key, object] : bucket->objects) {
      Event event;
      event.type = meta::WatchEventType::Added;
      event.key = key;
      event.object = object;
      event.bucket = bucket.get();
      note_owners(event);
    }
  }
  load_definitions();
}

void CoreImpl::set_connection_control(Core::ConnectionControl control) {
  const std::lock_guard lock(mutex_);
  connection_control_ = std::move(control);
}

std::uint64_t CoreImpl::version() {
  const std::lock_guard lock(mutex_);
  return storage_.version();
}

std::size_t CoreImpl::watchers() {
  const std::lock_guard lock(mutex_);
  return hub_.size();
}

}  // namespace kubexx::apiserver
