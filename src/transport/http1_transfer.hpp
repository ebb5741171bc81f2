#pragma once

#include <memory>
#include <optional>

#include "transport/call.hpp"
#include "transport/endpoint.hpp"
#include "transport/http1_watchdog.hpp"

namespace kubexx::transport {

/// One call over HTTP/1.1, done by libcurl, which also keeps the idle connections.
///
/// A pause stops reading the socket, so the peer stops by TCP; at most one buffer of bytes waits meanwhile.
class Http1Transfer final : public EndpointTransfer, public Carrier {
 public:
  Http1Transfer(CurlMulti& multi, Endpoint endpoint, std::shared_ptr<Call> call, CallOwner& owner,
                Http1Watchdog& watchdog);
  ~Http1Transfer() override { watchdog_->remove(*this); }

  /// 0 if it went over a connection that was there.
  double connections_made() const {
    long count = 0;
    curl_easy_getinfo(easy(), CURLINFO_NUM_CONNECTS, &count);
    return static_cast<double>(count);
  }

  // For the watchdog.
  bool answered() const noexcept { return call_->answered(); }
  bool expects_bytes() const noexcept { return connected_ && !call_->paused(); }
  TimePoint last_heard() const noexcept { return last_heard_; }
  void give_up();  ///< ends the call; destroys this object
  bool found_dead() const noexcept { return dead_; }

  void drop(Call&) override { owner_->retire(*this); }
  void resumed(Call& call, std::size_t taken) override;

 private:
  static int before_request(void* self, char* ip, char* local_ip, int port, int local_port);
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  template <class Step>
  bool inside_libcurl(Step step) noexcept;
  bool header_line(std::string_view line);
  bool body(std::string_view bytes);
  void on_done(CURLcode code) override;
  Error failure(CURLcode code) const;
  Error header_too_large() const;
  void set_request();

  std::shared_ptr<Call> call_;
  CallOwner* owner_;
  Http1Watchdog* watchdog_;
  EventLoop* loop_;
  TimePoint last_heard_;
  bool connected_ = false;
  bool dead_ = false;
  int status_ = 0;
  std::size_t header_bytes_ = 0;
  Headers headers_;
  std::optional<Error> refused_;  ///< why a callback of ours stopped the transfer
};

}  // namespace kubexx::transport
