#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "unit/transport/support/socket_server.hpp"

namespace kubexx::transport::test {

/// What a proxy saw and does. Every name leads to `target_port` on loopback.
struct ProxyBehaviour {
  int target_port = 0;
  int refuse_with = 0;      ///< status of an HTTP proxy that says no; for SOCKS the reply code
  std::string credentials;  ///< "Basic ..." that must be shown; for SOCKS "user:password"

  std::mutex mutex;
  std::vector<std::string> asked;  // guarded by mutex; what clients asked for, "host:port"

  void note(std::string what) {
    std::lock_guard lock(mutex);
    asked.push_back(std::move(what));
  }
  std::vector<std::string> seen() {
    std::lock_guard lock(mutex);
    return asked;
  }
};

inline int connect_loopback(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(static_cast<std::uint16_t>(port));
  if (connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0) return fd;
  close(fd);
  return -1;
}

/// Copies both ways until one side ends.
inline void relay(Peer& peer, int port, const std::string& first = {}) {
  int fd = connect_loopback(port);
  if (fd < 0) return;
  Peer target(fd);
  char buffer[16 * 1024];
  if (!target.write(first)) return;
  while (true) {
    bool from_peer = peer.readable(0);
    bool from_target = target.readable(0);
    if (!from_peer && !from_target) {
      pollfd both[] = {{peer.fd(), POLLIN, 0}, {target.fd(), POLLIN, 0}};
      poll(both, 2, -1);
      continue;
    }
    Peer& from = from_peer ? peer : target;
    Peer& to = from_peer ? target : peer;
    ssize_t count = from.read(buffer, sizeof buffer);
    if (count <= 0 || !to.write({buffer, static_cast<std::size_t>(count)})) return;
  }
}

inline SocketServer::Handler http_proxy(ProxyBehaviour& behaviour) {
  return [&behaviour](Peer& peer) {
    std::string request = peer.read_request();
    std::string line = request.substr(0, request.find("\r\n"));
    behaviour.note(line);
    bool allowed = behaviour.credentials.empty() ||
                   request.find("Proxy-Authorization: " + behaviour.credentials + "\r\n") != std::string::npos;
    if (!allowed || behaviour.refuse_with != 0) {
      int status = behaviour.refuse_with != 0 ? behaviour.refuse_with : 407;
      peer.write("HTTP/1.1 " + std::to_string(status) + " No\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    if (line.rfind("CONNECT ", 0) == 0) {
      if (request.find("Authorization: Bearer") != std::string::npos) behaviour.note("LEAKED");
      peer.write("HTTP/1.1 200 Connection established\r\n\r\n");
      relay(peer, behaviour.target_port);
    } else {
      relay(peer, behaviour.target_port, request);
    }
  };
}

inline SocketServer::Handler socks5_proxy(ProxyBehaviour& behaviour) {
  return [&behaviour](Peer& peer) {
    auto take = [&](std::size_t count) {
      std::string bytes(count, '\0');
      for (std::size_t at = 0; at < count;) {
        ssize_t more = peer.read(bytes.data() + at, count - at);
        if (more <= 0) return std::string();
        at += static_cast<std::size_t>(more);
      }
      return bytes;
    };
    std::string greeting = take(2);
    if (greeting.size() != 2) return;
    std::string methods = take(static_cast<unsigned char>(greeting[1]));
    bool with_password = !behaviour.credentials.empty();
    peer.write(with_password ? std::string("\x05\x02", 2) : std::string("\x05\x00", 2));
    if (with_password) {
      std::string header = take(2);
      if (header.size() != 2) return;
      std::string user = take(static_cast<unsigned char>(header[1]));
      std::string password = take(static_cast<unsigned char>(take(1)[0]));
      bool right = user + ":" + password == behaviour.credentials;
      peer.write(right ? std::string("\x01\x00", 2) : std::string("\x01\x01", 2));
      if (!right) return;
    }
    std::string request = take(4);
    if (request.size() != 4) return;
    std::string host;
    if (request[3] == 3) {
      host = take(static_cast<unsigned char>(take(1)[0]));
    } else {
      char text[INET6_ADDRSTRLEN] = {};
      std::string address = take(request[3] == 1 ? 4 : 16);
      inet_ntop(request[3] == 1 ? AF_INET : AF_INET6, address.data(), text, sizeof text);
      host = text;
    }
    std::string port = take(2);
    int number = static_cast<unsigned char>(port[0]) << 8 | static_cast<unsigned char>(port[1]);
    behaviour.note(host + ":" + std::to_string(number));
    std::string reply("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10);
    reply[1] = static_cast<char>(behaviour.refuse_with);
    peer.write(reply);
    if (behaviour.refuse_with == 0) relay(peer, behaviour.target_port);
  };
}

}  // namespace kubexx::transport::test
