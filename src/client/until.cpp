#include "kubexx/client/until.hpp"

#include <optional>

#include "client/mailbox.hpp"
#include "kubexx/client/retry_watcher.hpp"

namespace kubexx::client {
namespace {

constexpr std::size_t kEventsAhead = 64;

}  // namespace

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
