#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/informer/event_handler.hpp"

namespace kubexx::inspect {

/// An update or a deletion that an informer told of.
struct Change {
  std::string key;
  informer::EventCause cause = informer::EventCause::Watch;
  WallTime time{};
  meta::Object before;
  meta::Object after;  ///< null: deleted
};

/// Remembers the last updates and deletions of one informer, bounded by number and by bytes. Thread-safe.
class ChangeLog final : public informer::ResourceEventHandler {
 public:
  static constexpr std::size_t kMostChanges = 1000;
  static constexpr std::size_t kMostBytes = 8 << 20;

  explicit ChangeLog(const Clock& clock) : clock_(clock) {}
  std::vector<Change> of(std::string_view key, std::size_t most) const;  ///< newest first
  std::size_t size() const;
  std::size_t bytes() const;

  void on_add(const meta::Object& object, bool initial, const informer::EventContext& context) override;
  void on_update(const meta::Object& before, const meta::Object& after, const informer::EventContext& context) override;
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) override;

 private:
  void keep(Change change);

  const Clock& clock_;
  mutable std::mutex mutex_;
  std::deque<Change> changes_;  // guarded by mutex_; oldest first
  std::size_t bytes_ = 0;       // guarded by mutex_; of the objects before
};

}  // namespace kubexx::inspect
