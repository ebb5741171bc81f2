#include "kubexx/transport/http_transport.hpp"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "base/internal/insist.hpp"
#include "base/internal/parse_number.hpp"
#include "base/internal/thread.hpp"
#include "base/internal/wipe.hpp"
#include "kubexx/base/error_sink.hpp"
#include "transport/event_loop.hpp"
#include "transport/pool.hpp"
#include "transport/tls_material.hpp"

namespace kubexx::transport {
namespace {

constexpr int kLastRounds = 16;

/// What the I/O thread owns, or the threads that take turns. Exchanges that outlive the transport keep it alive, its
/// thread gone.
struct Engine {
  TransportOptions options;
  std::unique_ptr<EventLoop> loop;
  std::unique_ptr<Pool> owned_pool;  ///< of the I/O thread once that runs
  Pool* pool = nullptr;              ///< for tasks, which run only while it lives
  std::jthread thread;               ///< none when threadless

  // Threadless.
  std::mutex turning;
  std::atomic<std::thread::id> turner{};  ///< who holds `turning`
  std::atomic<bool> over{false};

  void run(const std::stop_token& stop) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    pthread_setname_np(pthread_self(), "kxx-io");
    while (!stop.stop_requested()) {
      try {
        loop->run(stop);
      } catch (...) {
        // Only want of memory gets here. Who waits for an answer learns it; the next ones may have more luck.
        start_over(current_exception_as_error());
      }
    }
    finish();
  }

  /// Without a thread. The last owner of the transport may go in a sink: then this turn is the last one.
  void turn() {
    if (turner == std::this_thread::get_id()) return;
    const std::lock_guard lock(turning);
    turner = std::this_thread::get_id();
    if (!over) {
      try {
        loop->turn();
      } catch (...) {
        start_over(current_exception_as_error());
      }
      loop->arm();
    }
    if (over && owned_pool) finish();
    turner = std::thread::id();
  }

  void end_without_thread() {
    over = true;
    turn();
  }

  /// For destructors, and the end of a thread: who waits hears of the end, whatever memory there is.
  void finish() noexcept {
    std::optional<Error> stopped;
    insist([&] { stopped = Error::canceled("transport stopped"); });
    // Sinks told about the end may send once more: those calls end the same way.
    run_what_is_posted();
    call_isolated("transport", [&] { pool->end_all(*stopped); });
    run_what_is_posted();
    owned_pool.reset();
  }

  void run_what_is_posted() noexcept {
    for (int round = 0; round < kLastRounds; ++round) {
      bool any = true;
      call_isolated("transport", [&] { any = loop->run_posted(); });
      if (!any) return;
    }
  }

  void start_over(const Error& error) noexcept {
    report_error(error, "transport");
    try {
      Error why = error;
      call_isolated("transport", [&] { why = Error::transport(TransportFailure::Other, error.message()); });
      pool->start_over(why);
    } catch (...) {
      report_error(current_exception_as_error(), "transport");
    }
  }
};

class CallHandle final : public Exchange {
 public:
  CallHandle(std::shared_ptr<Engine> engine, std::shared_ptr<Call> call)
      : engine_(std::move(engine)), call_(std::move(call)) {}
  ~CallHandle() override {
    call_->cancel();
    engine_->loop->post([pool = engine_->pool, call = call_] { pool->cancel(call); });
  }
  void resume() override {
    engine_->loop->post([pool = engine_->pool, call = call_] { pool->resume(call); });
  }

 private:
  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Call> call_;
};

// client-go reads these as whole seconds and ignores what is not a number.
void override_seconds(const ProxyRules::Environment& environment, const char* name, Duration& value) {
  const auto seconds = parse_number<int>(environment(name));
  if (seconds && *seconds >= 0) value = std::chrono::seconds(*seconds);
}

}  // namespace

struct KUBEXX_HIDDEN HttpTransport::Impl {
  std::shared_ptr<Engine> engine;
  std::shared_ptr<BufferPool> buffers = std::make_shared<BufferPool>();

  Engine& threadless() const {
    if (!engine->options.threadless) throw std::logic_error("HttpTransport: it has an I/O thread");
    return *engine;
  }
};

Result<std::shared_ptr<HttpTransport>> HttpTransport::create(TransportOptions options) {
  auto environment = ProxyRules::process_environment();
  if (!environment("DISABLE_HTTP2").empty()) options.http2 = false;
  override_seconds(environment, "HTTP2_READ_IDLE_TIMEOUT_SECONDS", options.read_idle);
  override_seconds(environment, "HTTP2_PING_TIMEOUT_SECONDS", options.ping_timeout);

  auto proxies = ProxyRules::create(options.proxy_url, environment);
  if (!proxies) return proxies.error();
  auto tls = TlsSource::create(options.tls);
  if (!tls) return tls.error();
  auto loop = EventLoop::create(options.threadless);
  if (!loop) return loop.error();

  auto engine = std::make_shared<Engine>();
  engine->options = std::move(options);
  engine->loop = std::move(*loop);
  engine->owned_pool = std::make_unique<Pool>(*engine->loop, engine->options, std::move(*proxies), std::move(*tls));
  engine->pool = engine->owned_pool.get();
  std::shared_ptr<HttpTransport> made(new HttpTransport(std::make_unique<Impl>(Impl{engine})));
  if (engine->options.threadless) return made;
  try {  // last: the thread keeps the engine, and whoever made it ends it
    engine->thread = std::jthread([engine](const std::stop_token& stop) { engine->run(stop); });
  } catch (const std::system_error& e) {
    return Error::config(std::string("the transport's thread cannot be started: ") + e.code().message());
  }
  return made;
}

HttpTransport::HttpTransport(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpTransport::~HttpTransport() {
  if (impl_->engine->options.threadless) {
    impl_->engine->end_without_thread();
    return;
  }
  std::jthread& thread = impl_->engine->thread;
  thread.request_stop();
  detail::join_thread(std::move(thread));  // the last owner may have been a sink, released on the I/O thread itself
}

std::unique_ptr<Exchange> HttpTransport::send(Request request, std::shared_ptr<ResponseSink> sink) {
  auto call = std::make_shared<Call>(std::move(request), std::move(sink), impl_->buffers);
  auto handle = std::make_unique<CallHandle>(impl_->engine, call);
  impl_->engine->loop->post([pool = impl_->engine->pool, call] { pool->start(call); });
  return handle;
}

Result<void> HttpTransport::set_client_certificate(std::string certificate_pem, std::string key_pem) {
  const WipedInTheEnd wiped(key_pem);
  if (auto checked = check_client_certificate(certificate_pem, key_pem); !checked) return checked;
  Engine& engine = *impl_->engine;
  engine.loop->post([pool = engine.pool, certificate = std::move(certificate_pem), key = std::move(key_pem)]() mutable {
    pool->replace_client_certificate(std::move(certificate), std::move(key));
  });
  return {};
}

int HttpTransport::fd() const {
  return impl_->threadless().loop->fd();
}

void HttpTransport::on_ready() {
  const auto engine = impl_->engine;  // this object may go meanwhile
  impl_->threadless().turn();
}

std::optional<TimePoint> HttpTransport::deadline() const {
  return impl_->threadless().loop->deadline();
}

}  // namespace kubexx::transport
