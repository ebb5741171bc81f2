#include "kubexx/testkit/in_process_transport.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace kubexx::testkit {
namespace {

/// "http://host/path?query" without scheme and host.
std::string target_of(const std::string& url) {
  const auto scheme = url.find("://");
  const auto slash = url.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  return slash == std::string::npos ? "/" : url.substr(slash);
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

/// One request: what the core writes is kept until the executor hands it to the sink.
class Connection final : public apiserver::ResponseWriter, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Strand strand, std::shared_ptr<transport::ResponseSink> sink)
      : strand_(std::move(strand)), sink_(std::move(sink)) {}

  // The core's side.
  void respond(int status, apiserver::HeaderFields headers, std::string body) override {
    start(status, std::move(headers));
    if (!body.empty()) write(std::make_shared<const std::string>(std::move(body)));
    finish();
  }
  void start(int status, apiserver::HeaderFields headers) override { push(Head{status, std::move(headers)}); }
  void write(apiserver::SharedBytes bytes) override { push(std::move(bytes)); }
  void finish() override { push(End{}); }
  void abort() override { fail(Error::transport(TransportFailure::Reset, "connection reset by the server")); }
  std::size_t backlog() const override {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }
  bool closed() const override {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  void on_close(std::function<void()> callback) override {
    const std::lock_guard lock(mutex_);
    on_close_ = std::move(callback);
    if (closed_) close_locked();
  }

  /// What was not delivered is lost, as in a connection that is cut.
  void fail(Error error) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
      waiting_.clear();
      bytes_ = 0;
      paused_ = false;
    }
    push(End{std::move(error)});
  }
  void resume() {
    {
      const std::lock_guard lock(mutex_);
      paused_ = false;
    }
    schedule();
  }
  /// The client gives up. Waits for a running call of the sink, unless this is inside it.
  void cancel() {
    std::unique_lock lock(mutex_);
    ended_ = true;
    waiting_.clear();
    delivered_.wait(lock, [&] { return !running_ || runner_ == std::this_thread::get_id(); });
    sink_.reset();
    close_locked();
  }

 private:
  struct Head {
    int status;
    apiserver::HeaderFields headers;
  };
  struct End {
    std::optional<Error> error;
  };
  using Part = std::variant<Head, apiserver::SharedBytes, End>;

  void push(Part part) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
      ended_ = std::holds_alternative<End>(part);
      if (const auto* bytes = std::get_if<apiserver::SharedBytes>(&part)) bytes_ += (*bytes)->size();
      waiting_.push_back(std::move(part));
    }
    schedule();
  }
  void schedule() {
    strand_.post([self = shared_from_this()] { self->deliver(); });
  }
  void deliver() {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty() && !paused_ && sink_) {
      const Part part = std::move(waiting_.front());
      waiting_.pop_front();
      running_ = true;
      runner_ = std::this_thread::get_id();
      const auto sink = sink_;
      lock.unlock();
      bool go_on = true;
      if (const auto* head = std::get_if<Head>(&part)) {
        transport::Headers headers;
        for (const auto& [name, value] : head->headers) headers.add(name, value);
        sink->on_headers(head->status, headers);
      } else if (const auto* bytes = std::get_if<apiserver::SharedBytes>(&part)) {
        go_on = sink->on_data(transport::Buffer(**bytes));
      } else {
        const auto& error = std::get<End>(part).error;
        sink->on_end(error ? &*error : nullptr);
      }
      lock.lock();
      running_ = false;
      runner_ = {};
      delivered_.notify_all();
      if (const auto* bytes = std::get_if<apiserver::SharedBytes>(&part)) bytes_ -= std::min(bytes_, (*bytes)->size());
      if (!go_on) paused_ = true;
      if (std::holds_alternative<End>(part)) {
        sink_.reset();
        close_locked();
        return;
      }
    }
  }
  /// Tells the core, not from here: this may be inside one of its calls.
  void close_locked() {
    closed_ = true;
    if (auto callback = std::exchange(on_close_, nullptr)) strand_.post([callback] { callback(); });
  }

  const Strand strand_;
  mutable std::mutex mutex_;
  std::condition_variable delivered_;
  std::shared_ptr<transport::ResponseSink> sink_;  // guarded by mutex_
  std::deque<Part> waiting_;                       // guarded by mutex_
  std::size_t bytes_ = 0;                          // guarded by mutex_
  bool paused_ = false;                            // guarded by mutex_
  bool ended_ = false;                             // guarded by mutex_; nothing further is taken
  bool closed_ = false;                            // guarded by mutex_; nobody listens any more
  bool running_ = false;                           // guarded by mutex_
  std::thread::id runner_;                         // guarded by mutex_
  std::function<void()> on_close_;                 // guarded by mutex_
};

class OpenExchange final : public transport::Exchange {
 public:
  explicit OpenExchange(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  ~OpenExchange() override { connection_->cancel(); }
  void resume() override { connection_->resume(); }

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace

struct KUBEXX_HIDDEN InProcessTransport::Impl {
  apiserver::Core& core;
  std::shared_ptr<Executor> executor;
  std::shared_ptr<Executor> network;
  std::mutex mutex;
  int refusing = 0;                             // guarded by mutex
  std::vector<std::weak_ptr<Connection>> open;  // guarded by mutex
};

InProcessTransport::InProcessTransport(apiserver::Core& core, std::shared_ptr<Executor> executor)
    : InProcessTransport(core, executor, executor) {}
InProcessTransport::InProcessTransport(apiserver::Core& core, std::shared_ptr<Executor> executor,
                                       std::shared_ptr<Executor> network)
    : impl_(new Impl{core, std::move(executor), std::move(network), {}, 0, {}}) {}
InProcessTransport::~InProcessTransport() = default;

std::unique_ptr<transport::Exchange> InProcessTransport::send(transport::Request request,
                                                              std::shared_ptr<transport::ResponseSink> sink) {
  auto connection = std::make_shared<Connection>(Strand(impl_->executor), std::move(sink));
  bool refused = false;
  {
    const std::lock_guard lock(impl_->mutex);
    refused = impl_->refusing > 0;
    std::erase_if(impl_->open, [](const auto& each) { return each.expired(); });
    if (!refused) impl_->open.push_back(connection);
  }
  if (refused) {
    connection->fail(Error::transport(TransportFailure::Refused, "connection refused"));
  } else {
    apiserver::Request taken;
    taken.method = std::move(request.method);
    taken.target = target_of(request.url);
    for (const auto& [name, value] : request.headers.fields()) taken.headers.emplace_back(lower_case(name), value);
    taken.body = std::move(request.body);
    impl_->network->post([impl = impl_, connection, taken = std::move(taken)]() mutable {
      impl->core.handle(std::move(taken), connection);
    });
  }
  return std::make_unique<OpenExchange>(std::move(connection));
}

apiserver::Outage InProcessTransport::refuse_connections() {
  std::vector<std::weak_ptr<Connection>> cut;
  {
    const std::lock_guard lock(impl_->mutex);
    ++impl_->refusing;
    cut.swap(impl_->open);
  }
  for (const auto& each : cut) {
    if (const auto connection = each.lock()) {
      connection->fail(Error::transport(TransportFailure::Reset, "connection reset"));
    }
  }
  return apiserver::Outage([impl = impl_] {
    const std::lock_guard lock(impl->mutex);
    --impl->refusing;
  });
}

}  // namespace kubexx::testkit
