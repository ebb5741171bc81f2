#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/logs/log_streams.hpp"
#include "logs/log_source.hpp"
#include "logs/slots.hpp"

namespace kubexx::logs {

/// The pods come from an informer, whose handler posts what it hears to the strand; there are the sources. Their lines
/// go to a strand of the handlers' executor, and word of those that were had comes back.
class KUBEXX_HIDDEN LogStreams::Impl final : public SourceHost, public std::enable_shared_from_this<Impl> {
 public:
  static std::shared_ptr<Impl> make(rest::Client client, LogStreamsOptions options);
  Impl(rest::Client client, LogStreamsOptions options);

  void start(const std::stop_token& stop);
  void stop();
  void close();  ///< blocks
  Result<void> set_scope(const informer::Scope& scope);
  LogStreamsStatus status() const;

  void want_slot(const std::shared_ptr<LogSource>& source) override;
  void leave_slot(LogSource& source) override;
  std::unique_ptr<meta::Call> open(const LogOrigin& origin, const client::LogOptions& query,
                                   rest::ByteCallbacks callbacks) override;
  void deliver(const std::shared_ptr<LogSource>& source, LineBatch batch) override;
  void problem(const std::shared_ptr<const LogOrigin>& origin, const Error& error) override;
  void changed(const LogSource& source) override;
  void count_resumed() override;
  void count_gap() override;
  void ended(LogSource& source) override;

 private:
  using Wanted = std::vector<std::pair<std::string, ContainerState>>;

  void connect();
  void hear(const meta::Object& pod, bool there_at_start);
  Wanted wanted(const meta::Object& pod) const;
  void update(const LogOrigin& pod, const Wanted& containers, bool there_at_start);
  void remove(const std::string& uid);
  void grant_later();
  void hand_over(const std::shared_ptr<LogSource>& source, const LineBatch& batch);
  void drop_all();

  const rest::Client client_;
  const LogStreamsOptions options_;
  const client::ResourceApi api_;
  const Strand strand_;    // of the sources
  const Strand delivery_;  // of the user's callbacks
  const std::shared_ptr<informer::SharedIndexInformer> pods_;
  informer::Registration heard_;
  std::atomic<bool> started_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> heard_of_ = 0;  // pods, by the handler ...
  std::atomic<std::uint64_t> acted_on_ = 0;  // ... and by the strand
  const std::shared_ptr<kubexx::detail::Ended> ended_ = std::make_shared<kubexx::detail::Ended>();
  std::mutex link_mutex_;
  std::optional<std::stop_callback<std::function<void()>>> linked_;  // guarded by link_mutex_

  // Of the strand.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<LogSource>> sources_;  // by uid and container
  Slots slots_;
  std::set<const LogSource*> unfinished_;
  std::set<const LogSource*> paused_;

  mutable std::mutex mutex_;
  LogStreamsStatus counts_;  // guarded by mutex_
};

}  // namespace kubexx::logs
