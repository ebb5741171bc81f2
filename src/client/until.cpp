#include "kubexx/client/until.hpp"

#include <optional>

#include "client/mailbox.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/client/retry_watcher.hpp"
#include "kubexx/meta/status.hpp"
#include "rest/internal/operation.hpp"

namespace kubexx::client {
namespace {

constexpr std::size_t kEventsAhead = 64;

using Waiting = rest::Operation<Result<meta::WatchEvent>>;

/// Shows the events to the conditions, on the strand.
class ConditionSink final : public meta::StreamSink {
 public:
  ConditionSink(std::shared_ptr<Waiting> waiting, std::vector<Condition> conditions, std::string what)
      : waiting_(std::move(waiting)), chain_(std::move(conditions)), what_(std::move(what)) {}

  void on_event(meta::WatchEvent event) override {
    if (over_) return;
    if (event.type == meta::WatchEventType::Error) return end_with(meta::error_from_status(event.object));
    auto met = take(event);
    if (!met) return end_with(met.error());
    if (*met) end_with(std::move(event));
  }
  void on_end(Result<meta::ListMeta> end) override {
    if (!end) return end_with(end.error());
    end_with(Error::transport(TransportFailure::Eof, "the watch ended before the condition was met"));
  }
  void end_with(Result<meta::WatchEvent> result) {
    if (std::exchange(over_, true)) return;
    waiting_->finish(std::move(result).context(what_));
  }

 private:
  Result<bool> take(const meta::WatchEvent& event) {
    try {
      return chain_.take(event);
    } catch (...) {
      return current_exception_as_error();
    }
  }

  const std::shared_ptr<Waiting> waiting_;
  Conditions chain_;
  const std::string what_;
  bool over_ = false;
};

/// `open(api, options, strand, sink)` begins the watch.
template <class Open>
Async<Result<meta::WatchEvent>> await_conditions(const ResourceApi& api, const ListOptions& options,
                                                 std::vector<Condition> conditions, Open open) {
  if (conditions.empty()) {
    return Async<Result<meta::WatchEvent>>::ready(api.client().executor(),
                                                  Error::config("until: there is nothing to wait for"));
  }
  return Waiting::make(
      api.client().executor(), options.stop,
      [api, options, conditions = std::move(conditions), open](const std::shared_ptr<Waiting>& waiting) mutable {
        auto what = "waiting for " + api.resource().group_resource().to_string();
        if (options.timeout) waiting->limit(*options.timeout, what + ": nothing more came in time");
        return open(api, options, waiting->strand(),
                    std::make_shared<ConditionSink>(waiting, std::move(conditions), std::move(what)));
      });
}

}  // namespace

Async<Result<meta::WatchEvent>> until_async(const ResourceApi& api, const ListOptions& options,
                                            std::vector<Condition> conditions) {
  return await_conditions(api, options, std::move(conditions),
                          [](const ResourceApi& from, const ListOptions& at, const Strand& strand,
                             const std::shared_ptr<ConditionSink>& sink) -> std::unique_ptr<meta::Call> {
                            auto watcher = RetryWatcher::start(from, at, strand, sink);
                            if (watcher) return std::move(*watcher);
                            sink->end_with(watcher.error());
                            return nullptr;
                          });
}

Async<Result<meta::WatchEvent>> until_without_retry_async(const ResourceApi& api, const ListOptions& options,
                                                          std::vector<Condition> conditions) {
  return await_conditions(
      api, options, std::move(conditions),
      [](const ResourceApi& from, const ListOptions& at, const Strand& strand,
         const std::shared_ptr<ConditionSink>& sink) { return from.start_watch(at, strand, sink); });
}

Result<meta::WatchEvent> until(const ResourceApi& api, const ListOptions& options, std::vector<Condition> conditions) {
  if (conditions.empty()) return Error::config("until: there is nothing to wait for");
  Conditions chain(std::move(conditions));
  std::optional<meta::WatchEvent> last;
  auto read = read_stream<meta::WatchEvent>(
      api.client(), {options.stop, options.timeout}, kEventsAhead,
      [api, options](const Strand& strand, Mailbox<meta::WatchEvent>& box) -> std::unique_ptr<meta::Call> {
        auto watcher = RetryWatcher::start(api, options, strand, std::make_shared<EventPutter>(box.weak_from_this()));
        if (watcher) return std::move(*watcher);
        box.end(&watcher.error());
        return nullptr;
      },
      [&](meta::WatchEvent& event) -> Result<bool> {
        auto met = chain.take(event);
        if (!met) return met.error();
        if (*met) last = std::move(event);
        return !*met;
      });
  if (!read) return read.error().with_context("waiting for " + api.resource().group_resource().to_string());
  return std::move(*last);
}

Result<meta::WatchEvent> until_without_retry(const ResourceApi& api, const ListOptions& options,
                                             std::vector<Condition> conditions) {
  if (conditions.empty()) return Error::config("until: there is nothing to wait for");
  Conditions chain(std::move(conditions));
  std::optional<meta::WatchEvent> last;
  std::optional<Error> failed;
  auto watched = api.watch(options, [&](const meta::WatchEvent& event) {
    auto met = chain.take(event);
    if (!met) {
      failed = met.error();
      return false;
    }
    if (*met) last = event;
    return !*met;
  });
  if (!watched) return watched.error();
  if (failed) return *failed;
  if (!last) return Error::transport(TransportFailure::Eof, "the watch ended before the condition was met");
  return std::move(*last);
}

}  // namespace kubexx::client
