#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "hostile/shape.hpp"

namespace kubexx::hostile {

/// Serves every shape at once, over HTTP/1.1 and HTTP/2: the first segment of the path, "/<number>-<client>", chooses.
/// Discovery is answered as it should be.
class Server {
 public:
  explicit Server(std::vector<Shape> shapes);

  const std::vector<Shape>& shapes() const { return shapes_; }
  /// The server's address for one shape and one client.
  std::string url(std::size_t shape, const std::string& client) const;
  const std::string& authority_pem() const { return authority_.pem(); }
  int watches(std::size_t shape, const std::string& client) const;

 private:
  /// The shape's answer to what is asked, or the bytes of a good answer to anything else.
  struct Reply {
    const Shape* shape = nullptr;
    Asked asked;
    std::string body;
    int status = 200;
  };
  Reply reply_to(const std::string& target);
  void serve_http1(Peer& peer);
  void serve_http2(Peer& peer);

  const std::vector<Shape> shapes_;
  mutable std::mutex mutex_;
  std::map<std::string, int> lists_;    // guarded by mutex_; by first segment
  std::map<std::string, int> watches_;  // guarded by mutex_
  transport::test::Authority authority_;
  transport::test::SocketServer plain_{[this](Peer& peer) { serve_http1(peer); }};
  transport::test::SocketServer secure_{[this](Peer& peer) { serve_http2(peer); },
                                        transport::test::ServerTls{authority_.issue({"127.0.0.1"}), "", "h2"}};
};

// Frames of HTTP/2.
enum class Frame : std::uint8_t {
  Data,
  Headers,
  Priority,
  Reset,
  Settings,
  Push,
  Ping,
  GoAway,
  WindowUpdate,
  Continuation
};
inline constexpr std::uint8_t kEndStream = 1;
inline constexpr std::uint8_t kAck = 1;
inline constexpr std::uint8_t kEndHeaders = 4;
std::string number32(std::uint32_t value);
std::string frame(Frame type, std::uint8_t flags, std::uint32_t stream, const std::string& payload);
std::string field(const std::string& name, const std::string& value);  ///< of a header block, not compressed
std::string http2_head(std::int32_t stream, int status = 200, const std::string& more = "");
std::string http2_answer(std::int32_t stream, const std::string& body, int status = 200);

}  // namespace kubexx::hostile
