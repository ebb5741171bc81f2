#include "kubexx/testkit/fault_proxy.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "kubexx/base/result.hpp"

namespace kubexx::testkit {
namespace {

constexpr std::size_t kMostQueued = 256 * 1024;  // a direction; then its sender has to wait

[[noreturn]] void fail(const std::string& what) {
  throw Exception(Error::config("fault proxy: " + what));
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

/// One direction of a connection.
struct Direction {
  struct Chunk {
    TimePoint due;
    std::string bytes;
  };
  std::deque<Chunk> chunks;
  std::size_t queued = 0;
  bool ended = false;               // the sender closed its side
  bool passed_end = false;          // and the receiver knows
  std::optional<std::size_t> left;  // bytes until the cut

  bool wants_to_read() const { return !ended && queued < kMostQueued; }
  bool wants_to_write(TimePoint now) const { return !chunks.empty() && chunks.front().due <= now; }
};

struct Pipe {
  Descriptor client;
  Descriptor server;
  Direction up;    // client to server
  Direction down;  // server to client
  bool broken = false;

  void reset() {
    const linger now{1, 0};
    ::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    ::setsockopt(server.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    broken = true;
  }
};

Descriptor bound_socket(std::uint16_t port) {
  Descriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail(std::strerror(errno));
  return fd;
}

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

Address resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); code != 0)
    fail(host + ": " + ::gai_strerror(code));
  Address address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  ::freeaddrinfo(found);
  return address;
}

}  // namespace

struct KUBEXX_HIDDEN FaultProxy::Impl {
  explicit Impl(const Address& upstream) : upstream_(upstream), holder_(bound_socket(0)) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(holder_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    listen();
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  ~Impl() {
    thread_.request_stop();
    wake();
  }

  /// Runs it on the thread of the proxy and waits for that.
  void apply(std::function<void()> command) {
    std::unique_lock lock(mutex_);
    commands_.push_back(std::move(command));
    const auto mine = ++asked_;
    wake();
    applied_.wait(lock, [&] { return done_ >= mine; });
  }
  apiserver::Outage outage(std::function<void()> begin, std::function<void()> end) {
    apply(std::move(begin));
    return apiserver::Outage([this, end = std::move(end)] { apply(end); });
  }

  void listen() {
    listener_ = bound_socket(port_);
    if (::listen(listener_.get(), 128) != 0) fail(std::strerror(errno));
  }
  void reset_all() {
    for (auto& connection : connections_) connection.reset();
    connections_.clear();
  }
  void cut_after(std::size_t bytes) {
    if (bytes == 0) return reset_all();
    for (auto& connection : connections_) connection.down.left = bytes;
  }

  const Address upstream_;
  Descriptor holder_;  // bound and never listening: keeps the port ours while nobody listens
  std::uint16_t port_ = 0;
  rest::Config config_;

  // Only on the thread of the proxy.
  Descriptor listener_;
  std::list<Pipe> connections_;
  int stalls_ = 0;  // faults of one kind may overlap
  int refusals_ = 0;
  Duration delay_{};
  std::optional<std::size_t> limit_;  // of what a new connection delivers
  std::size_t accepted_ = 0;
  std::uint64_t delivered_ = 0;

 private:
  void wake() const {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(wake_.get(), &one, sizeof one));
  }
  void run(const std::stop_token& stop);
  void run_commands();
  int add_polls(std::vector<pollfd>& polls, TimePoint now) const;
  void accept();
  void serve(Pipe& connection, const pollfd& client, const pollfd& server, TimePoint now);
  void read(Pipe& connection, Direction& direction, int from, TimePoint now) const;
  static void write(Pipe& connection, Direction& direction, int to, TimePoint now);

  Descriptor wake_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  std::mutex mutex_;
  std::condition_variable applied_;
  std::vector<std::function<void()>> commands_;  // guarded by mutex_
  std::uint64_t asked_ = 0;                      // guarded by mutex_
  std::uint64_t done_ = 0;                       // guarded by mutex_
  std::jthread thread_;
};

void FaultProxy::Impl::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    run_commands();
    auto now = Clock::system().now();
    std::vector<pollfd> polls{{wake_.get(), POLLIN, 0}, {stalls_ > 0 ? -1 : listener_.get(), POLLIN, 0}};
    const int timeout = add_polls(polls, now);
    ::poll(polls.data(), polls.size(), timeout);
    now = Clock::system().now();
    if (polls[0].revents != 0) {
      std::uint64_t count = 0;
      static_cast<void>(!::read(wake_.get(), &count, sizeof count));
    }
    std::size_t at = 2;
    for (auto& connection : connections_) {
      serve(connection, polls[at], polls[at + 1], now);
      at += 2;
    }
    connections_.remove_if([](const Pipe& c) { return c.broken || (c.up.passed_end && c.down.passed_end); });
    if (polls[1].revents != 0) accept();
  }
  reset_all();
}

void FaultProxy::Impl::run_commands() {
  const std::lock_guard lock(mutex_);
  for (auto& command : commands_) command();
  done_ += commands_.size();
  commands_.clear();
  applied_.notify_all();
}

/// Two entries a connection. Returns how long to wait at most: until the next delayed bytes are due.
int FaultProxy::Impl::add_polls(std::vector<pollfd>& polls, TimePoint now) const {
  std::optional<TimePoint> next;
  for (const auto& connection : connections_) {
    const auto entry = [&](int fd, const Direction& from_here, const Direction& to_here) {
      const int events = (from_here.wants_to_read() ? POLLIN : 0) | (to_here.wants_to_write(now) ? POLLOUT : 0);
      // Without a wish the descriptor stays out: poll() reports a hang-up even when nobody asks.
      polls.push_back({stalls_ > 0 || events == 0 ? -1 : fd, static_cast<short>(events), 0});
      if (!to_here.chunks.empty() && to_here.chunks.front().due > now)
        next = std::min(next.value_or(TimePoint::max()), to_here.chunks.front().due);
    };
    entry(connection.client.get(), connection.up, connection.down);
    entry(connection.server.get(), connection.down, connection.up);
  }
  if (stalls_ > 0 || !next) return -1;
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(*next - now).count());
}

void FaultProxy::Impl::accept() {
  Descriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (client.get() < 0) return;
  ++accepted_;
  Descriptor server(::socket(upstream_.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  for (const int fd : {client.get(), server.get()}) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // A refusal shows in the first read.
  static_cast<void>(::connect(server.get(), reinterpret_cast<const sockaddr*>(&upstream_.storage), upstream_.size));
  connections_.push_back({std::move(client), std::move(server), {}, {}, false});
  connections_.back().down.left = limit_;
}

void FaultProxy::Impl::serve(Pipe& connection, const pollfd& client, const pollfd& server, TimePoint now) {
  constexpr int kReadable = POLLIN | POLLHUP | POLLERR;
  if ((client.revents & kReadable) != 0) read(connection, connection.up, client.fd, now);
  if ((server.revents & kReadable) != 0) read(connection, connection.down, server.fd, now);
  if ((client.revents & POLLOUT) != 0) {
    const std::size_t before = connection.down.queued;
    write(connection, connection.down, client.fd, now);
    delivered_ += before - connection.down.queued;
  }
  if ((server.revents & POLLOUT) != 0) write(connection, connection.up, server.fd, now);
  const auto pass_end = [](Direction& direction, const Descriptor& to) {
    if (!direction.ended || direction.passed_end || !direction.chunks.empty()) return;
    ::shutdown(to.get(), SHUT_WR);
    direction.passed_end = true;
  };
  pass_end(connection.up, connection.server);
  pass_end(connection.down, connection.client);
}

void FaultProxy::Impl::read(Pipe& connection, Direction& direction, int from, TimePoint now) const {
  if (!direction.wants_to_read()) return;
  std::array<char, 16 * 1024> buffer;
  const auto count = ::recv(from, buffer.data(), buffer.size(), 0);
  if (count > 0) {
    direction.chunks.push_back({now + delay_, std::string(buffer.data(), static_cast<std::size_t>(count))});
    direction.queued += static_cast<std::size_t>(count);
  } else if (count == 0) {
    direction.ended = true;
  } else if (errno != EAGAIN && errno != EINTR) {
    connection.reset();
  }
}

void FaultProxy::Impl::write(Pipe& connection, Direction& direction, int to, TimePoint now) {
  while (!connection.broken && direction.wants_to_write(now)) {
    auto& bytes = direction.chunks.front().bytes;
    const auto size = std::min(bytes.size(), direction.left.value_or(bytes.size()));
    const auto count = ::send(to, bytes.data(), size, MSG_NOSIGNAL);
    if (count < 0) {
      if (errno != EAGAIN && errno != EINTR) connection.reset();
      return;
    }
    direction.queued -= static_cast<std::size_t>(count);
    if (direction.left) *direction.left -= static_cast<std::size_t>(count);
    if (direction.left == 0U) connection.broken = true;
    bytes.erase(0, static_cast<std::size_t>(count));
    if (bytes.empty()) direction.chunks.pop_front();
  }
}

FaultProxy::FaultProxy(const std::string& host, std::uint16_t port)
    : impl_(std::make_unique<Impl>(resolve(host, port))) {}

FaultProxy::FaultProxy(rest::Config server) {
  std::string rest = server.host;
  std::string scheme = "http://";
  if (const auto end = rest.find("://"); end != std::string::npos) {
    scheme = rest.substr(0, end + 3);
    rest.erase(0, end + 3);
  }
  const auto path = rest.find('/');
  const std::string tail = path == std::string::npos ? "" : rest.substr(path);
  rest.resize(std::min(path, rest.size()));
  std::string host = rest;
  int port = scheme == "https://" ? 443 : 80;
  if (const auto colon = rest.rfind(':'); colon != std::string::npos && rest.find(']', colon) == std::string::npos) {
    host = rest.substr(0, colon);
    port = std::atoi(rest.c_str() + colon + 1);
  }
  if (host.size() > 1 && host.front() == '[') host = host.substr(1, host.size() - 2);
  if (host.empty() || port <= 0 || port > 65535) fail("no address in " + server.host);
  impl_ = std::make_unique<Impl>(resolve(host, static_cast<std::uint16_t>(port)));
  if (server.tls.server_name.empty() && scheme == "https://" && host != "127.0.0.1") server.tls.server_name = host;
  server.host = scheme + "127.0.0.1:" + std::to_string(impl_->port_) + tail;
  impl_->config_ = std::move(server);
}

FaultProxy::~FaultProxy() = default;

std::uint16_t FaultProxy::port() const noexcept {
  return impl_->port_;
}
const rest::Config& FaultProxy::config() const noexcept {
  return impl_->config_;
}

void FaultProxy::cut() {
  impl_->apply([impl = impl_.get()] { impl->reset_all(); });
}
void FaultProxy::cut_after(std::size_t bytes) {
  impl_->apply([impl = impl_.get(), bytes] { impl->cut_after(bytes); });
}
apiserver::Outage FaultProxy::cut_each_after(std::size_t bytes) {
  return impl_->outage(
      [impl = impl_.get(), bytes] {
        impl->limit_ = std::max<std::size_t>(bytes, 1);
        impl->cut_after(bytes);
      },
      [impl = impl_.get()] { impl->limit_.reset(); });
}
apiserver::Outage FaultProxy::stall() {
  return impl_->outage([impl = impl_.get()] { ++impl->stalls_; }, [impl = impl_.get()] { --impl->stalls_; });
}
apiserver::Outage FaultProxy::refuse() {
  return impl_->outage(
      [impl = impl_.get()] {
        ++impl->refusals_;
        impl->listener_ = Descriptor();
        impl->reset_all();
      },
      [impl = impl_.get()] {
        if (--impl->refusals_ == 0) impl->listen();
      });
}
apiserver::Outage FaultProxy::delay(Duration by) {
  return impl_->outage([impl = impl_.get(), by] { impl->delay_ = by; },
                       [impl = impl_.get()] { impl->delay_ = Duration::zero(); });
}

std::size_t FaultProxy::accepted() const {
  std::size_t count = 0;
  impl_->apply([&] { count = impl_->accepted_; });
  return count;
}
std::uint64_t FaultProxy::delivered() const {
  std::uint64_t count = 0;
  impl_->apply([&] { count = impl_->delivered_; });
  return count;
}
std::size_t FaultProxy::open() const {
  std::size_t count = 0;
  impl_->apply([&] { count = impl_->connections_.size(); });
  return count;
}

}  // namespace kubexx::testkit
