#include "load/http_load.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include "kubexx/apiserver/server.hpp"

namespace kubexx::load {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);
constexpr std::string_view kMark = "\"a-number\":\"";

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

class Socket {
 public:
  /// `room`: of what arrives and is not read; 0: the system's.
  explicit Socket(std::uint16_t port, int room = 0) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (room > 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Socket() { ::close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const noexcept { return fd_; }
  bool connected() const noexcept { return connected_; }

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  /// What there is, without waiting; false when the peer is gone.
  bool receive(std::string& into) const {
    char buffer[64 << 10];
    const ssize_t count = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count > 0) into.append(buffer, static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  }

 private:
  int fd_;
  bool connected_ = false;
};

/// One connection that writes, one request at a time.
struct Writer {
  explicit Writer(std::uint16_t port) : socket(port) {}
  Socket socket;
  std::deque<std::function<std::string()>> waiting;  // made when they are sent: a backlog must not weigh
  bool busy = false;
  std::string in;

  bool next() {
    if (busy || waiting.empty()) return true;
    busy = true;
    const std::string request = waiting.front()();
    waiting.pop_front();
    return socket.send(request);
  }
  /// The status of a whole answer, 0 when it is not complete yet.
  int answer() {
    const std::size_t head = in.find("\r\n\r\n");
    if (head == std::string::npos) return 0;
    const std::size_t field = in.find("ontent-length: ");  // written by the server in one spelling or the other
    const std::size_t upper = in.find("ontent-Length: ");
    const std::size_t at = std::min(field, upper);
    std::size_t length = 0;
    if (at < head) std::from_chars(in.data() + at + 15, in.data() + head, length);
    if (in.size() < head + 4 + length) return 0;
    int status = 0;
    std::from_chars(in.data() + 9, in.data() + 12, status);
    in.erase(0, head + 4 + length);
    busy = false;
    return status;
  }
};

/// One watch: takes the chunks apart and checks the numbers of the updates it sees.
struct Watcher {
  explicit Watcher(std::uint16_t port) : socket(port) {}
  Socket socket;
  std::string in;
  std::string line;
  bool started = false;
  std::size_t chunk = 0;  // bytes of the chunk that are to come
  std::uint64_t last = 0;
  std::string failure;

  void see(std::string_view event) {
    const std::size_t at = event.find(kMark);
    std::uint64_t number = 0;
    if (at != std::string_view::npos)
      std::from_chars(event.data() + at + kMark.size(), event.data() + event.size(), number);
    if (!event.starts_with("{\"type\":\"MODIFIED\"") || number != last + 1) {
      failure = "update " + std::to_string(number) + " follows " + std::to_string(last) + ": " +
                std::string(event.substr(0, 200));
      return;
    }
    last = number;
  }
  void parse() {
    std::size_t at = 0;
    if (!started) {
      const std::size_t head = in.find("\r\n\r\n");
      if (head == std::string::npos) return;
      if (in.compare(9, 3, "200") != 0) failure = in.substr(0, 200);
      started = true;
      at = head + 4;
    }
    while (at < in.size() && failure.empty()) {
      if (chunk == 0) {
        const std::size_t begin = in.compare(at, 2, "\r\n") == 0 ? at + 2 : at;
        const std::size_t end = in.find("\r\n", begin);
        if (end == std::string::npos) break;
        std::from_chars(in.data() + begin, in.data() + end, chunk, 16);
        if (chunk == 0) failure = "the watch ended";
        at = end + 2;
        continue;
      }
      const std::size_t part = std::min(chunk, in.size() - at);
      std::string_view bytes(in.data() + at, part);
      for (std::size_t end; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
        if (line.empty()) {
          see(bytes.substr(0, end));
        } else {
          line.append(bytes.substr(0, end));
          see(line);
          line.clear();
        }
      }
      line.append(bytes);
      at += part;
      chunk -= part;
    }
    in.erase(0, at);
  }
};

class Generator {
 public:
  Generator(apiserver::Server& server, const Plan& plan)
      : plan_(plan),
        server_(server),
        port_(server.port()),
        head_(" HTTP/1.1\r\nhost: load\r\nauthorization: Bearer " + server.admin_token() + "\r\n"),
        filler_(plan.object_bytes, 'x') {
    for (std::size_t i = 0; i < plan.writers; ++i) {
      writers_.push_back(std::make_unique<Writer>(port_));
      poll(writers_.back()->socket, i);
    }
  }
  ~Generator() { ::close(epoll_); }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  Outcome run() {
    create();
    watch();
    if (out_.failure.empty()) update();
    for (const auto& socket : silent_) out_.silent_cut += is_cut(*socket) ? 1 : 0;
    return std::move(out_);
  }

 private:
  static std::string space(std::size_t index) { return "space-" + std::to_string(index); }
  std::string request(std::string_view method, const std::string& path, const std::string& body) const {
    return std::string(method) + ' ' + path + head_ +
           "content-type: application/json\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  std::string object(std::size_t index, std::uint64_t number) const {
    return R"({"metadata":{"name":"object-)" + std::to_string(index) + R"("},"data":{"a-number":")" +
           std::to_string(number) + R"(","filler":")" + filler_ + "\"}}";
  }

  void fail(std::string why) {
    if (out_.failure.empty()) out_.failure = std::move(why);
  }

  void poll(const Socket& socket, std::size_t index) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket.fd(), &event);
  }

  // Moves what can be moved within a few milliseconds.
  void turn() {
    for (auto& writer : writers_) {
      if (!writer->next()) fail("a writer's connection broke");
    }
    epoll_event events[64];
    const int count = ::epoll_wait(epoll_, events, 64, 1);
    for (int i = 0; i < count; ++i) {
      const std::size_t index = events[i].data.u64;
      if (index < writers_.size()) {
        hear(*writers_[index]);
      } else {
        hear(*watchers_[index - writers_.size()]);
      }
    }
  }
  void hear(Writer& writer) {
    if (!writer.socket.receive(writer.in)) fail("a writer's connection was closed");
    const int status = writer.answer();
    if (status == 0) return;
    ++answered_;
    if (status >= 300) fail("a write was answered " + std::to_string(status));
  }
  void hear(Watcher& watcher) {
    const std::uint64_t before = watcher.last;
    if (!watcher.socket.receive(watcher.in)) fail("a watch was cut");
    watcher.parse();
    out_.delivered += watcher.last - before;
    if (!watcher.failure.empty()) fail("a watcher: " + watcher.failure);
  }
  template <class Condition>
  bool turn_until(Condition condition) {
    std::uint64_t seen = answered_ + out_.delivered;
    TimePoint moved = clock_.now();
    while (out_.failure.empty() && !condition()) {
      turn();
      if (answered_ + out_.delivered != seen) {
        seen = answered_ + out_.delivered;
        moved = clock_.now();
      } else if (clock_.now() - moved > kPatience) {
        fail("nothing moved for a while");
      }
    }
    return out_.failure.empty();
  }
  double seconds_since(TimePoint start) const { return std::chrono::duration<double>(clock_.now() - start).count(); }

  void create() {
    for (const auto& writer : writers_) {
      if (!writer->socket.connected()) return fail("a connection was refused");
    }
    for (std::size_t i = 0; i < plan_.namespaces; ++i)
      writers_[i % plan_.writers]->waiting.push_back(
          [this, i] { return request("POST", "/api/v1/namespaces", R"({"metadata":{"name":")" + space(i) + "\"}}"); });
    if (!turn_until([&] { return answered_ == plan_.namespaces; })) return;
    const TimePoint start = clock_.now();
    for (std::size_t i = 0; i < plan_.objects; ++i) {
      Writer& writer = *writers_[i % plan_.writers];
      writer.waiting.push_back([this, i] { return request("POST", path(i % plan_.namespaces), object(i, 0)); });
      if (writer.waiting.size() > 4 && !turn_until([&] { return writer.waiting.size() < 4; })) return;
    }
    if (!turn_until([&] { return answered_ == plan_.namespaces + plan_.objects; })) return;
    out_.creates_per_second = static_cast<double>(plan_.objects) / seconds_since(start);
  }

  /// Whether the stream ends behind what is waiting to be read.
  static bool is_cut(const Socket& socket) {
    for (std::string read;; read.clear()) {
      if (!socket.receive(read)) return true;
      if (read.empty()) return false;
    }
  }

  static std::string path(std::size_t namespace_) { return "/api/v1/namespaces/" + space(namespace_) + "/configmaps"; }

  void watch() {
    const std::string version = std::to_string(server_.version());
    for (std::size_t i = 0; i < plan_.watchers && out_.failure.empty(); ++i) {
      auto watcher = std::make_unique<Watcher>(port_);
      if (!watcher->socket.send("GET " + path(i % plan_.namespaces) + "?watch=1&resourceVersion=" + version + head_ +
                                "\r\n"))
        fail("a watch could not be asked for");
      poll(watcher->socket, writers_.size() + i);
      watchers_.push_back(std::move(watcher));
    }
    constexpr int kLittleRoom = 4096;
    for (std::size_t i = 0; i < plan_.silent && out_.failure.empty(); ++i) {
      silent_.push_back(std::make_unique<Socket>(port_, kLittleRoom));
      if (!silent_.back()->send("GET " + path(i % plan_.namespaces) + "?watch=1&resourceVersion=" + version + head_ +
                                "\r\n"))
        fail("a watch could not be asked for");
    }
    turn_until([&] {
      for (const auto& watcher : watchers_) {
        if (!watcher->started) return false;
      }
      return true;
    });
  }

  void update() {
    const auto total = static_cast<std::uint64_t>(std::chrono::duration<double>(plan_.duration).count() *
                                                  static_cast<double>(plan_.updates_per_second));
    const std::uint64_t before = answered_;
    const std::size_t per_space = plan_.objects / plan_.namespaces;
    out_.memory_before = resident_bytes();
    const TimePoint start = clock_.now();
    for (std::uint64_t sent = 0; sent < total && out_.failure.empty(); turn()) {
      const auto due = std::min<std::uint64_t>(
          total, static_cast<std::uint64_t>(seconds_since(start) * static_cast<double>(plan_.updates_per_second)) + 1);
      for (; sent < due; ++sent) {
        // One connection per namespace, so that its updates arrive in the order of their numbers.
        const std::size_t in = sent % plan_.namespaces;
        const std::uint64_t number = sent / plan_.namespaces + 1;
        const std::size_t index = (number % per_space) * plan_.namespaces + in;
        writers_[in % plan_.writers]->waiting.push_back([this, in, index, number] {
          return request("PUT", path(in) + "/object-" + std::to_string(index), object(index, number));
        });
      }
    }
    if (!turn_until([&] { return answered_ - before == total; })) return;
    out_.updates = total;
    out_.updates_per_second = static_cast<double>(total) / seconds_since(start);
    for (std::size_t i = 0; i < plan_.watchers; ++i)
      out_.expected += total / plan_.namespaces + (i % plan_.namespaces < total % plan_.namespaces ? 1 : 0);
    const TimePoint answered = clock_.now();
    turn_until([&] { return out_.delivered >= out_.expected; });
    out_.drain = clock_.now() - answered;
    out_.memory_after = resident_bytes();
  }

  const Plan plan_;
  apiserver::Server& server_;
  const std::uint16_t port_;
  const std::string head_;
  const std::string filler_;
  const Clock& clock_ = Clock::system();
  const int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<std::unique_ptr<Writer>> writers_;
  std::vector<std::unique_ptr<Watcher>> watchers_;
  std::vector<std::unique_ptr<Socket>> silent_;
  std::uint64_t answered_ = 0;
  Outcome out_;
};

}  // namespace

Outcome run(apiserver::Server& server, const Plan& plan) {
  return Generator(server, plan).run();
}

}  // namespace kubexx::load
