#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "httpd/loop.hpp"
#include "httpd/session.hpp"

namespace kubexx::httpd {

/// One socket, TLS or not: moves bytes between it and a Session. Lives on its loop's thread.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// `tls` is null for cleartext.
  Connection(Loop& loop, boost::asio::ip::tcp::socket socket, boost::asio::ssl::context* tls);
  ~Connection();

  void start();
  void drain();  ///< finish what is running, then go
  void close();  ///< now
  void tick();

 private:
  enum class State : std::uint8_t { Handshake, Sniffing, Open, Lingering, Closed };

  template <class Step>
  void or_close(Step&& step);
  void begin();
  void handshake();
  void open(bool http2);
  void receive(std::string_view bytes);
  void sniff(std::string_view bytes);
  void read();
  void pump();  ///< writes what there is to write
  void written(const boost::system::error_code& error);
  void settle();  ///< what was produced is with the kernel
  void take_news();
  void cut_soon();
  void reset();
  void linger();

  template <class Function>
  void with_stream(Function&& function);

  Loop& loop_;
  boost::asio::ip::tcp::socket socket_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
  boost::asio::steady_timer timer_;  // ends lingering, or a cut that the peer holds up
  std::shared_ptr<AnswerQueue> queue_;
  std::unique_ptr<Session> session_;
  std::string peer_;
  std::string sniffed_;
  Output out_;  // being written while writing_
  State state_ = State::Handshake;
  bool reading_ = false;
  bool writing_ = false;
  bool cutting_ = false;
  Ticks since_ = 0;  // when the handshake or the running write began
  std::array<char, 16 << 10> in_;
};

}  // namespace kubexx::httpd
