#include <algorithm>
#include <charconv>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "base/internal/parse_number.hpp"
#include "httpd/request_parser.hpp"
#include "httpd/session.hpp"

namespace kubexx::httpd {
namespace {

constexpr std::size_t kPipelineLimit = 64 << 10;  // bytes of later requests kept while one is answered

/// One request at a time; those pipelined behind it wait in the input buffer.
///
/// Phase       what is awaited                          gives up after
/// Idle        the first byte of a request              idle_timeout
/// Head        the rest of its header                   header_timeout
/// Body        the rest of its body                     idle_timeout
/// Answering   the handler                              never
/// Ended       nothing: the connection is to be closed
class Http1Session final : public Session {
 public:
  explicit Http1Session(SessionContext context)
      : context_(std::move(context)), parser_(new_parser()), bodies_(context_.server), since_(context_.now) {}

  void receive(std::string_view bytes) override {
    if (phase_ == Phase::Ended) return;
    input_.append(bytes);
    if (phase_ != Phase::Answering) parse();
  }

  bool wants_input() const override { return phase_ != Phase::Answering || input_.size() < kPipelineLimit; }

  void update(const std::shared_ptr<Answer>& answer) override {
    if (answer != answer_) return;
    AnswerNews news = answer->take();
    if (news.head) begin_answer(std::move(*news.head), news.chunks);
    for (SharedBytes& chunk : news.chunks) chunks_.push_back(std::move(chunk));
    complete_ = complete_ || news.finished;
    if (news.aborted) {
      cut_ = true;
      answer->close();
    }
  }

  void produce(Output& out, std::size_t limit) override {
    out.bytes += std::exchange(control_, {});
    while (!chunks_.empty() && out.bytes.size() < limit) produce_chunk(out, limit - out.bytes.size());
    if (complete_ && chunks_.empty() && answer_ && !cut_) end_answer(out);
  }

  bool finished() const override { return phase_ == Phase::Ended && control_.empty() && chunks_.empty(); }
  bool cut() const override { return cut_; }

  void drain() override {
    close_after_ = true;
    if (phase_ == Phase::Idle) enter(Phase::Ended);
  }

  bool tick() override {
    const ServerOptions& options = context_.server.options;
    switch (phase_) {
      case Phase::Idle:
        if (context_.now - since_ >= context_.server.ticks(options.idle_timeout)) drain();
        return true;
      case Phase::Body:
        return context_.now - since_ < context_.server.ticks(options.idle_timeout);
      case Phase::Head:
        return context_.now - since_ < context_.server.ticks(options.header_timeout);
      case Phase::Answering:
      case Phase::Ended:
        return true;
    }
    return true;
  }

  void detach() override {
    phase_ = Phase::Ended;
    if (auto answer = std::exchange(answer_, nullptr)) answer->close();
  }

 private:
  enum class Phase : std::uint8_t { Idle, Head, Body, Answering, Ended };
  enum class Framing : std::uint8_t { None, Length, Chunked, UntilClose };

  RequestParser new_parser() const { return {context_.server.options.max_header, context_.server.options.max_body}; }

  void enter(Phase phase) {
    phase_ = phase;
    since_ = context_.now;
  }

  void parse() {
    if (input_.empty()) return;
    const std::size_t used = parser_.feed(input_);
    input_.erase(0, used);
    if (parser_.error() != 0) return reject(parser_.error());
    if (!bodies_.set(parser_.done() ? 0 : parser_.request().body.size())) return reject(503);
    if (parser_.done()) return begin_request();
    if (phase_ == Phase::Idle && (used > 0 || !input_.empty())) enter(Phase::Head);
    if (phase_ == Phase::Head && parser_.head_done()) {
      enter(Phase::Body);
      if (parser_.expects_continue() && !parser_.http_1_0()) control_ += "HTTP/1.1 100 Continue\r\n\r\n";
    }
  }

  void begin_request() {
    enter(Phase::Answering);
    close_after_ = close_after_ || !parser_.keep_alive();
    old_version_ = parser_.http_1_0();
    Request request = std::move(parser_.request());
    head_request_ = request.method == "HEAD";
    answer_ = std::make_shared<Answer>(context_.queue, 0);
    complete_ = false;
    context_.dispatch(std::move(request), answer_);
  }

  // An answer of our own to a request that cannot be served; where the next one would begin is unknown.
  void reject(int status) {
    const std::string body = std::to_string(status) + " " + std::string(reason_phrase(status)) + "\n";
    control_ += "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason_phrase(status)) +
                "\r\ndate: " + http_date() +
                "\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body;
    input_.clear();
    parser_ = new_parser();
    bodies_.set(0);
    enter(Phase::Ended);
  }

  void begin_answer(AnswerHead head, const std::vector<SharedBytes>& chunks) {
    for (const auto& [name, value] : head.headers) {
      if ((name == "connection" || name == "Connection") && value == "close") close_after_ = true;
    }
    HeaderFields fields = sendable_fields(std::move(head.headers));
    std::optional<std::uint64_t> length = take_length(fields);
    if (head.whole && !(head_request_ && length)) {
      length = 0;
      for (const SharedBytes& chunk : chunks) *length += chunk->size();
    }
    framing_ = Framing::None;
    if (status_has_body(head.status)) {
      framing_ = length ? Framing::Length : old_version_ ? Framing::UntilClose : Framing::Chunked;
    }
    remaining_ = length.value_or(0);
    if (framing_ == Framing::UntilClose) close_after_ = true;
    write_head(head.status, fields);
    if (head_request_) framing_ = Framing::None;
  }

  // The length that the answer itself announces; sendable_fields left at most well-formed text.
  static std::optional<std::uint64_t> take_length(HeaderFields& fields) {
    std::optional<std::uint64_t> length;
    std::erase_if(fields, [&](const auto& field) {
      if (field.first != "content-length") return false;
      if (const auto value = parse_number<std::uint64_t>(field.second)) length = *value;
      return true;
    });
    return length;
  }

  void write_head(int status, const HeaderFields& fields) {
    control_ += "HTTP/1.1 ";
    control_ += std::to_string(status);
    control_ += ' ';
    control_ += reason_phrase(status);
    control_ += "\r\n";
    bool dated = false;
    for (const auto& [name, value] : fields) {
      dated = dated || name == "date";
      write_field(name, value);
    }
    if (!dated) write_field("date", http_date());
    if (framing_ == Framing::Length) write_field("content-length", std::to_string(remaining_));
    if (framing_ == Framing::Chunked) write_field("transfer-encoding", "chunked");
    if (close_after_) {
      write_field("connection", "close");
    } else if (old_version_) {
      write_field("connection", "keep-alive");
    }
    control_ += "\r\n";
  }

  void write_field(std::string_view name, std::string_view value) {
    control_ += name;
    control_ += ": ";
    control_ += value;
    control_ += "\r\n";
  }

  void produce_chunk(Output& out, std::size_t room) {
    const std::string& chunk = *chunks_.front();
    const std::size_t size = std::min(chunk.size() - offset_, std::max<std::size_t>(room, 1024));
    std::string_view bytes = std::string_view(chunk).substr(offset_, size);
    switch (framing_) {
      case Framing::None:
        break;
      case Framing::Length:  // never more than announced: it would be read as the next answer
        bytes = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), remaining_)));
        remaining_ -= bytes.size();
        out.bytes += bytes;
        break;
      case Framing::Chunked: {
        char digits[2 * sizeof(std::size_t)];
        const auto end = std::to_chars(digits, digits + sizeof digits, bytes.size(), 16).ptr;
        out.bytes.append(digits, end).append("\r\n").append(bytes).append("\r\n");
        break;
      }
      case Framing::UntilClose:
        out.bytes += bytes;
        break;
    }
    if (out.parts.empty() || out.parts.back().answer != answer_) out.parts.push_back({answer_, 0, false});
    out.parts.back().bytes += size;
    offset_ += size;
    if (offset_ == chunk.size()) {
      chunks_.pop_front();
      offset_ = 0;
    }
  }

  void end_answer(Output& out) {
    if (framing_ == Framing::Chunked) out.bytes += "0\r\n\r\n";
    if (framing_ == Framing::Length && remaining_ > 0) cut_ = true;  // less than announced: only a cut tells the peer
    out.parts.push_back({std::exchange(answer_, nullptr), 0, true});
    complete_ = false;
    if (close_after_ || cut_) return enter(Phase::Ended);
    parser_ = new_parser();
    enter(Phase::Idle);
    parse();
    out.bytes += std::exchange(control_, {});
  }

  const SessionContext context_;
  RequestParser parser_;
  IncompleteBodies bodies_;
  std::string input_;
  Phase phase_ = Phase::Idle;
  Ticks since_;

  std::string control_;  // bytes that go out before the body
  std::shared_ptr<Answer> answer_;
  std::deque<SharedBytes> chunks_;
  std::size_t offset_ = 0;  // into the first chunk
  Framing framing_ = Framing::None;
  std::uint64_t remaining_ = 0;  // of an announced length
  bool head_request_ = false;
  bool old_version_ = false;
  bool complete_ = false;  // the answer's last chunk is here
  bool close_after_ = false;
  bool cut_ = false;
};

}  // namespace

std::unique_ptr<Session> make_http1_session(SessionContext context) {
  return std::make_unique<Http1Session>(std::move(context));
}

}  // namespace kubexx::httpd
