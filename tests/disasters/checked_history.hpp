#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kubexx/informer/event_handler.hpp"

namespace kubexx::disasters {

/// A handler that follows every key from call to call, and notes what cannot follow from the calls before: an add of
/// what is there, an update of another state than the last, a delete of what is not there.
class CheckedHistory final : public informer::ResourceEventHandler {
 public:
  void on_add(const meta::Object& object, bool initial, const informer::EventContext& context) override;
  void on_update(const meta::Object& before, const meta::Object& after, const informer::EventContext& context) override;
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) override;

  /// key=version of everything that the calls so far leave, in order.
  std::vector<std::string> view() const;
  std::vector<std::string> problems() const;
  std::size_t calls() const;
  /// Deletions that only a new whole state showed.
  std::size_t inferred_deletes() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> versions_;  // guarded by mutex_
  std::vector<std::string> problems_;            // guarded by mutex_
  std::size_t calls_ = 0;                        // guarded by mutex_
  std::size_t inferred_ = 0;                     // guarded by mutex_
};

}  // namespace kubexx::disasters
