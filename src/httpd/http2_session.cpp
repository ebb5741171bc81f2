#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <new>
#include <unordered_map>
#include <utility>

#include "httpd/session.hpp"

namespace kubexx::httpd {
namespace {

constexpr std::uint32_t kStreamWindow = 256 << 10;
constexpr std::int32_t kConnectionWindow = 1 << 20;
constexpr std::size_t kFrameHeader = 9;
constexpr std::size_t kFieldOverhead = 32;                   // how RFC 9113, 6.5.2 counts a field
constexpr Duration kPingPatience = std::chrono::seconds(1);  // before a reset follows anyway

std::string_view view(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

struct Stream {
  std::int32_t id = 0;
  Ticks since = 0;
  Request request;
  std::string authority;
  std::size_t header_bytes = 0;
  bool expects_continue = false;
  bool dispatched = false;
  bool rejected = false;  // answered before the request was complete; the rest of it is dropped

  std::shared_ptr<Answer> answer;
  std::deque<SharedBytes> chunks;
  std::size_t offset = 0;   // into the first chunk
  std::size_t pending = 0;  // bytes in chunks, from offset on
  bool submitted = false;
  bool complete = false;
  bool deferred = false;
  bool no_body = false;
  bool sent_body = false;
};

class Http2Session final : public Session {
 public:
  explicit Http2Session(SessionContext context)
      : context_(std::move(context)), bodies_(context_.server), since_(context_.now) {
    start();
    const ServerOptions& options = context_.server.options;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<std::uint32_t>(options.max_streams)},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(options.max_header)}};
    check(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings)));
    check(nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow));
  }

  ~Http2Session() override { nghttp2_session_del(session_); }

  void receive(std::string_view bytes) override {
    if (broken_) return;
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    // Errors of the peer queue a GOAWAY and return no error; what does is beyond an answer.
    if (nghttp2_session_mem_recv(session_, data, bytes.size()) < 0) broken_ = true;
  }

  bool wants_input() const override { return true; }

  void update(const std::shared_ptr<Answer>& answer) override {
    if (broken_) return;
    const auto found = streams_.find(answer->stream());
    if (found == streams_.end() || found->second.answer != answer) return;
    Stream& stream = found->second;
    AnswerNews news = answer->take();
    for (SharedBytes& chunk : news.chunks) {
      stream.pending += chunk->size();
      stream.chunks.push_back(std::move(chunk));
    }
    stream.complete = stream.complete || news.finished;
    if (news.head) submit(stream, std::move(*news.head));
    if (stream.no_body) drop_body(stream);
    if (stream.deferred && (stream.pending > 0 || stream.complete)) {
      stream.deferred = false;
      check(nghttp2_session_resume_data(session_, stream.id));
    }
    if (news.aborted) {
      aborting_.push_back(stream.id);
      answer->close();
    }
  }

  void produce(Output& out, std::size_t limit) override {
    if (broken_) return;
    output_ = &out;
    limit_ = limit;
    flush();
    // What was written before an abort goes out as far as the peer takes it now. Some clients (libcurl) forget bytes
    // that they read together with the reset: it follows when the answer to a ping says that they are through.
    for (const std::int32_t id : std::exchange(aborting_, {})) {
      const Stream* stream = find(id);
      if (stream == nullptr || !stream->sent_body) {
        reset(id);
        continue;
      }
      std::uint8_t opaque[8] = {};
      std::memcpy(opaque, &id, sizeof id);
      check(nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, opaque));
      resetting_.emplace(id, context_.now);
    }
    flush();
    output_ = nullptr;
  }

  bool finished() const override {
    return broken_ || (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0);
  }
  bool cut() const override { return false; }

  void drain() override {
    if (broken_) return;
    check(nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                                NGHTTP2_NO_ERROR, nullptr, 0));
  }

  bool tick() override {
    if (broken_) return false;
    const ServerContext& server = context_.server;
    const Ticks header_limit = server.ticks(server.options.header_timeout);
    const Ticks idle_limit = server.ticks(server.options.idle_timeout);
    if (!greeted_ || in_header_) return context_.now - since_ < header_limit;
    if (streams_.empty() && context_.now - since_ >= idle_limit) drain();
    const Ticks ping_limit = server.ticks(kPingPatience);
    for (auto it = resetting_.begin(); it != resetting_.end();) {
      const auto [id, since] = *it++;
      if (context_.now - since >= ping_limit) reset(id);
    }
    for (const auto& [id, stream] : streams_) {
      if (stream.dispatched || context_.now - stream.since < idle_limit) continue;
      check(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL));
    }
    return true;
  }

  void detach() override {
    broken_ = true;
    for (auto& [id, stream] : std::exchange(streams_, {})) {
      if (stream.answer) stream.answer->close();
    }
  }

 private:
  static Http2Session& self(void* user_data) { return *static_cast<Http2Session*>(user_data); }

  Stream* find(std::int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : &found->second;
  }

  void start() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* option = nullptr;
    const bool made = nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0;
    if (made) {
      set_callbacks(callbacks);
      nghttp2_option_set_no_closed_streams(option, 1);
      // A client that stops all its watches at once, again and again, is no attacker; one that resets faster than this
      // is (rapid reset, CVE-2023-44487), and its connection ends.
      nghttp2_option_set_stream_reset_rate_limit(option, 5'000, 500);
      nghttp2_session_server_new2(&session_, callbacks, this, option);
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    if (session_ == nullptr) throw std::bad_alloc();
  }

  // What nghttp2 cannot do for want of memory it will not do later: the peer would wait for it.
  void check(int code) noexcept {
    if (nghttp2_is_fatal(code) != 0) broken_ = true;
  }

  // No exception passes through nghttp2, and it takes no step after one.
  template <class Step>
  static auto isolated(void* user, Step step) noexcept -> decltype(step(self(user))) {
    try {
      return step(self(user));
    } catch (...) {
      self(user).broken_ = true;
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
  }

  static void set_callbacks(nghttp2_session_callbacks* callbacks) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
          return isolated(user, [&](Http2Session& session) { return session.begin_headers(*frame), 0; });
        });
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                      const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
          return isolated(user, [&](Http2Session& session) {
            return session.header(*frame, view(name, name_size), view(value, value_size)), 0;
          });
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
          return isolated(user, [&](Http2Session& session) { return session.frame_received(*frame), 0; });
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks,
        [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size, void* user) {
          return isolated(user, [&](Http2Session& session) { return session.data_received(id, view(data, size)), 0; });
        });
    nghttp2_session_callbacks_set_on_frame_send_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
          return isolated(user, [&](Http2Session& session) { return session.frame_sent(*frame), 0; });
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, std::int32_t id, std::uint32_t, void* user) {
          return isolated(user, [&](Http2Session& session) { return session.stream_closed(id), 0; });
        });
    nghttp2_session_callbacks_set_send_data_callback(
        callbacks, [](nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* header, std::size_t size,
                      nghttp2_data_source*, void* user) {
          return isolated(user, [&](Http2Session& session) {
            return session.send_data(frame->hd.stream_id, view(header, kFrameHeader), size);
          });
        });
  }

  void begin_headers(const nghttp2_frame& frame) {
    greeted_ = true;
    in_header_ = true;
    since_ = context_.now;
    if (frame.headers.cat != NGHTTP2_HCAT_REQUEST) return;
    Stream& stream = streams_[frame.hd.stream_id];
    stream.id = frame.hd.stream_id;
    stream.since = context_.now;
    stream.request.http_major = 2;
  }

  void header(const nghttp2_frame& frame, std::string_view name, std::string_view value) {
    Stream* stream = find(frame.hd.stream_id);
    if (stream == nullptr || frame.headers.cat != NGHTTP2_HCAT_REQUEST) return;  // trailers are not looked at
    stream->header_bytes += name.size() + value.size() + kFieldOverhead;
    if (stream->header_bytes > context_.server.options.max_header) return;
    Request& request = stream->request;
    if (name == ":method") {
      request.method = value;
    } else if (name == ":path") {
      request.target = value;
    } else if (name == ":authority") {
      stream->authority = value;
    } else if (!name.starts_with(':')) {
      if (name == "expect" && value == "100-continue") stream->expects_continue = true;
      request.headers.emplace_back(name, value);
    }
  }

  void frame_received(const nghttp2_frame& frame) {
    greeted_ = true;
    in_header_ = false;
    if (frame.hd.type == NGHTTP2_PING && (frame.hd.flags & NGHTTP2_FLAG_ACK) != 0) {
      std::int32_t id = 0;
      std::memcpy(&id, frame.ping.opaque_data, sizeof id);
      if (resetting_.contains(id)) reset(id);
    }
    if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return;
    Stream* stream = find(frame.hd.stream_id);
    if (stream == nullptr || stream->rejected || stream->dispatched) return;
    const bool end = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST && !header_done(*stream, end))
      return;
    if (end) dispatch(*stream);
  }

  void reset(std::int32_t id) {
    resetting_.erase(id);
    check(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR));
  }

  // False: the request is answered already.
  bool header_done(Stream& stream, bool end) {
    const ServerOptions& options = context_.server.options;
    Request& request = stream.request;
    if (stream.header_bytes > options.max_header) return reject(stream, 431);
    if (!stream.authority.empty() && request.header("host").empty()) {
      request.headers.emplace_back("host", stream.authority);
    }
    if (request.target.empty()) request.target = stream.authority;  // CONNECT
    if (end) return true;
    const std::string_view length = request.header("content-length");
    std::uint64_t announced = 0;
    std::from_chars(length.data(), length.data() + length.size(), announced);
    if (announced > options.max_body) return reject(stream, 413);
    if (stream.expects_continue) {
      const nghttp2_nv status = field(":status", "100");
      check(nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream.id, nullptr, &status, 1, nullptr));
    }
    return true;
  }

  void data_received(std::int32_t id, std::string_view bytes) {
    Stream* stream = find(id);
    if (stream == nullptr || stream->rejected) return;
    const std::size_t limit = context_.server.options.max_body;
    if (bytes.size() > limit - stream->request.body.size()) {
      reject(*stream, 413);
      return;
    }
    const std::size_t together = bodies_.bytes() + bytes.size();
    if (together > 4 * std::max<std::size_t>(limit, kConnectionWindow) || !bodies_.set(together)) {
      reject(*stream, 503);
      return;
    }
    stream->request.body += bytes;
  }

  void dispatch(Stream& stream) {
    stream.dispatched = true;
    bodies_.set(bodies_.bytes() - stream.request.body.size());
    stream.no_body = stream.request.method == "HEAD";
    stream.answer = std::make_shared<Answer>(context_.queue, stream.id);
    context_.dispatch(std::move(stream.request), stream.answer);
  }

  bool reject(Stream& stream, int status) {
    stream.rejected = true;
    bodies_.set(bodies_.bytes() - stream.request.body.size());
    stream.request = {};
    stream.chunks.push_back(std::make_shared<const std::string>(std::to_string(status) + "\n"));
    stream.pending = stream.chunks.back()->size();
    stream.complete = true;
    submit(stream, AnswerHead{status, {{"content-type", "text/plain"}}, true});
    return false;
  }

  static nghttp2_nv field(std::string_view name, std::string_view value) {
    const auto bytes = [](std::string_view text) {
      return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
  }

  void submit(Stream& stream, AnswerHead head) {
    HeaderFields fields = sendable_fields(std::move(head.headers));
    if (head.whole && status_has_body(head.status)) {
      std::erase_if(fields, [&](const auto& f) { return f.first == "content-length" && !stream.no_body; });
      if (std::ranges::none_of(fields, [](const auto& f) { return f.first == "content-length"; })) {
        fields.emplace_back("content-length", std::to_string(stream.pending));
      }
    }
    if (std::ranges::none_of(fields, [](const auto& f) { return f.first == "date"; })) {
      fields.emplace_back("date", http_date());
    }
    const std::string status = std::to_string(head.status);
    std::vector<nghttp2_nv> list{field(":status", status)};
    for (const auto& [name, value] : fields) list.push_back(field(name, value));

    stream.no_body = stream.no_body || !status_has_body(head.status);
    nghttp2_data_provider provider{};
    provider.read_callback = [](nghttp2_session*, std::int32_t id, std::uint8_t*, std::size_t room,
                                std::uint32_t* flags, nghttp2_data_source*,
                                void* user) { return self(user).next_data(id, room, flags); };
    const bool empty = stream.no_body || (stream.complete && stream.pending == 0);
    check(nghttp2_submit_response(session_, stream.id, list.data(), list.size(), empty ? nullptr : &provider));
    stream.submitted = true;
  }

  static void drop_body(Stream& stream) {
    if (stream.answer) stream.answer->sent(stream.pending);
    stream.chunks.clear();
    stream.pending = 0;
  }

  // How much of the body the next DATA frame carries; send_data copies it.
  ssize_t next_data(std::int32_t id, std::size_t room, std::uint32_t* flags) {
    Stream* stream = find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (stream->pending == 0 && !stream->complete) {
      stream->deferred = true;
      return NGHTTP2_ERR_DEFERRED;
    }
    const std::size_t size = std::min(room, stream->pending);
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (stream->complete && size == stream->pending) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

  int send_data(std::int32_t id, std::string_view header, std::size_t size) {
    Stream* stream = find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (output_->bytes.size() >= limit_) return NGHTTP2_ERR_WOULDBLOCK;
    output_->bytes += header;
    for (std::size_t left = size; left > 0;) {
      const std::string& chunk = *stream->chunks.front();
      const std::size_t part = std::min(left, chunk.size() - stream->offset);
      output_->bytes.append(chunk, stream->offset, part);
      stream->offset += part;
      left -= part;
      if (stream->offset < chunk.size()) continue;
      stream->chunks.pop_front();
      stream->offset = 0;
    }
    stream->pending -= size;
    stream->sent_body = true;
    if (stream->answer) output_->parts.push_back({stream->answer, size, false});
    return 0;
  }

  void frame_sent(const nghttp2_frame& frame) {
    if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return;
    if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
    const Stream* stream = find(frame.hd.stream_id);
    if (stream == nullptr || !stream->rejected) return;
    if (nghttp2_session_get_stream_remote_close(session_, stream->id) != 0) return;
    // Tells the peer to stop sending a request that is answered (RFC 9113, 8.1).
    check(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_NO_ERROR));
  }

  void stream_closed(std::int32_t id) {
    resetting_.erase(id);
    const auto found = streams_.find(id);
    if (found == streams_.end()) return;
    Stream stream = std::move(found->second);
    streams_.erase(found);
    in_header_ = false;  // nghttp2 refuses malformed headers by closing the stream
    if (streams_.empty()) since_ = context_.now;
    if (!stream.dispatched) bodies_.set(bodies_.bytes() - stream.request.body.size());
    if (!stream.answer) return;
    if (output_ != nullptr) {
      output_->parts.push_back({std::move(stream.answer), 0, true});
    } else {
      stream.answer->close();
    }
  }

  void flush() {
    while (!broken_ && output_->bytes.size() < limit_) {
      const std::uint8_t* data = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &data);
      if (size < 0) broken_ = true;
      if (size <= 0) return;
      output_->bytes += view(data, static_cast<std::size_t>(size));
    }
  }

  const SessionContext context_;
  nghttp2_session* session_ = nullptr;
  std::unordered_map<std::int32_t, Stream> streams_;
  std::vector<std::int32_t> aborting_;
  std::map<std::int32_t, Ticks> resetting_;  // aborted, and pinged since
  IncompleteBodies bodies_;
  Output* output_ = nullptr;  // set while producing
  std::size_t limit_ = 0;
  Ticks since_;
  bool greeted_ = false;
  bool in_header_ = false;
  bool broken_ = false;
};

}  // namespace

std::unique_ptr<Session> make_http2_session(SessionContext context) {
  return std::make_unique<Http2Session>(std::move(context));
}

}  // namespace kubexx::httpd
