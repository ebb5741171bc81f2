#include "unit/transport/support/http2_peer.hpp"

#include <nghttp2/nghttp2.h>

#include <cstring>
#include <memory>

namespace kubexx::transport::test {
namespace {

struct Served {
  Http2Request request;
  Http2Reply reply;
  std::size_t sent = 0;
  std::uint64_t filler_sent = 0;
};

struct Session {
  Peer* peer;
  const Http2Options* options;
  nghttp2_session* session = nullptr;
  std::map<std::int32_t, Served> streams;
};

ssize_t read_reply(nghttp2_session* session, std::int32_t id, std::uint8_t* buffer, std::size_t size,
                   std::uint32_t* flags, nghttp2_data_source* source, void* context) {
  auto* served = static_cast<Served*>(source->ptr);
  std::size_t count = std::min(size, served->reply.body.size() - served->sent);
  std::memcpy(buffer, served->reply.body.data() + served->sent, count);
  served->sent += count;
  if (count == 0) {
    count = static_cast<std::size_t>(std::min<std::uint64_t>(size, served->reply.filler - served->filler_sent));
    std::memset(buffer, 'x', count);
    served->filler_sent += count;
  }
  auto* counter = static_cast<Session*>(context)->options->sent_on_first_stream;
  if (counter && id == 1) *counter += count;
  bool all = served->sent == served->reply.body.size() && served->filler_sent == served->reply.filler;
  bool is_reset = served->reply.reset_after_body || served->reply.stop_after_body;
  if (all && is_reset) {
    const auto code = served->reply.stop_after_body ? NGHTTP2_NO_ERROR : NGHTTP2_INTERNAL_ERROR;
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, code);
  }
  bool stays_open = served->reply.open_end || is_reset;
  if (all && stays_open && count == 0) return NGHTTP2_ERR_DEFERRED;
  if (all && !stays_open) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(count);
}

void answer(Session& self, Served& served) {
  served.request.client_name = self.peer->client_name();
  served.reply = self.options->answer(served.request);
  const std::int32_t id = served.request.id;
  if (served.reply.silent) return;
  if (served.reply.refuse) {
    nghttp2_submit_rst_stream(self.session, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    return;
  }
  if (served.reply.go_away) {
    nghttp2_submit_goaway(self.session, NGHTTP2_FLAG_NONE, id - 2, NGHTTP2_NO_ERROR, nullptr, 0);
    return;
  }
  std::vector<std::pair<std::string, std::string>> headers{{":status", std::to_string(served.reply.status)}};
  headers.insert(headers.end(), served.reply.headers.begin(), served.reply.headers.end());
  std::vector<nghttp2_nv> fields;
  for (auto& [name, value] : headers) {
    fields.push_back({reinterpret_cast<std::uint8_t*>(name.data()), reinterpret_cast<std::uint8_t*>(value.data()),
                      name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  nghttp2_data_provider body{};
  body.source.ptr = &served;
  body.read_callback = &read_reply;
  nghttp2_submit_response(self.session, id, fields.data(), fields.size(), &body);
}

int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
              const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* context) {
  Http2Request& request = static_cast<Session*>(context)->streams[frame->hd.stream_id].request;
  request.id = frame->hd.stream_id;
  std::string key(reinterpret_cast<const char*>(name), name_size);
  std::string text(reinterpret_cast<const char*>(value), value_size);
  if (key == ":method") request.method = text;
  if (key == ":path") request.path = text;
  request.headers[key] = text;
  return 0;
}

int on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size,
            void* context) {
  static_cast<Session*>(context)->streams[id].request.body.append(reinterpret_cast<const char*>(data), size);
  return 0;
}

int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* context) {
  auto& self = *static_cast<Session*>(context);
  if (frame->hd.type == NGHTTP2_PING && !(frame->hd.flags & NGHTTP2_FLAG_ACK) && self.options->pings)
    ++*self.options->pings;
  bool of_request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
  if (of_request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) answer(self, self.streams[frame->hd.stream_id]);
  return 0;
}

int on_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* context) {
  static_cast<Session*>(context)->streams.erase(id);
  return 0;
}

bool flush(Session& self) {
  const std::uint8_t* data = nullptr;
  for (auto count = nghttp2_session_mem_send(self.session, &data); count > 0;
       count = nghttp2_session_mem_send(self.session, &data)) {
    if (!self.peer->write({reinterpret_cast<const char*>(data), static_cast<std::size_t>(count)})) return false;
  }
  return true;
}

}  // namespace

void serve_http2(Peer& peer, const Http2Options& options) {
  Session self{&peer, &options, nullptr, {}};
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &on_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &on_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &on_close);
  nghttp2_option* large_headers = nullptr;
  nghttp2_option_new(&large_headers);
  nghttp2_option_set_max_send_header_block_length(large_headers, 8 << 20);
  nghttp2_session_server_new2(&self.session, callbacks, &self, large_headers);
  nghttp2_option_del(large_headers);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options.max_streams}};
  nghttp2_submit_settings(self.session, NGHTTP2_FLAG_NONE, settings, 1);
  char buffer[16 * 1024];
  while (flush(self)) {
    if (options.cut && !peer.readable(10)) {
      if (*options.cut) break;
      continue;
    }
    ssize_t count = peer.read(buffer, sizeof buffer);
    if (count <= 0) break;
    if (nghttp2_session_mem_recv(self.session, reinterpret_cast<std::uint8_t*>(buffer),
                                 static_cast<std::size_t>(count)) < 0)
      break;
  }
  nghttp2_session_del(self.session);
}

}  // namespace kubexx::transport::test
