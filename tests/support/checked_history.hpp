#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/informer/event_handler.hpp"

namespace kubexx {

/// What a CheckedHistory demands beyond calls that follow from each other, and whom it tells.
struct HistoryRules {
  bool versions_may_fall = true;  ///< a server that was restored has older states again
  /// Beside problems(): at once, inside the call.
  std::function<void(const std::string& key, const std::string& what)> on_problem = {};
};

/// A handler that follows every key from call to call, and notes what cannot follow from the calls before: an add of
/// what is there, an update of another state than the last, a delete of what is not there, a call after the removal.
class CheckedHistory final : public informer::ResourceEventHandler {
 public:
  explicit CheckedHistory(HistoryRules rules = {}) : rules_(std::move(rules)) {}

  void on_add(const meta::Object& object, bool initial, const informer::EventContext& context) override;
  void on_update(const meta::Object& before, const meta::Object& after, const informer::EventContext& context) override;
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) override;

  /// Its registration was removed: no call may begin from now on.
  void retire();

  /// key=version of everything that the calls so far leave, in order.
  std::vector<std::string> view() const;
  std::vector<std::string> problems() const;
  std::size_t calls() const;
  /// Deletions that only a new whole state showed.
  std::size_t inferred_deletes() const;

 private:
  using Problems = std::vector<std::string>;
  /// Counts a call; what is wrong with it so far.
  Problems begin_call();
  /// Keeps the newest version of a key, also of one that is gone.
  void follow_version(const std::string& key, std::string_view version, Problems& found);
  /// Without the lock: whoever is told may ask.
  void tell(const char* call, const std::string& key, const Problems& found);

  const HistoryRules rules_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> versions_;  // guarded by mutex_
  std::map<std::string, std::string> newest_;    // guarded by mutex_; empty where versions may fall
  std::vector<std::string> problems_;            // guarded by mutex_
  std::size_t calls_ = 0;                        // guarded by mutex_
  std::size_t inferred_ = 0;                     // guarded by mutex_
  bool retired_ = false;                         // guarded by mutex_
};

}  // namespace kubexx
