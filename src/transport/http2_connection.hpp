#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "transport/call.hpp"
#include "transport/dial.hpp"
#include "transport/event_loop.hpp"

namespace kubexx::transport {

/// One HTTP/2 connection and the calls on it.
///
/// The connection's flow-control window is given back as bytes arrive, a stream's only as its reader takes them: a
/// paused reader stops its own stream after TransportOptions::pause_limit bytes and nobody else.
///
/// States: open -> draining (GOAWAY, or superseded) -> closed. Draining takes no new calls and closes with the last
/// one.
class Http2Connection final : public Carrier {
 public:
  /// `stream_limit`: how many calls to put on it until the peer says how many it allows.
  Http2Connection(EventLoop& loop, std::unique_ptr<Dial> dial, CallOwner& owner, std::size_t stream_limit);
  ~Http2Connection() override;

  bool has_room() const noexcept { return !draining_ && !closed_ && streams_.size() < stream_limit(); }
  std::size_t stream_limit() const noexcept;
  bool found_dead() const noexcept { return dead_; }
  void carry(std::shared_ptr<Call> call);
  void drain();  ///< no new calls; closes now if it has none

  void drop(Call& call) override;
  void resumed(Call& call, std::size_t taken) override;

 private:
  struct Stream {
    std::shared_ptr<Call> call;
    Headers headers;
    int status = 0;
    std::size_t header_bytes = 0;
    std::size_t body_sent = 0;
    std::size_t taken = 0;  ///< by the reader, altogether
    std::size_t owed = 0;   ///< taken and not yet given back to the peer as window
    bool peer_finished = false;
  };
  struct Callbacks;
  friend struct Callbacks;

  void on_ready(std::uint32_t events);
  void read_some();
  void all_read(std::size_t total);
  void hand_over();
  void rest_after(std::size_t total);
  void watch_socket();
  void flush();
  void settle();  ///< after any exchange with the session: write, and close when nothing is left to do
  void heard();
  void check_alive();
  void schedule_check(TimePoint when);
  void fail(const Error& error);
  Error broken() const;
  Error out_of_memory() const;
  void close();
  void end_stream(std::int32_t id, std::uint32_t code);
  void give_back(Stream& stream, std::size_t taken);
  void finish_stream(std::int32_t id, std::optional<Error> error);
  void abandon(std::int32_t id);  ///< the call ended by itself: nobody wants the rest
  std::shared_ptr<Call> take(std::int32_t id);

  EventLoop* loop_;
  std::unique_ptr<Dial> dial_;
  CallOwner* owner_;
  nghttp2_session* session_ = nullptr;
  std::size_t stream_limit_;
  std::unordered_map<std::int32_t, std::unique_ptr<Stream>> streams_;
  std::string peer_;
  std::string output_;
  std::string protocol_error_;
  std::int32_t long_download_ = 0;  ///< the stream with the larger window
  bool peer_settings_seen_ = false;
  bool wants_write_event_ = false;
  bool pinged_ = false;  ///< and nothing was heard since
  bool draining_ = false;
  bool dead_ = false;
  bool closed_ = false;
  bool in_session_ = false;    ///< inside nghttp2: settle later
  bool lacks_memory_ = false;  ///< something was not said to the peer, who waits for it
  TimePoint last_read_;
  TimePoint idle_since_;
  std::optional<EventLoop::TimerId> check_;
  std::optional<EventLoop::TimerId> rest_;  ///< until the socket is looked at again
  TimePoint last_turn_{};
  std::size_t burst_ = 0;               ///< bytes without a gap
  std::vector<std::int32_t> received_;  ///< streams that had data in this turn
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace kubexx::transport
