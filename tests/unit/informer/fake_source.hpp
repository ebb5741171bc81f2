#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/reflector/lister_watcher.hpp"
#include "unit/reflector/script.hpp"

namespace kubexx::informer {

inline std::string value_of(const meta::Object& object) {
  return std::string(object["data"]["v"].string());
}

/// A resource of ConfigMaps with one version counter, changed from any thread: lists its state, and watches replay what
/// came after their version. It tells nobody of what changes while it is muted.
class FakeSource final : public reflector::ListerWatcher {
 public:
  /// Creates the object or changes its value; returns its version.
  std::string put(const std::string& name, const std::string& value = "") {
    const std::lock_guard lock(mutex_);
    const bool known = state_.contains(name);
    auto& object = state_[name] = reflector::config_map(name, next(), value);
    tell({known ? meta::WatchEventType::Modified : meta::WatchEventType::Added, object});
    return std::to_string(version_);
  }
  /// False when it is not there.
  bool remove(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (state_.erase(name) == 0) return false;
    tell({meta::WatchEventType::Deleted, reflector::config_map(name, next())});
    return true;
  }
  std::vector<std::string> names() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& entry : state_) names.push_back(entry.first);
    return names;
  }
  std::string version() const {
    const std::lock_guard lock(mutex_);
    return std::to_string(version_);
  }
  /// What happens from now on is lost for watches.
  void mute() {
    const std::lock_guard lock(mutex_);
    muted_ = true;
  }
  /// Ends every watch as expired, so that the next list shows what was lost, and is heard again.
  void expire_watches() {
    const std::lock_guard lock(mutex_);
    muted_ = false;
    for (const auto& watcher : watchers_) {
      watcher->post(reflector::status_event(410, "Expired", "the history is gone"));
    }
    watchers_.clear();
    history_.clear();
  }

  std::unique_ptr<meta::Call> list(const meta::ListOptions&, const Strand& strand,
                                   std::shared_ptr<meta::StreamSink> sink) override {
    const std::lock_guard lock(mutex_);
    auto alive = std::make_shared<bool>(true);
    std::vector<meta::Object> items;
    for (const auto& entry : state_) items.push_back(entry.second);
    strand.post([alive, sink, items, version = std::to_string(version_)] {
      if (!*alive) return;
      sink->on_open();
      for (const auto& item : items) sink->on_item(item);
      sink->on_end(meta::ListMeta{"v1", "ConfigMapList", version, "", {}});
    });
    return std::make_unique<Held>(std::move(alive));
  }
  std::unique_ptr<meta::Call> watch(const meta::ListOptions& options, const Strand& strand,
                                    std::shared_ptr<meta::StreamSink> sink) override {
    const std::lock_guard lock(mutex_);
    auto watcher = std::make_shared<Watcher>(Watcher{std::move(sink), strand, std::make_shared<bool>(true)});
    strand.post([watcher] {
      if (*watcher->alive) watcher->sink->on_open();
    });
    const auto from = std::stoull(options.resource_version);
    for (const auto& entry : history_) {
      if (entry.first > from) watcher->post(entry.second);
    }
    watchers_.push_back(watcher);
    return std::make_unique<Held>(watcher->alive);
  }
  bool supports_watch_list() const override { return false; }

 private:
  struct Watcher {
    std::shared_ptr<meta::StreamSink> sink;
    Strand strand;
    std::shared_ptr<bool> alive;  // on the strand
    void post(const meta::WatchEvent& event) const {
      strand.post([sink = sink, alive = alive, event] {
        if (*alive) sink->on_event(event);
      });
    }
  };
  struct Held final : meta::Call {
    explicit Held(std::shared_ptr<bool> alive) : alive_(std::move(alive)) {}
    ~Held() override { *alive_ = false; }
    std::shared_ptr<bool> alive_;
  };

  std::string next() { return std::to_string(++version_); }  // with mutex_ held
  void tell(const meta::WatchEvent& event) {                 // with mutex_ held
    if (muted_) return;
    history_.emplace_back(version_, event);
    for (const auto& watcher : watchers_) watcher->post(event);
  }

  mutable std::mutex mutex_;
  std::map<std::string, meta::Object> state_;                        // guarded by mutex_
  std::vector<std::pair<std::uint64_t, meta::WatchEvent>> history_;  // guarded by mutex_
  std::vector<std::shared_ptr<Watcher>> watchers_;                   // guarded by mutex_
  std::uint64_t version_ = 0;                                        // guarded by mutex_
  bool muted_ = false;                                               // guarded by mutex_
};

}  // namespace kubexx::informer
