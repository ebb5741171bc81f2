#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kubexx/base/random.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "soak/journal.hpp"
#include "soak/workload.hpp"
#include "support/checked_history.hpp"

namespace kubexx::soak {

/// What everybody in a run has.
struct Surroundings {
  Journal& journal;
  Workload& workload;
  std::atomic<bool> storm{false};  ///< now things change and break; otherwise everybody comes to rest
};

/// What is wrong at a quiet point, and of which key.
struct Difference {
  std::string key = {};
  std::string what = {};
};
/// The first line that only one of them has; lines are "key=version", in order.
std::optional<Difference> first_difference(const std::string& who, const std::vector<std::string>& has,
                                           const std::vector<std::string>& server);

enum class Manner { Fast, Slow, Throwing, Changing };

class HandlerSet;

/// A handler that checks what it is told, and behaves as handlers do: quick, slow, throwing, or one that adds and
/// removes handlers, itself among them.
class Handler final : public informer::ResourceEventHandler {
 public:
  Handler(Surroundings& surroundings, std::string name, meta::GroupVersionResource resource, Manner manner,
          std::weak_ptr<HandlerSet> set, std::uint64_t seed);

  void on_add(const meta::Object& object, bool initial, const informer::EventContext& context) override;
  void on_update(const meta::Object& before, const meta::Object& after, const informer::EventContext& context) override;
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) override;

  CheckedHistory& history() noexcept { return history_; }
  const std::string& name() const noexcept { return name_; }

 private:
  void note(const std::string& key, const char* call, const meta::Object& object,
            const informer::EventContext& context);
  void check(const std::string& key, const char* call, const meta::Object& object);
  void behave(const informer::EventContext& context);

  Surroundings& surroundings_;
  const std::string name_;
  const meta::GroupVersionResource resource_;
  const Manner manner_;
  const std::weak_ptr<HandlerSet> set_;
  Random random_;
  CheckedHistory history_;
};

/// What a Handler throws on purpose says this.
inline constexpr const char* kThrownOnPurpose = "thrown on purpose";

/// The handlers of one informer, which come and go.
///
/// Threads: safe from any thread, handlers' calls among them.
class HandlerSet : public std::enable_shared_from_this<HandlerSet> {
 public:
  HandlerSet(Surroundings& surroundings, std::shared_ptr<informer::SharedIndexInformer> informer, std::string label,
             std::uint64_t seed)
      : surroundings_(surroundings), informer_(std::move(informer)), label_(std::move(label)), random_(seed) {}

  void add(Manner manner);
  /// One more, or one less.
  void change();
  /// Takes no more; those there are stay.
  void close();
  void remove_all();

  /// Whose view is another than the server's, or who has not synced.
  std::optional<Difference> wrong(const std::vector<std::string>& server) const;

 private:
  struct Entry {
    std::shared_ptr<Handler> handler;
    informer::Registration registration;
  };
  using Entries = std::list<Entry>;
  static void remove(Entry& entry);

  Surroundings& surroundings_;
  const std::shared_ptr<informer::SharedIndexInformer> informer_;
  const std::string label_;
  Random random_;
  mutable std::mutex mutex_;
  Entries entries_;      // guarded by mutex_
  int made_ = 0;         // guarded by mutex_
  bool closed_ = false;  // guarded by mutex_
};

}  // namespace kubexx::soak
