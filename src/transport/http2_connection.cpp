#include "transport/http2_connection.hpp"

#include <malloc.h>
#include <string.h>
#include <sys/epoll.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "base/internal/insist.hpp"
#include "base/internal/text.hpp"
#include "base/internal/wipe.hpp"
#include "transport/limits.hpp"

namespace kubexx::transport {
namespace {

constexpr std::size_t kReadsPerTurn = 64;  // about 1 MB, then other connections have their turn
constexpr std::size_t kWriteBuffer = 64 * 1024;
constexpr std::size_t kBulk = 256 * 1024;  // without a gap of so long:
constexpr Duration kBurstGap = std::chrono::milliseconds(5);
constexpr std::size_t kLittle = 16 * 1024;  // a look at the socket that finds less ends it
constexpr Duration kRest = std::chrono::milliseconds(1);
constexpr std::int32_t kConnectionWindow = 16 << 20;
constexpr std::size_t kLongDownload = 4;              // times the pause limit
constexpr Duration kIdle = std::chrono::seconds(90);  // of Go's client
constexpr Duration kDefaultPingTimeout = std::chrono::seconds(15);
constexpr Duration kCheckWithoutPings = std::chrono::seconds(30);

bool belongs_to_connection(std::string_view name) {
  for (std::string_view special : {"connection", "host", "keep-alive", "proxy-connection", "transfer-encoding",
                                   "upgrade", "te", "content-length"}) {
    if (name == special) return true;
  }
  return false;
}

std::int32_t window_of(std::size_t bytes) {
  return static_cast<std::int32_t>(std::min<std::size_t>(bytes, 0x7fffffff));
}

nghttp2_nv field(std::string_view name, std::string_view value) {
  auto bytes = [](std::string_view text) { return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data())); };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

/// nghttp2 copies the fields of a request, credentials too: what it gives back is wiped.
void free_wiped(void* memory, void*) {
  if (memory) explicit_bzero(memory, malloc_usable_size(memory));
  std::free(memory);
}

void* move_wiped(void* memory, std::size_t size, void*) {
  void* larger = std::malloc(size);
  if (!larger || !memory) return larger;
  std::memcpy(larger, memory, std::min(size, malloc_usable_size(memory)));
  free_wiped(memory, nullptr);
  return larger;
}

nghttp2_mem wiping_memory() {
  return {nullptr, [](std::size_t size, void*) { return std::malloc(size); }, &free_wiped,
          [](std::size_t count, std::size_t size, void*) { return std::calloc(count, size); }, &move_wiped};
}

std::string seconds_text(Duration duration) {
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + "s" : std::to_string(ms) + "ms";
}

}  // namespace

/// What nghttp2 calls. User data of a stream is its Stream, null once nobody listens.
struct Http2Connection::Callbacks {
  static Http2Connection& of(void* self) { return *static_cast<Http2Connection*>(self); }
  static Stream* stream(nghttp2_session* session, std::int32_t id) {
    return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session, id));
  }

  /// No exception passes through nghttp2: one ends the session, and with it the connection.
  template <auto callback, class... Arguments>
  static int isolated(Arguments... arguments) {
    try {
      return callback(arguments...);
    } catch (...) {
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
  }

  static int on_header(nghttp2_session* session, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                       void* self) {
    Stream* to = stream(session, frame->hd.stream_id);
    if (!to) return 0;  // canceled
    to->header_bytes += name_size + value_size;
    if (to->header_bytes > kMaxHeaderBytes) {
      std::string message = of(self).peer_ + ": header of the answer too large";
      of(self).finish_stream(frame->hd.stream_id, Error::transport(TransportFailure::TooLarge, std::move(message)));
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    if (to->call->answered()) return 0;  // trailers
    std::string_view name_text(reinterpret_cast<const char*>(name), name_size);
    std::string_view value_text(reinterpret_cast<const char*>(value), value_size);
    if (name_text == ":status") {
      std::from_chars(value_text.data(), value_text.data() + value_text.size(), to->status);
    } else {
      to->headers.add(std::string(name_text), std::string(value_text));
    }
    return 0;
  }

  static int on_frame(nghttp2_session* session, const nghttp2_frame* frame, void* self) {
    Http2Connection& connection = of(self);
    if (frame->hd.type == NGHTTP2_GOAWAY) connection.draining_ = true;
    if (frame->hd.type == NGHTTP2_SETTINGS) connection.peer_settings_seen_ = true;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    Stream* to = stream(session, frame->hd.stream_id);
    if (!to) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && !to->call->answered()) {
      Headers headers = std::move(to->headers);
      to->headers = {};
      if (to->status >= 200) to->call->headers(to->status, std::move(headers));
      if (to->call->ended()) {
        connection.abandon(frame->hd.stream_id);
        return 0;
      }
    }
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
      to->peer_finished = true;
      // An answer before the whole request was read: nobody wants the rest.
      if (to->body_sent < to->call->request().body.size())
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    }
    return 0;
  }

  static int on_data(nghttp2_session* session, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                     std::size_t size, void* self) {
    nghttp2_session_consume_connection(session, size);
    Stream* to = stream(session, id);
    if (!to) return 0;
    std::size_t taken = to->call->data({reinterpret_cast<const char*>(data), size});
    of(self).give_back(*to, taken);
    of(self).received_.push_back(id);
    if (to->call->ended()) of(self).abandon(id);
    return 0;
  }

  static int on_close(nghttp2_session*, std::int32_t id, std::uint32_t code, void* self) {
    of(self).end_stream(id, code);
    return 0;
  }

  static int on_not_sent(nghttp2_session*, const nghttp2_frame* frame, int code, void* self) {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    std::string message = of(self).peer_ + ": request not sent: " + nghttp2_strerror(code);
    of(self).finish_stream(frame->hd.stream_id, Error::transport(TransportFailure::Other, std::move(message)));
    return 0;
  }

  static int on_error(nghttp2_session*, int, const char* text, std::size_t size, void* self) {
    of(self).protocol_error_.assign(text, size);
    return 0;
  }

  // What nghttp2 found wrong with the peer stands in the GOAWAY that it answers with, if nowhere else.
  static int on_frame_sent(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type != NGHTTP2_GOAWAY || frame->goaway.error_code == NGHTTP2_NO_ERROR) return 0;
    std::string& error = of(self).protocol_error_;
    if (!error.empty()) return 0;
    error = nghttp2_http2_strerror(frame->goaway.error_code);
    const auto& goaway = frame->goaway;
    if (goaway.opaque_data_len > 0)
      error.append(": ").append(reinterpret_cast<const char*>(goaway.opaque_data), goaway.opaque_data_len);
    return 0;
  }

  static ssize_t read_body(nghttp2_session* session, std::int32_t id, std::uint8_t* buffer, std::size_t size,
                           std::uint32_t* flags, nghttp2_data_source*, void*) {
    Stream* from = stream(session, id);
    if (!from) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::string& body = from->call->request().body;
    std::size_t count = std::min(size, body.size() - from->body_sent);
    std::copy_n(body.data() + from->body_sent, count, buffer);
    from->body_sent += count;
    if (from->body_sent == body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

  static nghttp2_session* start(Http2Connection& connection, const TransportOptions& options) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* option = nullptr;
    nghttp2_session* session = nullptr;
    if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&option) != 0) throw std::bad_alloc();
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &isolated<&on_header>);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &isolated<&on_frame>);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &isolated<&on_data>);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &isolated<&on_close>);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, &isolated<&on_not_sent>);
    nghttp2_session_callbacks_set_error_callback2(callbacks, &isolated<&on_error>);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, &isolated<&on_frame_sent>);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_peer_max_concurrent_streams(option, static_cast<std::uint32_t>(connection.stream_limit_));
    nghttp2_mem memory = wiping_memory();
    int code = nghttp2_session_client_new3(&session, callbacks, &connection, option, &memory);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    if (code != 0) throw std::bad_alloc();
    auto window = static_cast<std::uint32_t>(window_of(options.pause_limit));
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(kMaxHeaderBytes)},
    };
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, std::size(settings));
    nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
    return session;
  }
};

Http2Connection::Http2Connection(EventLoop& loop, std::unique_ptr<Dial> dial, CallOwner& owner,
                                 std::size_t stream_limit)
    : loop_(&loop),
      dial_(std::move(dial)),
      owner_(&owner),
      stream_limit_(std::max<std::size_t>(stream_limit, 1)),
      peer_(dial_->endpoint().target.address()),
      last_read_(loop.now()),
      idle_since_(last_read_) {
  session_ = Callbacks::start(*this, *dial_->endpoint().options);
  loop_->watch(dial_->socket(), EPOLLIN, [this](std::uint32_t events) { on_ready(events); });
  // What the peer sent together with the end of the handshake is already read and makes no event.
  loop_->defer([this, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) read_some();
  });
  check_alive();
}

Http2Connection::~Http2Connection() {
  if (!closed_) loop_->forget(dial_->socket());
  if (check_) loop_->cancel(*check_);
  if (rest_) loop_->cancel(*rest_);
  nghttp2_session_del(session_);
  wipe(output_);
}

std::size_t Http2Connection::stream_limit() const noexcept {
  if (!peer_settings_seen_) return stream_limit_;
  std::size_t most = dial_->endpoint().options->max_streams_per_connection;
  return std::min<std::size_t>(most,
                               nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS));
}

void Http2Connection::carry(std::shared_ptr<Call> call) {
  const Request& request = call->request();
  const std::string* host = request.headers.find("host");
  const std::string length = std::to_string(request.body.size());
  std::vector<std::string> names;  // lower case; reserved so that the views below stay valid
  names.reserve(request.headers.fields().size());
  std::vector<nghttp2_nv> fields{field(":method", request.method), field(":scheme", call->target.scheme),
                                 field(":authority", host ? *host : call->target.authority),
                                 field(":path", call->target.path)};
  for (const auto& [name, value] : request.headers.fields()) {
    names.push_back(to_lower(name));
    if (belongs_to_connection(names.back())) continue;
    fields.push_back(field(names.back(), value));
    if (names.back() == "authorization") fields.back().flags = NGHTTP2_NV_FLAG_NO_INDEX;
  }
  if (call->accepts_gzip) fields.push_back(field("accept-encoding", "gzip"));
  if (!request.body.empty()) fields.push_back(field("content-length", length));

  auto stream = std::make_unique<Stream>();
  stream->call = call;
  nghttp2_data_provider body{};
  body.read_callback = &Callbacks::read_body;
  std::int32_t id = nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                                           request.body.empty() ? nullptr : &body, stream.get());
  if (id < 0) {  // the numbers of this connection are used up
    draining_ = true;
    return owner_->refused(call, Error::transport(TransportFailure::Other, peer_ + ": " + nghttp2_strerror(id)));
  }
  call->carrier = this;
  call->stream_id = id;
  streams_.emplace(id, std::move(stream));
  settle();
}

void Http2Connection::drain() {
  draining_ = true;
  settle();
}

void Http2Connection::drop(Call& call) {
  const std::int32_t id = call.stream_id;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  take(id);
  settle();
}

void Http2Connection::resumed(Call& call, std::size_t taken) {
  if (auto found = streams_.find(call.stream_id); found != streams_.end()) give_back(*found->second, taken);
  if (call.ended()) abandon(call.stream_id);
  settle();
}

// The window goes back in small portions, so that a peer that sends fast never sees much less than all of it. One long
// download at a time gets a larger one: with 1 MB under way it would wait for the peer's scheduler again and again.
void Http2Connection::give_back(Stream& stream, std::size_t taken) {
  const std::size_t limit = dial_->endpoint().options->pause_limit;
  const std::int32_t id = stream.call->stream_id;
  stream.taken += taken;
  stream.owed += taken;
  if (stream.peer_finished) return;
  if (long_download_ == 0 && stream.taken >= kLongDownload * limit) {
    long_download_ = id;
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, id, window_of(kLongDownload * limit));
  }
  if (stream.owed < limit / 8) return;
  // The peer would wait for it for ever.
  const auto window = window_of(std::exchange(stream.owed, 0));
  if (nghttp2_submit_window_update(session_, NGHTTP2_FLAG_NONE, id, window) == NGHTTP2_ERR_NOMEM) lacks_memory_ = true;
}

void Http2Connection::abandon(std::int32_t id) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  finish_stream(id, std::nullopt);
}

std::shared_ptr<Call> Http2Connection::take(std::int32_t id) {
  auto found = streams_.find(id);
  if (found == streams_.end()) return nullptr;
  nghttp2_session_set_stream_user_data(session_, id, nullptr);
  auto call = std::move(found->second->call);
  streams_.erase(found);
  if (long_download_ == id) long_download_ = 0;
  idle_since_ = loop_->now();
  call->carrier = nullptr;
  return call;
}

void Http2Connection::finish_stream(std::int32_t id, std::optional<Error> error) {
  if (auto call = take(id)) owner_->finished(std::move(call), std::move(error));
}

void Http2Connection::end_stream(std::int32_t id, std::uint32_t code) {
  auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const Stream& stream = *found->second;
  const bool answered = stream.call->answered();
  if (answered && stream.peer_finished && code == NGHTTP2_NO_ERROR) return finish_stream(id, std::nullopt);
  if (!answered && code == NGHTTP2_REFUSED_STREAM) {
    Error error = Error::transport(TransportFailure::Reset, peer_ + ": stream refused");
    owner_->refused(take(id), std::move(error));
    return;
  }
  std::string text = code == NGHTTP2_NO_ERROR ? "closed in the middle of the answer"
                                              : std::string("stream reset: ") + nghttp2_http2_strerror(code);
  auto failure = code == NGHTTP2_NO_ERROR ? TransportFailure::Eof : TransportFailure::Reset;
  finish_stream(id, Error::transport(failure, peer_ + ": " + text));
}

void Http2Connection::on_ready(std::uint32_t events) {
  if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {
    read_some();
  } else {
    settle();
  }
}

void Http2Connection::read_some() {
  if (closed_) return;
  char buffer[16 * 1024];
  std::size_t total = 0;
  for (std::size_t turn = 0; turn < kReadsPerTurn; ++turn) {
    std::size_t count = 0;
    Dial::Io result = dial_->read(buffer, sizeof buffer, count);
    if (result == Dial::Io::Again) return all_read(total);
    if (result != Dial::Io::Done) {
      hand_over();
      return fail(broken());
    }
    total += count;
    in_session_ = true;
    auto taken = nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(buffer), count);
    in_session_ = false;
    if (taken < 0) return fail(Error::decode(peer_ + ": HTTP/2: " + nghttp2_strerror(static_cast<int>(taken))));
    // At once, so that the peer gets its window back before it ran out of it.
    if (nghttp2_session_want_write(session_)) flush();
    if (closed_) return;
    // A lone event is not worth a second look, which would find nothing; what comes meanwhile makes an event.
    if (total < kLittle && !dial_->may_have_more(sizeof buffer, count)) return all_read(total);
  }
  hand_over();
  heard();
  settle();
  // OpenSSL may hold the rest, of which the socket knows nothing: come back without an event.
  loop_->defer([this, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) read_some();
  });
}

void Http2Connection::all_read(std::size_t total) {
  hand_over();
  if (total > 0) heard();
  settle();
  rest_after(total);
}

/// What came in this turn, to those who read it.
void Http2Connection::hand_over() {
  for (std::size_t i = 0; i < received_.size(); ++i) {
    const std::int32_t id = received_[i];
    if (i > 0 && received_[i - 1] == id) continue;
    const auto found = streams_.find(id);
    if (found == streams_.end()) continue;
    const auto call = found->second->call;  // whose reader may end it
    call->hand_over();
    if (call->ended()) abandon(id);
  }
  received_.clear();
}

/// While much is coming, each record would make an event of its own. Then the socket collects for a moment, until one
/// look at it finds little: a lone event never waits.
void Http2Connection::rest_after(std::size_t total) {
  if (closed_) return;
  const TimePoint now = loop_->now();
  burst_ = now - last_turn_ < kBurstGap ? burst_ + total : total;
  last_turn_ = now;
  const bool rests = burst_ >= kBulk && total >= kLittle;
  if (!rests) burst_ = std::min(burst_, kBulk / 2);
  if (rests && !rest_) {
    rest_ = loop_->at(now + kRest, [this] {
      rest_.reset();
      watch_socket();
      read_some();
    });
    watch_socket();
  }
}

void Http2Connection::watch_socket() {
  const std::uint32_t wanted = (rest_ ? 0U : EPOLLIN) | (wants_write_event_ ? EPOLLOUT : 0U);
  loop_->change(dial_->socket(), wanted);
}

void Http2Connection::settle() {
  if (in_session_ || closed_) return;
  flush();
  if (closed_) return;
  if (!nghttp2_session_want_read(session_) && !nghttp2_session_want_write(session_)) return fail(broken());
  if (draining_ && streams_.empty()) close();
}

void Http2Connection::flush() {
  while (true) {
    in_session_ = true;
    while (output_.size() < kWriteBuffer) {
      const std::uint8_t* data = nullptr;
      auto count = nghttp2_session_mem_send(session_, &data);
      if (count < 0) lacks_memory_ = true;
      if (count <= 0) break;
      const auto size = static_cast<std::size_t>(count);
      insist([&] { append_secret(output_, {reinterpret_cast<const char*>(data), size}); });
    }
    in_session_ = false;
    if (lacks_memory_) return fail(out_of_memory());
    if (output_.empty()) break;
    std::size_t sent = 0;
    Dial::Io result = dial_->write(output_.data(), output_.size(), sent);
    if (result == Dial::Io::Failed) return fail(broken());
    if (result == Dial::Io::Again) break;
    explicit_bzero(output_.data(), sent);
    output_.erase(0, sent);
  }
  bool blocked = !output_.empty();
  if (blocked == wants_write_event_) return;
  wants_write_event_ = blocked;
  watch_socket();
}

// The peer's violation of the protocol, if that is why the session is over, else what happened to the socket.
Error Http2Connection::broken() const {
  if (nghttp2_session_want_read(session_) || protocol_error_.empty()) return dial_->failure();
  return Error::decode(peer_ + ": HTTP/2: " + protocol_error_);
}

Error Http2Connection::out_of_memory() const {
  return Error::transport(TransportFailure::Other, peer_ + ": out of memory");
}

void Http2Connection::heard() {
  last_read_ = loop_->now();
  if (!pinged_) return;
  pinged_ = false;
  schedule_check(last_read_ + dial_->endpoint().options->read_idle);
}

// One timer serves three purposes: silence -> ping, no answer to the ping -> dead, no calls for long -> close.
void Http2Connection::check_alive() {
  const TransportOptions& options = *dial_->endpoint().options;
  const Duration patience = options.ping_timeout > Duration::zero() ? options.ping_timeout : kDefaultPingTimeout;
  check_.reset();
  if (pinged_) {
    read_some();  // this thread may have been stopped itself, with the answer waiting in the socket
    if (closed_ || !pinged_) return;
    dead_ = true;
    return fail(
        Error::transport(TransportFailure::Dead, peer_ + ": no answer to a ping for " + seconds_text(patience)));
  }
  if (streams_.empty() && loop_->now() - idle_since_ >= kIdle) return close();
  if (options.read_idle <= Duration::zero()) return schedule_check(loop_->now() + kCheckWithoutPings);
  if (loop_->now() - last_read_ < options.read_idle) return schedule_check(last_read_ + options.read_idle);
  pinged_ = true;
  schedule_check(loop_->now() + patience);
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
  settle();
}

void Http2Connection::schedule_check(TimePoint when) {
  if (check_) loop_->cancel(*check_);
  check_ = loop_->at(when, [this] { check_alive(); });
}

void Http2Connection::fail(const Error& error) {
  if (closed_) return;
  close();
  std::exception_ptr lacked;  // every stream is let go, whatever another one's end lacks memory for
  while (!streams_.empty()) {
    const std::int32_t id = streams_.begin()->first;
    try {
      finish_stream(id, error);
    } catch (...) {
      lacked = std::current_exception();
      take(id);  // whoever hears of the exception ends its call
    }
  }
  if (lacked) std::rethrow_exception(lacked);
}

void Http2Connection::close() {
  closed_ = true;
  loop_->forget(dial_->socket());
  if (check_) loop_->cancel(*check_);
  check_.reset();
  if (rest_) loop_->cancel(*rest_);
  rest_.reset();
  owner_->retire(*this);
}

}  // namespace kubexx::transport
