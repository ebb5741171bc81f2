#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unit/transport/support/socket_server.hpp"

namespace kubexx::hostile {

using transport::test::Peer;

/// A list or watch that a client asks for.
struct Asked {
  std::string target;  ///< path and query, without the prefix that chose the shape
  bool watch = false;
  int nth = 0;              ///< how many of these this client asked for before
  std::int32_t stream = 0;  ///< of HTTP/2
  bool http2() const { return stream != 0; }
};

/// Sends the bytes of an answer. HTTP/1.1: the connection is closed when it returns.
using Answer = std::function<void(Peer&, const Asked&)>;

/// What becomes of it.
struct Expected {
  enum class End { Good, Bad, Either } end = End::Good;
  std::string text;  ///< good: an object that is seen; bad: what the error says. Alternatives stand between '|'.
};
inline Expected seen(std::string name = "good") {
  return {Expected::End::Good, std::move(name)};
}
inline Expected fails(std::string text) {
  return {Expected::End::Bad, std::move(text)};
}
/// Where versions of libcurl differ, or the ways to read a list: either is right.
inline Expected either(std::string text) {
  return {Expected::End::Either, std::move(text)};
}

/// One way to be hostile, and what a client makes of it.
struct Shape {
  std::string name = {};
  Answer list = {};
  Answer watch = {};
  std::optional<Expected> get = {};     ///< of `kubexx get`; absent: the lists are good ones
  std::optional<Expected> follow = {};  ///< of `kubexx watch` and of an informer, which try again; absent: as get
  bool http2 = false;
  bool gives_up = false;    ///< `kubexx watch` does, since waiting does not help
  bool watch_list = false;  ///< a watch that is to begin with the whole state is answered as any watch, not refused

  const Expected& followed() const { return follow ? *follow : *get; }
};

// The whole table, by what is hostile.
std::vector<Shape> header_shapes();
std::vector<Shape> body_shapes();
std::vector<Shape> status_shapes();
std::vector<Shape> watch_shapes();
std::vector<Shape> http2_shapes();
std::vector<Shape> all_shapes();

// Bytes to make them of.
inline const std::string kJson = "Content-Type: application/json\r\n";
std::string pod(const std::string& name = "good", const std::string& version = "7");
std::string pod_list(const std::string& items = pod(), const std::string& metadata = R"("resourceVersion":"10")");
std::string http(const std::string& body, const std::string& headers = kJson, const std::string& status = "200 OK");
std::string event(const std::string& type, const std::string& object);
std::string status_object(int code, const std::string& reason, const std::string& more = "");
std::string chunk(const std::string& bytes);

Answer sends(std::string bytes);                        ///< and closes
Answer stays_open(std::string bytes);                   ///< until the client leaves
Answer without_end(std::string begin, std::string on);  ///< repeats until the client leaves
Answer quiet_watch();
Answer watch_of(const std::string& events);  ///< events in one answer that ends
Answer open_watch_of(const std::string& events);

inline constexpr const char* kChunked =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
inline constexpr const char* kUntilClose =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";

}  // namespace kubexx::hostile
