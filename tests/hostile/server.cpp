#include "hostile/server.hpp"

#include <nghttp2/nghttp2.h>

#include <charconv>

namespace kubexx::hostile {
namespace {

constexpr const char* kVersions = R"({"kind":"APIVersions","versions":["v1"]})";
constexpr const char* kResources =
    R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod",)"
    R"("namespaced":true,"kind":"Pod","verbs":["get","list","watch"],"shortNames":["po"]}]})";

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool read_exactly(Peer& peer, char* to, std::size_t size) {
  for (std::size_t at = 0; at < size;) {
    const auto count = peer.read(to + at, size - at);
    if (count <= 0) return false;
    at += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

Server::Server(std::vector<Shape> shapes) : shapes_(std::move(shapes)) {}

std::string Server::url(std::size_t shape, const std::string& client) const {
  const auto& server = shapes_[shape].http2 ? secure_ : plain_;
  return server.url("/" + std::to_string(shape) + "-" + client);
}

int Server::watches(std::size_t shape, const std::string& client) const {
  const std::lock_guard lock(mutex_);
  const auto found = watches_.find(std::to_string(shape) + "-" + client);
  return found == watches_.end() ? 0 : found->second;
}

Server::Reply Server::reply_to(const std::string& target) {
  Reply reply;
  const auto slash = target.find('/', 1);
  const std::string segment = target.substr(1, slash - 1);
  std::size_t number = shapes_.size();
  std::from_chars(segment.data(), segment.data() + segment.size(), number);
  reply.status = 404;
  reply.body = status_object(404, "NotFound");
  if (slash == std::string::npos || number >= shapes_.size()) return reply;
  reply.asked.target = target.substr(slash);
  const auto& path = reply.asked.target;
  if (path == "/api" || path == "/api/v1") {
    reply.status = 200;
    reply.body = path == "/api" ? kVersions : kResources;
  } else if (has(path, "sendInitialEvents=true") && !shapes_[number].watch_list) {
    reply.status = 400;
    reply.body = status_object(400, "BadRequest");
  } else if (path.starts_with("/api/v1/pods") && !has(path + "&", "limit=1&")) {  // 1: the version is asked for
    reply.shape = &shapes_[number];
    reply.asked.watch = has(path, "watch=true") || has(path, "watch=1");
    const std::lock_guard lock(mutex_);
    reply.asked.nth = (reply.asked.watch ? watches_ : lists_)[segment]++;
  }
  return reply;
}

void Server::serve_http1(Peer& peer) {
  const auto request = peer.read_request();
  const auto begin = request.find(' ');
  if (begin == std::string::npos) return;
  const auto reply = reply_to(request.substr(begin + 1, request.find(' ', begin + 1) - begin - 1));
  if (reply.shape) return (reply.asked.watch ? reply.shape->watch : reply.shape->list)(peer, reply.asked);
  peer.write(http(reply.body, "Content-Type: application/json\r\n", std::to_string(reply.status) + " So"));
}

void Server::serve_http2(Peer& peer) {
  char preface[24];
  if (!read_exactly(peer, preface, sizeof preface) || !peer.write(frame(Frame::Settings, 0, 0, ""))) return;
  nghttp2_hd_inflater* inflater = nullptr;
  if (nghttp2_hd_inflate_new(&inflater) != 0) return;
  const auto path_of = [&](const std::string& block) {
    std::string path;
    const auto* at = reinterpret_cast<const std::uint8_t*>(block.data());
    for (std::size_t left = block.size();;) {
      nghttp2_nv field{};
      int flags = 0;
      const auto used = nghttp2_hd_inflate_hd2(inflater, &field, &flags, at, left, 1);
      if (used < 0) break;
      at += used;
      left -= static_cast<std::size_t>(used);
      if (flags & NGHTTP2_HD_INFLATE_EMIT) {
        const std::string_view name(reinterpret_cast<char*>(field.name), field.namelen);
        if (name == ":path") path.assign(reinterpret_cast<char*>(field.value), field.valuelen);
      }
      if (flags & NGHTTP2_HD_INFLATE_FINAL) break;
      if (!(flags & NGHTTP2_HD_INFLATE_EMIT) && left == 0) break;
    }
    nghttp2_hd_inflate_end_headers(inflater);
    return path;
  };
  std::uint8_t head[9];
  while (read_exactly(peer, reinterpret_cast<char*>(head), sizeof head)) {
    const std::size_t size = head[0] << 16 | head[1] << 8 | head[2];
    std::string payload(size, '\0');
    if (!read_exactly(peer, payload.data(), size)) break;
    const auto type = static_cast<Frame>(head[3]);
    const std::uint8_t flags = head[4];
    const auto id = static_cast<std::int32_t>((head[5] & 127) << 24 | head[6] << 16 | head[7] << 8 | head[8]);
    bool open = true;
    if (type == Frame::Settings && !(flags & kAck)) open = peer.write(frame(Frame::Settings, kAck, 0, ""));
    if (type == Frame::Ping && !(flags & kAck)) open = peer.write(frame(Frame::Ping, kAck, 0, payload));
    if (type == Frame::Headers) {
      if (flags & 32) payload.erase(0, 5);  // a priority
      auto reply = reply_to(path_of(payload));
      reply.asked.stream = id;
      if (reply.shape) {
        (reply.asked.watch ? reply.shape->watch : reply.shape->list)(peer, reply.asked);
      } else {
        open = peer.write(http2_answer(id, reply.body, reply.status));
      }
    }
    if (!open) break;
  }
  nghttp2_hd_inflate_del(inflater);
}

std::string number32(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string frame(Frame type, std::uint8_t flags, std::uint32_t stream, const std::string& payload) {
  std::string out = number32(static_cast<std::uint32_t>(payload.size())).substr(1);
  out += static_cast<char>(type);
  out += static_cast<char>(flags);
  return out + number32(stream) + payload;
}

std::string field(const std::string& name, const std::string& value) {
  const auto text = [](const std::string& of) {
    std::string out;
    std::size_t size = of.size();  // an integer with a prefix of 7 bits
    if (size < 127) {
      out += static_cast<char>(size);
    } else {
      out += static_cast<char>(127);
      for (size -= 127; size >= 128; size >>= 7) out += static_cast<char>(size % 128 + 128);
      out += static_cast<char>(size);
    }
    return out + of;
  };
  return std::string(1, '\0') + text(name) + text(value);
}

std::string http2_head(std::int32_t stream, int status, const std::string& more) {
  return frame(Frame::Headers, kEndHeaders, static_cast<std::uint32_t>(stream),
               field(":status", std::to_string(status)) + field("content-type", "application/json") + more);
}

std::string http2_answer(std::int32_t stream, const std::string& body, int status) {
  return http2_head(stream, status) + frame(Frame::Data, kEndStream, static_cast<std::uint32_t>(stream), body);
}

}  // namespace kubexx::hostile
