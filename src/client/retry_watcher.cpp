#include "kubexx/client/retry_watcher.hpp"

#include <algorithm>

#include "kubexx/meta/status.hpp"

namespace kubexx::client {
namespace {

constexpr Duration kLongestAskedWait = std::chrono::minutes(10);  // as a reflector's

}  // namespace

struct RetryWatcher::Core : std::enable_shared_from_this<Core> {
  Core(ResourceApi a, ListOptions o, Strand s, rest::WatchCallbacks c, Duration p)
      : api(std::move(a)), options(std::move(o)), strand(std::move(s)), callbacks(std::move(c)), pause(p) {
    options.allow_watch_bookmarks = true;
  }

  void open() {
    opened = strand.clock().now();
    const std::weak_ptr<Core> weak = weak_from_this();
    rest::WatchCallbacks mine;
    mine.on_open = [weak] {
      const auto self = weak.lock();
      if (self && !self->over && self->callbacks.on_open) self->callbacks.on_open();
    };
    mine.on_event = [weak](meta::WatchEvent event) {
      const auto self = weak.lock();
      if (self && !self->over && self->call) self->take(std::move(event));
    };
    mine.on_end = [weak](const Error* error) {
      const auto self = weak.lock();
      if (self && !self->over && self->call) self->ended(error);
    };
    call = api.start_watch(options, strand, std::move(mine));
    if (held) call->hold();
  }

  void take(meta::WatchEvent event) {
    switch (event.type) {
      case meta::WatchEventType::Error:
        return failed(meta::error_from_status(event.object));
      case meta::WatchEventType::Unknown:
        return finish(Error::api(500, "InternalError", "the watch sent an event of unknown type"));
      default:
        break;
    }
    const auto version = event.object.resource_version();
    if (version.empty()) {
      return finish(Error::api(500, "InternalError", "the watch sent an object without a resourceVersion"));
    }
    options.resource_version = version;
    if (event.type != meta::WatchEventType::Bookmark) callbacks.on_event(std::move(event));
  }

  /// An ERROR event: what follows it in the stream is not to be read.
  void failed(const Error& error) {
    if (error.is_expired()) return finish(error);
    reopen(error.retry_after().value_or(std::chrono::milliseconds(0)));
  }

  void ended(const Error* error) {
    if (error && (error->is_unauthorized() || error->is_forbidden())) return finish(*error);
    reopen(error ? error->retry_after().value_or(std::chrono::milliseconds(0)) : std::chrono::milliseconds(0));
  }

  void reopen(Duration asked) {
    call.reset();
    const auto since = strand.clock().now() - opened;
    timer = strand.post_after(std::max(pause - since, std::min(asked, kLongestAskedWait)), [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self && !self->over) self->open();
    });
  }

  void finish(const Error& error) {
    const auto keep = shared_from_this();
    stop();
    callbacks.on_end(&error);
  }

  void stop() {
    over = true;
    timer.cancel();
    call.reset();
  }

  const ResourceApi api;
  ListOptions options;  // resource_version: of the last event
  const Strand strand;
  rest::WatchCallbacks callbacks;
  const Duration pause;
  TimePoint opened;
  std::unique_ptr<rest::Call> call;
  Timer timer;
  bool held = false;
  bool over = false;
};

Result<std::unique_ptr<RetryWatcher>> RetryWatcher::start(const ResourceApi& api, const ListOptions& options,
                                                          const Strand& strand, rest::WatchCallbacks callbacks,
                                                          Duration pause) {
  if (options.resource_version.empty() || options.resource_version == "0") {
    return Error::config("a retried watch begins at a version, \"" + options.resource_version + "\" is none");
  }
  auto core = std::make_shared<Core>(api, options, strand, std::move(callbacks), pause);
  core->open();
  return std::unique_ptr<RetryWatcher>(new RetryWatcher(std::move(core)));
}

RetryWatcher::RetryWatcher(std::shared_ptr<Core> core) : core_(std::move(core)) {}

RetryWatcher::~RetryWatcher() {
  core_->stop();
}

void RetryWatcher::hold() {
  core_->held = true;
  if (core_->call) core_->call->hold();
}

void RetryWatcher::resume() {
  core_->held = false;
  if (core_->call) core_->call->resume();
}

}  // namespace kubexx::client
