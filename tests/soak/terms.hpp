#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kubexx/apiserver/core.hpp"
#include "soak/journal.hpp"

namespace kubexx::soak {

/// A write of a leader, whose name says all of it: who, in which of its terms, the how manyeth, when it began, and
/// until when its guard allowed it then.
struct TermWrite {
  std::string leader = {};
  int term = 0;
  int number = 0;
  TimePoint began = {};
  TimePoint deadline = {};

  std::string name() const;
  static std::optional<TermWrite> parse(std::string_view name);
  std::string whose() const { return leader + "." + std::to_string(term); }
};

/// What leaders write: objects of this resource, which nobody else writes.
inline const meta::GroupVersionResource kTermWrites{"", "v1", "serviceaccounts"};
inline constexpr const char* kTermNamespace = "kube-node-lease";

/// Looks at guarded writes as they arrived at the server: that of a leader may not come after one of the next, unless
/// it was on its way when its guard's time ended. One that began after that time does not arrive; a single one may,
/// whose guard was renewed at that very moment.
class Terms {
 public:
  explicit Terms(Journal& journal) : journal_(journal) {}

  /// Reads the server's log since the last time, and removes what was written.
  void collect(apiserver::Core& core);
  void arrived(const TermWrite& write, TimePoint at);

  std::uint64_t writes() const noexcept { return writes_; }
  std::uint64_t terms() const noexcept { return terms_; }

 private:
  void arrived_late(const TermWrite& write);

  Journal& journal_;
  TimePoint last_{};
  std::string current_;                               // whose writes come now
  std::deque<std::string> over_;                      // whose came before; the last ones
  std::map<TimePoint, std::set<std::string>> lates_;  // that began after the guard's time, by it
  std::uint64_t writes_ = 0;
  std::uint64_t terms_ = 0;
};

}  // namespace kubexx::soak
