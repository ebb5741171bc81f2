#include "kubexx/testkit/recording_handler.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace kubexx::testkit {

struct KUBEXX_HIDDEN Recording::Impl : informer::ResourceEventHandler {
  void on_add(const meta::Object& object, bool, const informer::EventContext&) override {
    write("add " + meta::ObjectKey::of(object).to_string());
  }
  void on_update(const meta::Object&, const meta::Object& after, const informer::EventContext&) override {
    write("update " + meta::ObjectKey::of(after).to_string());
  }
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext&) override {
    write("delete " + gone.key() + (gone.final_state_known() ? "" : " (final state unknown)"));
  }
  void write(std::string line) {
    const std::lock_guard lock(mutex);
    lines.push_back(std::move(line));
    written.notify_all();
  }

  std::mutex mutex;
  std::condition_variable written;
  std::vector<std::string> lines;  // guarded by mutex
};

Recording::Recording() : impl_(std::make_shared<Impl>()) {}

std::shared_ptr<informer::ResourceEventHandler> Recording::handler() const {
  return impl_;
}

bool Recording::await(const std::vector<std::string>& wanted, Duration ceiling) const {
  std::unique_lock lock(impl_->mutex);
  return impl_->written.wait_for(lock, ceiling, [&] {
    auto there = impl_->lines;
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& line) {
      const auto found = std::find(there.begin(), there.end(), line);
      if (found == there.end()) return false;
      there.erase(found);
      return true;
    });
  });
}

bool Recording::await_count(std::size_t count, Duration ceiling) const {
  std::unique_lock lock(impl_->mutex);
  return impl_->written.wait_for(lock, ceiling, [&] { return impl_->lines.size() >= count; });
}

std::vector<std::string> Recording::lines() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->lines;
}

void Recording::clear() {
  const std::lock_guard lock(impl_->mutex);
  impl_->lines.clear();
}

}  // namespace kubexx::testkit
