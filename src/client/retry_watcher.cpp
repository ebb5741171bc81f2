#include "kubexx/client/retry_watcher.hpp"

#include <algorithm>

#include "kubexx/meta/status.hpp"

namespace kubexx::client {
namespace {

constexpr Duration kLongestAskedWait = std::chrono::minutes(10);  // as a reflector's

}  // namespace

/// The sink of each watch, which holds it until the watch is given up.
struct KUBEXX_HIDDEN RetryWatcher::Impl final : meta::StreamSink, std::enable_shared_from_this<Impl> {
  Impl(ResourceApi a, ListOptions o, Strand s, std::shared_ptr<meta::StreamSink> to, Duration p)
      : api(std::move(a)), options(std::move(o)), strand(std::move(s)), sink(std::move(to)), pause(p) {
    options.allow_watch_bookmarks = true;
  }

  void open() {
    opened = strand.clock().now();
    call = api.start_watch(options, strand, shared_from_this());
    if (held) call->hold();
  }

  void on_open() override { sink->on_open(); }
  void on_bytes(std::size_t received) override { sink->on_bytes(received); }
  void on_event(meta::WatchEvent event) override {
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
    if (event.type != meta::WatchEventType::Bookmark) sink->on_event(std::move(event));
  }

  /// An ERROR event: what follows it in the stream is not to be read.
  void failed(const Error& error) {
    if (error.is_expired()) return finish(error);
    reopen(error.retry_after().value_or(std::chrono::milliseconds(0)));
  }

  void on_end(Result<meta::ListMeta> end) override {
    if (end) return reopen(Duration::zero());
    if (end.error().is_unauthorized() || end.error().is_forbidden()) return finish(end.error());
    reopen(end.error().retry_after().value_or(std::chrono::milliseconds(0)));
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
    sink->on_end(error);
  }

  void stop() {
    over = true;
    timer.cancel();
    call.reset();
  }

  const ResourceApi api;
  ListOptions options;  // resource_version: of the last event
  const Strand strand;
  const std::shared_ptr<meta::StreamSink> sink;
  const Duration pause;
  TimePoint opened;
  std::unique_ptr<meta::Call> call;
  Timer timer;
  bool held = false;
  bool over = false;
};

Result<std::unique_ptr<RetryWatcher>> RetryWatcher::start(const ResourceApi& api, const ListOptions& options,
                                                          const Strand& strand, std::shared_ptr<meta::StreamSink> sink,
                                                          Duration pause) {
  if (options.resource_version.empty() || options.resource_version == "0") {
    return Error::config("a retried watch begins at a version, \"" + options.resource_version + "\" is none");
  }
  auto impl = std::make_shared<Impl>(api, options, strand, std::move(sink), pause);
  impl->open();
  return std::unique_ptr<RetryWatcher>(new RetryWatcher(std::move(impl)));
}

RetryWatcher::RetryWatcher(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

RetryWatcher::~RetryWatcher() {
  impl_->stop();
}

void RetryWatcher::hold() {
  impl_->held = true;
  if (impl_->call) impl_->call->hold();
}

void RetryWatcher::resume() {
  impl_->held = false;
  if (impl_->call) impl_->call->resume();
}

}  // namespace kubexx::client
