#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "agent/lookup_table.hpp"
#include "agent/owner_question.hpp"
#include "kubexx/base/clock.hpp"

namespace kubexx::agent::detail {

/// The pods of a node, those that ended a moment ago included, and everything they are found by.
///
/// What leaves a pod (the id of a container that was replaced, an address) and pods that were deleted stay for a while;
/// a new pod with the same key has it at once.
///
/// Threads: table() is read by any; the rest is for one at a time.
class PodIndex {
 public:
  PodIndex(Duration keep_ended, std::size_t most_ended) : keep_ended_(keep_ended), most_ended_(most_ended) {}

  const LookupTable& table() const noexcept { return table_; }
  std::size_t pods() const noexcept { return pods_.size(); }
  std::size_t ended() const noexcept { return ended_.size(); }

  void put(PodRecord record, TimePoint now);
  void end(std::string_view key, TimePoint now);  ///< "namespace/name"
  /// Forgets what has ended long enough ago.
  void purge(TimePoint now);
  TimePoint next_purge() const noexcept { return ended_.empty() ? TimePoint::max() : ended_.front().until; }
  /// The answer about a controller, for all pods it has.
  void set_above(const OwnerQuestion& question, const std::shared_ptr<const OwnerReference>& above);
  /// What is to be known of all pods that are here, by the questions' keys.
  std::set<std::string, std::less<>> questions() const;

 private:
  using Record = std::shared_ptr<const PodRecord>;
  struct Ended {
    TimePoint until;
    Record record;
  };
  void write(const Record& record);
  void note_node_addresses(const PodRecord& record);
  bool retire(const Record& before);
  void replace(const Record& before, const Record& after);
  void forget(const PodRecord& record);
  void keep(Record record, TimePoint now);
  Record answered(const Record& record, const std::shared_ptr<const OwnerReference>& above);

  const Duration keep_ended_;
  const std::size_t most_ended_;
  std::map<std::string, Record, std::less<>> pods_;  // by "namespace/name"
  std::deque<Ended> ended_;                          // in order of their time
  std::size_t node_addresses_ = 0;
  LookupTable table_;
};

}  // namespace kubexx::agent::detail
