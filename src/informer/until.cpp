#include "kubexx/informer/until.hpp"

#include <deque>
#include <memory>
#include <mutex>

#include "base/internal/deadline.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/informer/client_lister_watcher.hpp"
#include "kubexx/informer/shared_informer.hpp"

namespace kubexx::informer {
namespace {

/// Events on their way from the handler to the thread that waits.
struct Arrivals {
  void wake() {
    const std::lock_guard lock(mutex);
    changed.notify_all();
  }
  void put(meta::WatchEventType type, const meta::Object& object) {
    const std::lock_guard lock(mutex);
    events.push_back({type, object});
    changed.notify_all();
  }

  std::mutex mutex;
  kubexx::detail::DrivingCondition changed;
  std::deque<meta::WatchEvent> events;  // guarded by mutex
};

class Waiter {
 public:
  Waiter(Arrivals& arrivals, const rest::Client& client, std::stop_token stop, std::optional<Duration> timeout)
      : arrivals_(arrivals),
        awaited_{client.executor().get(), client.handlers().get()},
        clock_(client.executor()->clock()),
        stop_(std::move(stop)) {
    if (timeout) deadline_ = kubexx::detail::after(clock_.now(), *timeout);
  }
  /// Until `ready`, asked under the lock; the Error says why not.
  Result<void> wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& ready) {
    const auto left = deadline_ ? *deadline_ - clock_.now() : Duration::max();
    const auto until = kubexx::detail::after(Clock::system().now(), left);
    const auto met = arrivals_.changed.wait(awaited_, lock, ready, stop_, until);
    if (!met) return met.error();
    if (stop_.stop_requested()) return Error::canceled();
    if (!*met) return Error::timeout("it did not come in time");
    return {};
  }

 private:
  Arrivals& arrivals_;
  const kubexx::detail::Awaited awaited_;
  const Clock& clock_;
  std::stop_token stop_;
  std::optional<TimePoint> deadline_;
};

ResourceEventHandlerFuncs<meta::Object> handler_of(const std::shared_ptr<Arrivals>& to) {
  ResourceEventHandlerFuncs<meta::Object> handler;
  handler.on_add = [to](const meta::Object& object) { to->put(meta::WatchEventType::Added, object); };
  handler.on_update = [to](const meta::Object&, const meta::Object& after) {
    to->put(meta::WatchEventType::Modified, after);
  };
  handler.on_delete = [to](const Deleted<meta::Object>& gone) {
    to->put(meta::WatchEventType::Deleted, gone.last_known());
  };
  return handler;
}

std::shared_ptr<SharedIndexInformer> informer_of(const client::ResourceApi& api, const client::ListOptions& options) {
  ClientSourceOptions source;
  source.namespace_ = api.namespace_();
  source.projection = options.projection;
  source.tweak = [labels = options.label_selector, fields = options.field_selector](meta::ListOptions& query) {
    query.label_selector = labels;
    query.field_selector = fields;
  };
  InformerOptions made;
  made.description = api.resource().group_resource().to_string();
  made.name = made.description;
  made.resource = api.resource();
  made.executor = api.client().executor();
  made.handlers = api.client().handlers();
  return SharedIndexInformer::create(make_client_lister_watcher(api.client(), api.resource(), std::move(source)),
                                     std::move(made));
}

}  // namespace

Result<std::optional<meta::WatchEvent>> until_with_sync(const client::ResourceApi& api,
                                                        const client::ListOptions& options,
                                                        const Precondition& precondition,
                                                        std::vector<client::Condition> conditions) {
  if (conditions.empty()) return Error::config("until: there is nothing to wait for");
  client::Conditions chain(std::move(conditions));
  const auto arrivals = std::make_shared<Arrivals>();
  const auto informer = informer_of(api, options);
  const auto registration = informer->add_event_handler(handler_of(arrivals));
  const auto observer = informer->observe([arrivals] { arrivals->wake(); });
  Waiter waiter(*arrivals, api.client(), options.stop, options.timeout);
  struct End {
    SharedIndexInformer& informer;
    ~End() {
      informer.stop();
      try {
        informer.join();
      } catch (...) {
        report_error(current_exception_as_error(), "until");
      }
    }
  } end{*informer};
  informer->start();

  const auto failed = [&api](const Error& error) {
    return error.with_context("waiting for " + api.resource().group_resource().to_string());
  };
  std::unique_lock lock(arrivals->mutex);
  if (auto synced = waiter.wait(lock, [&] { return informer->has_synced(); }); !synced) return failed(synced.error());
  lock.unlock();
  if (precondition) {
    auto met = precondition(*informer->store());
    if (!met) return met.error();
    if (*met) return std::optional<meta::WatchEvent>();
  }
  while (true) {
    lock.lock();
    auto arrived = waiter.wait(lock, [&] { return !arrivals->events.empty(); });
    if (!arrived) return failed(arrived.error());
    auto event = std::move(arrivals->events.front());
    arrivals->events.pop_front();
    lock.unlock();
    auto met = chain.take(event);
    if (!met) return met.error();
    if (*met) return std::optional<meta::WatchEvent>(std::move(event));
  }
}

}  // namespace kubexx::informer
