#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "httpd/session.hpp"

namespace kubexx::httpd {

/// A session without a socket: bytes in, bytes out, on this thread.
class SessionHarness {
 public:
  explicit SessionHarness(bool http2, ServerOptions options = {}) {
    server_.options = std::move(options);
    server_.tick = std::chrono::seconds(1);
    server_.handler = [this](Request request, Responder responder) {
      ++requests;
      largest_body = std::max(largest_body, request.body.size());
      if (request.target == "/stream") {
        responder.start(200, {});
        responder.write(std::string(100, 's'));
        responder.finish();
      } else {
        responder.respond(200, {}, std::move(request.body));
      }
    };
    SessionContext context{server_, now, queue_, "peer", {}};
    session_ = http2 ? make_http2_session(std::move(context)) : make_http1_session(std::move(context));
  }
  ~SessionHarness() {
    queue_->close();
    session_->detach();
  }

  /// What the peer would receive for these bytes.
  std::string exchange(std::string_view bytes) {
    session_->receive(bytes);
    std::string out;
    for (bool more = true; more;) {
      more = false;
      for (const auto& answer : queue_->take()) {
        session_->update(answer);
        more = true;
      }
      Output output;
      session_->produce(output, 16 << 10);
      more = more || !output.bytes.empty();
      out += output.bytes;
      for (const auto& part : output.parts) {
        part.answer->sent(part.bytes);
        if (part.last) part.answer->close();
      }
    }
    return out;
  }
  Session& session() { return *session_; }

  Ticks now = 0;
  int requests = 0;
  std::size_t largest_body = 0;

 private:
  ServerContext server_;
  std::shared_ptr<AnswerQueue> queue_ = std::make_shared<AnswerQueue>([] {});
  std::unique_ptr<Session> session_;
};

}  // namespace kubexx::httpd
