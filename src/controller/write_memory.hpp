#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/meta/object_key.hpp"

namespace kubexx::controller {

/// The writes of one resource that its cache may not have yet, the last one of each key.
///
/// Threads: safe from any thread. Questions to the cache are asked without the lock.
class WriteMemory {
 public:
  struct Limits {
    std::size_t writes = 0;
    Duration age{};     ///< what is older is forgotten, whatever the cache says
    Duration unseen{};  ///< how long a removal stays that no cache has ever shown
  };
  /// Whether the cache has the write.
  using Reached = std::function<bool(const informer::Written&)>;

  explicit WriteMemory(Limits limits) : limits_(limits) {}

  void remember(informer::Written written, TimePoint now);
  /// What the cache has not got yet of this key, or of this namespace ("": of all). Forgets what it has.
  std::vector<informer::Written> missing(const meta::ObjectKey& key, const Reached& reached, TimePoint now);
  std::vector<informer::Written> missing_in(std::string_view namespace_, const Reached& reached, TimePoint now);
  /// Whether one more may be remembered. Without a cache to ask the oldest goes for it.
  bool make_room(const Reached& reached, TimePoint now);
  std::size_t size() const;

 private:
  struct Entry {
    informer::Written written;
    TimePoint at{};
    std::uint64_t number = 0;
    bool seen = false;     // the cache had it to lose
    bool reached = false;  // what the cache says, while it is looked at
  };
  using Entries = std::map<meta::ObjectKey, Entry>;

  std::vector<informer::Written> look(std::vector<Entry> entries, const Reached& reached, TimePoint now);
  bool may_still_show(const Entry& entry, TimePoint now) const;
  bool old(const Entry& entry, TimePoint now) const { return now - entry.at > limits_.age; }

  const Limits limits_;
  mutable std::mutex mutex_;
  Entries entries_;            // guarded by mutex_
  std::uint64_t number_ = 0;   // guarded by mutex_; of the last write
  std::size_t sweep_at_ = 64;  // guarded by mutex_; entries at which all are looked at
};

}  // namespace kubexx::controller
