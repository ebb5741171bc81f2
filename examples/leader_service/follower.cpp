#include "follower.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <iostream>

#include "kubexx/base/stop.hpp"
#include "kubexx/election/leader_observer.hpp"
#include "service.hpp"

namespace leader_service {

using namespace std::chrono_literals;
using kubexx::election::LeaderView;

namespace {

/// A connection to "address:port"; -1: there is none. No step of it takes longer than half a second.
int connect_to(const std::string& address) {
  const auto colon = address.rfind(':');
  sockaddr_in peer{};
  peer.sin_family = AF_INET;
  if (colon == std::string::npos || inet_pton(AF_INET, address.substr(0, colon).c_str(), &peer.sin_addr) != 1)
    return -1;
  peer.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return -1;
  const timeval patience{0, 500'000};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(connection, reinterpret_cast<sockaddr*>(&peer), sizeof peer) == 0) return connection;
  close(connection);
  return -1;
}

/// The leader's word; empty when it gives none. A program of its own would use its HTTP library.
std::string ask(const std::string& address) {
  const int connection = connect_to(address);
  if (connection < 0) return {};
  const std::string request = "GET /next HTTP/1.1\r\nhost: " + address + "\r\nconnection: close\r\n\r\n";
  std::string answer;
  if (send(connection, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    char bytes[1024];
    for (ssize_t n = 0; (n = recv(connection, bytes, sizeof bytes, 0)) > 0;) {
      answer.append(bytes, static_cast<std::size_t>(n));
    }
  }
  close(connection);
  const auto body = answer.find("\r\n\r\n");
  return answer.starts_with("HTTP/1.1 200") && body != std::string::npos ? answer.substr(body + 4) : std::string();
}

}  // namespace

kubexx::Result<void> follow(const kubexx::rest::Client& client, const std::stop_token& stop) {
  auto observer = kubexx::election::LeaderObserver::create(
      client, {.name = kName, .on_change = [](const LeaderView& now) {
                 std::cout << (now.holder.empty() ? "nobody" : now.holder) << " leads" << std::endl;
               }});
  if (!observer) return observer.error();
  (*observer)->start(stop);
  while (!stop.stop_requested()) {
    const auto now =
        (*observer)->wait_until([](const auto& view) { return !view.annotation(kAddress).empty(); }, {.stop = stop});
    if (!now) break;  // stopped
    const auto word = ask(now->annotation(kAddress));
    if (!word.empty()) std::cout << word << std::flush;
    // Again soon; at once when another leads.
    const auto other = [term = now->transitions](const auto& view) { return view.transitions != term; };
    static_cast<void>((*observer)->wait_until(other, {.stop = stop, .timeout = 20ms}));
  }
  return {};
}

}  // namespace leader_service
