// Frames of HTTP/2: floods, frames that may not be, and streams that end in every way.
#include <sys/socket.h>

#include "hostile/server.hpp"

namespace kubexx::hostile {
namespace {

std::uint32_t id(const Asked& asked) {
  return static_cast<std::uint32_t>(asked.stream);
}

/// `flood` again and again, in front of or instead of an answer.
Answer flood(std::function<std::string(const Asked&)> begin, std::function<std::string(const Asked&)> on) {
  return [=](Peer& peer, const Asked& asked) {
    std::string piece;
    while (piece.size() < 16 * 1024) piece += on(asked);
    for (bool open = peer.write(begin(asked)); open;) open = peer.write(piece);
  };
}

Answer frames(std::function<std::string(const Asked&)> bytes) {
  return [=](Peer& peer, const Asked& asked) { peer.write(bytes(asked)); };
}

std::string nothing(const Asked&) {
  return {};
}

Answer good_list() {
  return frames([](const Asked& asked) { return http2_answer(asked.stream, pod_list()); });
}

Answer open_watch(const std::string& events = "") {
  return frames([=](const Asked& asked) {
    return http2_head(asked.stream) + (events.empty() ? "" : frame(Frame::Data, 0, id(asked), events));
  });
}

}  // namespace

std::vector<Shape> http2_shapes() {
  std::vector<Shape> all;
  const auto add = [&](const std::string& name, Answer list, Expected get) {
    all.push_back({"HTTP/2: " + name, std::move(list), open_watch(), std::move(get), {}, true});
  };
  const auto add_watch = [&](const std::string& name, Answer watch, Expected follow) {
    all.push_back({"HTTP/2 watch: " + name, good_list(), std::move(watch), {}, std::move(follow), true});
  };
  const std::string settings_ack = frame(Frame::Settings, kAck, 0, "");

  add("as it should be", good_list(), seen());
  add("a body before a header",
      frames([](const Asked& a) { return frame(Frame::Data, kEndStream, id(a), pod_list()); }), fails("HTTP/2|stream"));
  add("no status", frames([](const Asked& a) {
        return frame(Frame::Headers, kEndHeaders, id(a), field("content-type", "application/json")) +
               frame(Frame::Data, kEndStream, id(a), pod_list());
      }),
      fails("HTTP/2|stream"));
  add("a status of letters", frames([](const Asked& a) {
        return frame(Frame::Headers, kEndHeaders, id(a), field(":status", "two")) +
               frame(Frame::Data, kEndStream, id(a), pod_list());
      }),
      fails("HTTP/2|stream"));
  add("a name in capitals", frames([](const Asked& a) {
        return http2_head(a.stream, 200, field("X-Capitals", "a")) + frame(Frame::Data, kEndStream, id(a), pod_list());
      }),
      fails("HTTP/2|stream"));
  add("a field of HTTP/1.1", frames([](const Asked& a) {
        return http2_head(a.stream, 200, field("connection", "close")) +
               frame(Frame::Data, kEndStream, id(a), pod_list());
      }),
      fails("HTTP/2|stream"));
  add("a length that is wrong", frames([](const Asked& a) {
        return http2_head(a.stream, 200, field("content-length", "3")) +
               frame(Frame::Data, kEndStream, id(a), pod_list());
      }),
      fails("HTTP/2|stream"));
  add("informational answers without end",
      flood(nothing, [](const Asked& a) { return frame(Frame::Headers, kEndHeaders, id(a), field(":status", "100")); }),
      fails("header of the answer too large"));
  add("a header of 300 KB in parts", frames([](const Asked& a) {
        std::string bytes = frame(Frame::Headers, 0, id(a), field(":status", "200"));
        for (int i = 0; i < 300; ++i)
          bytes += frame(Frame::Continuation, 0, id(a), field("x-more", std::string(1000, 'x')));
        return bytes + frame(Frame::Continuation, kEndHeaders, id(a), "");
      }),
      fails("header of the answer too large|HTTP/2"));
  add("a header without end",
      flood([](const Asked& a) { return frame(Frame::Headers, 0, id(a), field(":status", "200")); },
            [](const Asked& a) { return frame(Frame::Continuation, 0, id(a), field("x-more", "more")); }),
      fails("header of the answer too large|HTTP/2"));
  add("empty parts of a header without end",
      flood([](const Asked& a) { return frame(Frame::Headers, 0, id(a), field(":status", "200")); },
            [](const Asked& a) { return frame(Frame::Continuation, 0, id(a), ""); }),
      fails("HTTP/2|in time"));
  add("another frame inside a header", frames([](const Asked& a) {
        return frame(Frame::Headers, 0, id(a), field(":status", "200")) + frame(Frame::Ping, 0, 0, "12345678");
      }),
      fails("HTTP/2"));
  add("a compressed header that is none",
      frames([](const Asked& a) { return frame(Frame::Headers, kEndHeaders, id(a), "\xff\xff\xff\xff\xff\xff"); }),
      fails("HTTP/2"));
  add("trailers", frames([](const Asked& a) {
        return http2_head(a.stream) + frame(Frame::Data, 0, id(a), pod_list()) +
               frame(Frame::Headers, kEndHeaders | kEndStream, id(a), field("x-trailer", "a"));
      }),
      seen());
  add("trailers that do not end the stream", frames([](const Asked& a) {
        return http2_head(a.stream) + frame(Frame::Data, 0, id(a), pod_list()) +
               frame(Frame::Headers, kEndHeaders, id(a), field("x-trailer", "a"));
      }),
      fails("HTTP/2|stream"));
  add("trailers without end",
      flood(
          [](const Asked& a) {
            return http2_head(a.stream) + frame(Frame::Data, 0, id(a), pod_list()) +
                   frame(Frame::Headers, kEndStream, id(a), field("x-trailer", "a"));
          },
          [](const Asked& a) { return frame(Frame::Continuation, 0, id(a), field("x-trailer", "more")); }),
      fails("header of the answer too large|HTTP/2"));
  add("every stream refused", frames([](const Asked& a) { return frame(Frame::Reset, 0, id(a), number32(7)); }),
      fails("stream refused"));
  for (const std::uint32_t code : {0U, 1U, 2U, 8U, 11U, 13U, 4711U}) {
    add("reset by " + std::to_string(code),
        frames([code](const Asked& a) { return frame(Frame::Reset, 0, id(a), number32(code)); }),
        fails("stream|closed"));
  }
  add("reset in the middle", frames([](const Asked& a) {
        return http2_head(a.stream) + frame(Frame::Data, 0, id(a), pod_list().substr(0, 40)) +
               frame(Frame::Reset, 0, id(a), number32(2));
      }),
      fails("stream reset"));
  add("going away", frames([](const Asked&) { return frame(Frame::GoAway, 0, 0, number32(0) + number32(0)); }),
      fails("stream|refused|closed|in time"));
  add("going away with an error", frames([](const Asked&) {
        return frame(Frame::GoAway, 0, 0, number32(0x7fffffff) + number32(11) + "calm down");
      }),
      fails("stream|closed|in time|HTTP/2"));
  add(
      "gone without a word", [](Peer& peer, const Asked&) { shutdown(peer.fd(), SHUT_RDWR); },
      fails("closed|reset|lost|Connection"));
  add("pings without end", flood(nothing, [](const Asked&) { return frame(Frame::Ping, 0, 0, "12345678"); }),
      fails("in time|HTTP/2|closed|reset|flood"));
  add("settings without end", flood(nothing, [](const Asked&) { return frame(Frame::Settings, 0, 0, ""); }),
      fails("in time|HTTP/2|closed|reset|flood"));
  add("acknowledgements without end", flood(nothing, [=](const Asked&) { return settings_ack; }),
      fails("in time|HTTP/2"));
  add("priorities without end",
      flood(nothing, [](const Asked& a) { return frame(Frame::Priority, 0, id(a), number32(0) + "a"); }),
      fails("in time|HTTP/2"));
  add("frames of an unknown type without end",
      flood(nothing, [](const Asked& a) { return frame(static_cast<Frame>(99), 0, id(a), "abc"); }),
      fails("in time|HTTP/2"));
  add("empty data without end",
      flood([](const Asked& a) { return http2_head(a.stream); },
            [](const Asked& a) { return frame(Frame::Data, 0, id(a), ""); }),
      fails("in time|HTTP/2"));
  add("windows without end", flood(nothing, [](const Asked&) { return frame(Frame::WindowUpdate, 0, 0, number32(1)); }),
      fails("in time|HTTP/2"));
  add("a window beyond all",
      frames([](const Asked&) { return frame(Frame::WindowUpdate, 0, 0, number32(0x7fffffff)); }),
      fails("HTTP/2|closed"));
  add("a window of nothing", frames([](const Asked&) { return frame(Frame::WindowUpdate, 0, 0, number32(0)); }),
      fails("HTTP/2|closed"));
  add("settings that may not be",
      frames([](const Asked&) { return frame(Frame::Settings, 0, 0, std::string("\0\4", 2) + number32(0xffffffff)); }),
      fails("HTTP/2|closed"));
  add("settings of half an entry", frames([](const Asked&) { return frame(Frame::Settings, 0, 0, "abc"); }),
      fails("HTTP/2|closed"));
  add("a push", frames([](const Asked& a) {
        return frame(Frame::Push, kEndHeaders, id(a), number32(2) + field(":method", "GET"));
      }),
      fails("HTTP/2|closed"));
  add("a header of no stream",
      frames([](const Asked&) { return frame(Frame::Headers, kEndHeaders, 0, field(":status", "200")); }),
      fails("HTTP/2|closed"));
  add("data of a stream that is not", frames([](const Asked&) { return frame(Frame::Data, 0, 4711, "abc"); }),
      fails("HTTP/2|closed"));
  add("a frame that is too large", frames([](const Asked& a) {
        return http2_head(a.stream) + frame(Frame::Data, 0, id(a), std::string(100'000, ' '));
      }),
      fails("HTTP/2|closed"));
  add("more data than the window",
      flood([](const Asked& a) { return http2_head(a.stream); },
            [](const Asked& a) { return frame(Frame::Data, 0, id(a), std::string(16'000, ' ')); }),
      fails("FLOW_CONTROL_ERROR"));
  add("padding of everything", frames([](const Asked& a) {
        return http2_head(a.stream) + frame(Frame::Data, 8 | kEndStream, id(a),
                                            "\xff"
                                            "abc");
      }),
      fails("HTTP/2|closed"));

  add_watch("ends at once", frames([](const Asked& a) { return http2_answer(a.stream, ""); }),
            fails("very short watch"));
  add_watch("reset at once",
            frames([](const Asked& a) { return http2_head(a.stream) + frame(Frame::Reset, 0, id(a), number32(2)); }),
            fails("stream reset"));
  add_watch("empty data without end",
            flood(
                [](const Asked& a) {
                  return http2_head(a.stream) + frame(Frame::Data, 0, id(a), event("ADDED", pod("later", "20")));
                },
                [](const Asked& a) { return frame(Frame::Data, 0, id(a), ""); }),
            seen("later"));
  add_watch("pings without end",
            flood(
                [](const Asked& a) {
                  return http2_head(a.stream) + frame(Frame::Data, 0, id(a), event("ADDED", pod("later", "20")));
                },
                [](const Asked&) { return frame(Frame::Ping, 0, 0, "12345678"); }),
            seen("later"));
  add_watch("an event, then garbage", frames([](const Asked& a) {
              return http2_head(a.stream) + frame(Frame::Data, 0, id(a), event("ADDED", pod("later", "20"))) +
                     "garbage, not a frame";
            }),
            seen("later"));
  return all;
}

}  // namespace kubexx::hostile
