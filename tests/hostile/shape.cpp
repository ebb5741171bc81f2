#include "hostile/shape.hpp"

#include <cstdio>

namespace kubexx::hostile {

std::string pod(const std::string& name, const std::string& version) {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name + R"(","namespace":"ns","uid":"u-)" + name +
         R"(","resourceVersion":")" + version + R"("}})";
}

std::string pod_list(const std::string& items, const std::string& metadata) {
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{)" + metadata + R"(},"items":[)" + items + "]}";
}

std::string http(const std::string& body, const std::string& headers, const std::string& status) {
  return "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + body;
}

std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

std::string status_object(int code, const std::string& reason, const std::string& more) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"so be it","reason":")" + reason +
         R"(","code":)" + std::to_string(code) + more + "}";
}

std::string chunk(const std::string& bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

Answer sends(std::string bytes) {
  return [bytes = std::move(bytes)](Peer& peer, const Asked&) { peer.write(bytes); };
}

Answer stays_open(std::string bytes) {
  return [bytes = std::move(bytes)](Peer& peer, const Asked&) {
    if (peer.write(bytes)) peer.readable(-1);
  };
}

Answer without_end(std::string begin, std::string on) {
  std::string piece;
  while (piece.size() < 16 * 1024) piece += on;
  return [begin = std::move(begin), piece](Peer& peer, const Asked&) {
    for (bool open = peer.write(begin); open;) open = peer.write(piece);
  };
}

Answer quiet_watch() {
  return stays_open(kUntilClose);
}

Answer watch_of(const std::string& events) {
  return sends(kUntilClose + events);
}

Answer open_watch_of(const std::string& events) {
  return stays_open(kUntilClose + events);
}

std::vector<Shape> all_shapes() {
  std::vector<Shape> all;
  for (auto* part : {&header_shapes, &body_shapes, &status_shapes, &watch_shapes, &http2_shapes}) {
    for (auto& shape : part()) {
      if (!shape.list) shape.list = sends(http(pod_list()));
      if (!shape.watch) shape.watch = quiet_watch();
      all.push_back(std::move(shape));
    }
  }
  return all;
}

}  // namespace kubexx::hostile
