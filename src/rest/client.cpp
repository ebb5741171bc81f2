#include "kubexx/rest/client.hpp"

#include <algorithm>
#include <new>
#include <system_error>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/loop_executor.hpp"
#include "kubexx/meta/status.hpp"
#include "rest/body_decoder.hpp"
#include "rest/call_core.hpp"
#include "rest/client_impl.hpp"
#include "rest/exec_plugin.hpp"
#include "rest/internal/operation.hpp"

namespace kubexx::rest {
namespace {

constexpr std::size_t kMaxBody = 256 << 20;
constexpr std::size_t kMaxWarnings = 1000;
constexpr std::size_t kMaxWarningBytes = 256 << 10;  // of all that are remembered
constexpr std::size_t kLongestWarning = 4 << 10;
constexpr std::size_t kMaxRefusals = 4096;

/// The whole body, for calls whose answer is one object.
class BodyCall final : public CallCore {
 public:
  BodyCall(std::shared_ptr<Client::Impl> client, Request request, Strand strand, std::optional<Duration> timeout,
           UniqueFunction<void(Result<Response>)> done)
      : CallCore(std::move(client), std::move(request), std::move(strand), RetryKind::GetOnly, timeout),
        done_(std::move(done)) {}

 private:
  Result<void> accept(int status, const transport::Headers& headers) override {
    response_ = Response{status, headers, {}, warnings_of(headers)};
    return {};
  }
  Result<void> take(std::string_view bytes) override {
    if (response_.body.size() + bytes.size() > kMaxBody) {
      return Error::transport(TransportFailure::TooLarge, "the answer is larger than 256 MB");
    }
    auto& body = response_.body;
    // A large one moves once more and then never again: while it moves, it is there twice. What is not written to takes
    // no memory.
    if (body.size() >= kMaxBody / 4 && body.capacity() < kMaxBody) body.reserve(kMaxBody);
    body.append(bytes);
    return {};
  }
  void finished(const Error* error) override {
    if (error) return done_(*error);
    done_(std::move(response_));
  }

  Response response_;
  UniqueFunction<void(Result<Response>)> done_;
};

class ByteCall final : public CallCore {
 public:
  ByteCall(std::shared_ptr<Client::Impl> client, Request request, Strand strand, ByteCallbacks callbacks)
      : CallCore(std::move(client), std::move(request), std::move(strand), RetryKind::Never, std::nullopt),
        callbacks_(std::move(callbacks)) {}

 private:
  Result<void> accept(int, const transport::Headers&) override {
    if (callbacks_.on_open) callbacks_.on_open();
    return {};
  }
  Result<void> take(std::string_view bytes) override {
    callbacks_.on_bytes(bytes);
    return {};
  }
  bool live() const noexcept override { return true; }
  void finished(const Error* error) override { callbacks_.on_end(error); }

  ByteCallbacks callbacks_;
};

}  // namespace

void Turnstile::acquire(Task enter) {
  {
    const std::lock_guard lock(mutex_);
    if (free_ == 0) {
      waiting_.push_back(std::move(enter));
      return;
    }
    --free_;
  }
  enter();
}

void Turnstile::release() {
  Task next;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      ++free_;
      return;
    }
    next = std::move(waiting_.front());
    waiting_.pop_front();
  }
  next();
}

void Client::Impl::warn(std::string text) {
  if (text.size() > kLongestWarning) {
    text.resize(kLongestWarning);
    text += "...";
  }
  if (options.on_warning) return options.on_warning(text);
  {
    const std::lock_guard lock(warnings_mutex);
    if (warnings_seen.size() >= kMaxWarnings || warning_bytes + text.size() > kMaxWarningBytes) return;
    if (!warnings_seen.insert(text).second) return;
    warning_bytes += text.size();
  }
  log(LogLevel::Warning, text, {{"from", server.text()}});
}

Client::Client(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<Client> Client::create(Config config, ClientOptions options) try {
  auto server = parse_server_url(config);
  if (!server) return server.error();
  auto impl = std::make_shared<Impl>(std::max<std::size_t>(options.max_first_lists, 1));
  impl->server = *server;
  impl->options = options;
  impl->user_agent = config.user_agent.empty() ? default_user_agent() : config.user_agent;
  impl->executor = options.executor;
  impl->handlers = options.handlers;
  if (!impl->handlers && std::dynamic_pointer_cast<LoopExecutor>(impl->executor)) impl->handlers = impl->executor;
  if (!impl->executor) {  // one set of threads for both
    const auto threads = std::make_shared<ElasticExecutor>();
    impl->executor = threads->prompt();
    if (!impl->handlers) impl->handlers = threads;
  }
  if (!impl->handlers) impl->handlers = std::make_shared<ElasticExecutor>();
  impl->metrics = options.metrics ? options.metrics : MetricsRegistry::process();
  impl->transport = options.transport;
  std::shared_ptr<transport::HttpTransport> http;
  if (!impl->transport) {
    transport::TransportOptions wire;
    wire.tls = config.tls;
    wire.proxy_url = config.proxy_url;
    wire.unix_socket = config.unix_socket;
    wire.compression = !config.disable_compression && !server->loopback;
    wire.metrics = impl->metrics;
    wire.threadless = impl->executor->watches();
    auto made = transport::HttpTransport::create(std::move(wire));
    if (!made) return made.error();
    http = *made;
    impl->transport = http;
    if (impl->executor->watches()) {
      impl->joined = impl->executor->watch(http->fd(), [weak = std::weak_ptr(http)] {
        if (const auto alive = weak.lock()) alive->on_ready();
      });
    }
  }
  std::shared_ptr<ExecSource> exec;
  if (config.exec) {
    auto plugin = make_exec_source(config, *server, impl->executor->clock(), http);
    if (!plugin) return plugin.error();
    exec = *plugin;
  }
  impl->credentials =
      std::make_unique<Credentials>(config, *server, impl->executor->clock(), impl->handlers, std::move(exec));
  if (config.qps > 0) impl->limiter = std::make_unique<RateLimiter>(config.qps, config.burst, impl->executor->clock());
  impl->config = config;
  const MetricLabels labels{{"server", server->authority}};
  auto& registry = *impl->metrics;
  impl->requests = std::make_unique<RequestMetrics>(impl->metrics, server->authority);
  impl->retries = registry.counter("kubexx_rest_retries_total", "Requests sent again", labels);
  impl->bytes_received = registry.counter("kubexx_rest_received_bytes_total", "Bytes of answers", labels);
  return Client(std::move(impl));
} catch (const std::system_error& e) {  // of an executor or a loop
  return Error::config(e.what());
} catch (const std::bad_alloc&) {
  return current_exception_as_error();
}

Result<Client> Client::load(ClientOptions options) {
  auto config = Config::load();
  if (!config) return config.error();
  return create(*config, std::move(options));
}

Client Client::with_gate(std::shared_ptr<const transport::SendGate> gate) const {
  auto out = *this;
  out.gate_ = std::move(gate);
  return out;
}

Request Client::gated(Request request) const {
  if (gate_ && request.method != "GET" && request.method != "HEAD") request.gate = gate_;
  return request;
}

std::unique_ptr<meta::Call> Client::start(Request request, const Strand& strand, std::optional<Duration> timeout,
                                          UniqueFunction<void(Result<Response>)> done) const {
  auto core = std::make_shared<BodyCall>(impl_, gated(std::move(request)), strand,
                                         timeout ? timeout : impl_->config.timeout, std::move(done));
  core->begin();
  return std::make_unique<CallHandle>(std::move(core));
}

std::unique_ptr<meta::Call> Client::start(Request request, const Strand& strand,
                                          UniqueFunction<void(Result<Response>)> done) const {
  return start(std::move(request), strand, std::nullopt, std::move(done));
}

std::unique_ptr<meta::Call> Client::stream(Request request, const Strand& strand, ByteCallbacks callbacks) const {
  auto core = std::make_shared<ByteCall>(impl_, gated(std::move(request)), strand, std::move(callbacks));
  core->begin();
  return std::make_unique<CallHandle>(std::move(core));
}

Async<Result<Response>> Client::send_async(Request request, CallOptions options) const {
  using Sending = Operation<Result<Response>>;
  const auto timeout = options.timeout;
  return Sending::make(
             impl_->executor, std::move(options.stop),
             [client = *this, request = std::move(request), timeout](const std::shared_ptr<Sending>& sending) mutable {
               return client.start(std::move(request), sending->strand(), timeout,
                                   [sending](Result<Response> answer) { sending->finish(std::move(answer)); });
             })
      .needs(impl_->handlers);  // of credentials
}

Result<Response> Client::send(const Request& request, const CallOptions& options) const {
  return send_async(request, options).wait();
}

std::optional<TimePoint> Client::watch_list_refused_until(const std::string& what) const {
  const std::lock_guard lock(impl_->refusals_mutex);
  const auto found = impl_->watch_list_refusals.find(what);
  return found == impl_->watch_list_refusals.end() ? std::nullopt : std::optional(found->second);
}

void Client::refuse_watch_list_until(const std::string& what, TimePoint until) const {
  const std::lock_guard lock(impl_->refusals_mutex);
  auto& refusals = impl_->watch_list_refusals;
  refusals[what] = until;
  if (refusals.size() <= kMaxRefusals) return;
  refusals.erase(std::min_element(refusals.begin(), refusals.end(),
                                  [](const auto& a, const auto& b) { return a.second < b.second; }));
}

const Config& Client::config() const noexcept {
  return impl_->config;
}
const std::shared_ptr<Executor>& Client::executor() const noexcept {
  return impl_->executor;
}
const std::shared_ptr<Executor>& Client::handlers() const noexcept {
  return impl_->handlers;
}
const std::shared_ptr<MetricsRegistry>& Client::metrics() const noexcept {
  return impl_->metrics;
}
const std::shared_ptr<Tracer>& Client::tracer() const noexcept {
  return impl_->options.tracer;
}

}  // namespace kubexx::rest
