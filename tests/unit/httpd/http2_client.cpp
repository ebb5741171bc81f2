#include "unit/httpd/http2_client.hpp"

#include <algorithm>
#include <cstring>

namespace kubexx::httpd {
namespace {

Http2Client& self(void* user) {
  return *static_cast<Http2Client*>(user);
}

nghttp2_nv field(const std::string& name, const std::string& value) {
  const auto bytes = [](const std::string& text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
              const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
  Http2Client::Stream& stream = self(user).stream(frame->hd.stream_id);
  const std::string key(reinterpret_cast<const char*>(name), name_size);
  const std::string text(reinterpret_cast<const char*>(value), value_size);
  if (key == ":status") {
    stream.status = std::stoi(text);
    if (stream.status < 200) stream.interim.push_back(stream.status);
  } else {
    stream.headers[key] = text;
  }
  return 0;
}

int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  Http2Client& client = self(user);
  if (frame->hd.type == NGHTTP2_GOAWAY) {
    ++client.goaways;
    client.goaway_error = frame->goaway.error_code;
  }
  if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) ++client.pongs;
  if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) ++client.settings;
  if ((frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS) &&
      (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
    client.stream(frame->hd.stream_id).ended = true;
  }
  return 0;
}

ssize_t upload(nghttp2_session*, std::int32_t id, std::uint8_t* out, std::size_t room, std::uint32_t* flags,
               nghttp2_data_source*, void* user) {
  Http2Client::Stream& stream = self(user).stream(id);
  const std::size_t size = std::min(room, stream.upload.size() - stream.uploaded);
  if (size == 0 && stream.endless) return NGHTTP2_ERR_DEFERRED;
  std::memcpy(out, stream.upload.data() + stream.uploaded, size);
  stream.uploaded += size;
  if (stream.uploaded == stream.upload.size() && !stream.endless) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(size);
}

}  // namespace

Http2Client::Http2Client(std::uint16_t port, const ClientTls* tls) : Http2Client(port, tls, Options()) {}

Http2Client::Http2Client(std::uint16_t port, const ClientTls* tls, Options options)
    : raw_(port, tls, options.receive_buffer), options_(options) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks,
      [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size, void* user) {
        self(user).stream(id).body.append(reinterpret_cast<const char*>(data), size);
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](nghttp2_session*, std::int32_t id, std::uint32_t error, void* user) {
        self(user).stream(id).closed = true;
        self(user).stream(id).error = error;
        return 0;
      });
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  nghttp2_option_set_no_auto_window_update(option, options.read_bodies ? 0 : 1);
  nghttp2_session_client_new2(&session_, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, options.connection_window);
}

Http2Client::~Http2Client() {
  nghttp2_session_del(session_);
}

std::int32_t Http2Client::send(std::string method, std::string path, HeaderFields headers, std::string body) {
  const HeaderFields pseudo = {{":method", method}, {":scheme", "http"}, {":authority", "localhost"}, {":path", path}};
  std::vector<nghttp2_nv> list;
  for (const auto& [name, value] : pseudo) list.push_back(field(name, value));
  for (const auto& [name, value] : headers) list.push_back(field(name, value));
  nghttp2_data_provider provider{};
  provider.read_callback = upload;
  const std::int32_t id =
      nghttp2_submit_request(session_, nullptr, list.data(), list.size(), body.empty() ? nullptr : &provider, nullptr);
  streams_[id].upload = std::move(body);
  return id;
}

void Http2Client::reset(std::int32_t id) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
}

void Http2Client::ping() {
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
}

// At once: a server that waits for the next frame does not wait for long, and this thread may lose its processor.
bool Http2Client::flush() {
  std::string frames;
  for (;;) {
    const std::uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &data);
    if (size < 0) return false;
    if (size == 0) return raw_.send(frames);
    frames.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
  }
}

bool Http2Client::run_until(const std::function<bool()>& condition) {
  for (;;) {
    // A peer that closed may have sent something before: it is still read.
    const bool sent = flush();
    if (condition()) return true;
    const std::string bytes = raw_.receive();
    if (bytes.empty()) ended = true;
    if (bytes.empty() || (!sent && bytes.empty())) return condition();
    if (nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) < 0) {
      return condition();
    }
  }
}

Http2Client::Stream& Http2Client::get(std::string path) {
  Stream& answer = stream(send("GET", std::move(path)));
  run_until([&] { return answer.closed; });
  return answer;
}

std::uint32_t Http2Client::peer_max_streams() const {
  return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

}  // namespace kubexx::httpd
