#include "httpd/connection.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <utility>

#include "httpd/tls.hpp"
#include "kubexx/base/error_sink.hpp"

// NOLINTBEGIN(bugprone-unused-return-value): sockets put an error into the argument too
namespace kubexx::httpd {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t kBatch = 128 << 10;        // bytes given to the socket at once
constexpr std::size_t kKeptCapacity = 32 << 10;  // of the output buffer, while there is nothing to write
constexpr auto kCutPatience = std::chrono::milliseconds(50);
constexpr auto kLinger = std::chrono::seconds(2);

std::string describe(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(endpoint.port());
}

}  // namespace

Connection::Connection(Loop& loop, tcp::socket socket, boost::asio::ssl::context* tls)
    : loop_(loop), socket_(std::move(socket)), timer_(loop.io()) {
  if (tls != nullptr) tls_.emplace(socket_, *tls);
}

Connection::~Connection() = default;

template <class Function>
void Connection::with_stream(Function&& function) {
  if (tls_) {
    function(*tls_);
  } else {
    function(socket_);
  }
}

// What fails does so for want of memory, and half a session cannot go on.
template <class Step>
void Connection::or_close(Step&& step) {
  if (!call_isolated("httpd connection", step)) close();
}

void Connection::start() {
  or_close([this] { begin(); });
}

void Connection::begin() {
  error_code error;
  peer_ = describe(socket_.remote_endpoint(error));
  socket_.set_option(tcp::no_delay(true), error);
  queue_ = std::make_shared<AnswerQueue>([weak = weak_from_this(), &io = loop_.io()] {
    boost::asio::post(io, [weak] {
      if (const auto self = weak.lock()) self->take_news();
    });
  });
  since_ = loop_.now();
  if (tls_) {
    handshake();
  } else if (loop_.server().options.http2) {
    state_ = State::Sniffing;
    read();
  } else {
    open(false);
  }
}

void Connection::handshake() {
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): begin() has looked
  tls_->async_handshake(boost::asio::ssl::stream_base::server, [self = shared_from_this()](const error_code& error) {
    if (self->state_ == State::Closed) return;
    if (error) return self->close();
    self->or_close([&] { self->open(negotiated_http2(self->tls_->native_handle())); });
  });
}

void Connection::open(bool http2) {
  SessionContext context{loop_.server(), loop_.now(), queue_, peer_, {}};
  if (tls_) context.identity = peer_identity(tls_->native_handle());
  session_ = http2 ? make_http2_session(std::move(context)) : make_http1_session(std::move(context));
  state_ = State::Open;
  pump();
  read();
}

void Connection::read() {
  if (reading_ || state_ == State::Closed || state_ == State::Handshake) return;
  if (state_ == State::Open && !session_->wants_input()) return;
  reading_ = true;
  with_stream([this](auto& stream) {
    stream.async_read_some(boost::asio::buffer(in_),
                           [self = shared_from_this()](const error_code& error, std::size_t size) {
                             self->reading_ = false;
                             if (self->state_ == State::Closed) return;
                             if (error) return self->close();
                             self->or_close([&] {
                               self->receive({self->in_.data(), size});
                               self->read();
                             });
                           });
  });
}

void Connection::receive(std::string_view bytes) {
  if (state_ == State::Sniffing) return sniff(bytes);
  if (state_ != State::Open) return;  // lingering: what comes is dropped
  session_->receive(bytes);
  pump();
}

// Cleartext HTTP/2 begins with its preface, and no HTTP/1 request does.
void Connection::sniff(std::string_view bytes) {
  sniffed_ += bytes;
  const std::size_t compared = std::min(sniffed_.size(), kHttp2Preface.size());
  const bool matches = kHttp2Preface.substr(0, compared) == std::string_view(sniffed_).substr(0, compared);
  if (matches && compared < kHttp2Preface.size()) return;
  open(matches);
  if (state_ == State::Open) receive(std::exchange(sniffed_, {}));
}

void Connection::take_news() {
  or_close([this] {
    const auto answers = queue_->take();
    if (state_ != State::Open) return;
    for (const auto& answer : answers) session_->update(answer);
    pump();
  });
}

void Connection::pump() {
  if (state_ != State::Open) return;
  if (session_->cut()) cut_soon();
  if (writing_) return;
  session_->produce(out_, kBatch);
  if (session_->cut()) cut_soon();
  if (out_.bytes.empty()) {
    settle();
    if (session_->cut()) return reset();
    if (session_->finished()) return linger();
    if (out_.bytes.capacity() > kKeptCapacity) std::string().swap(out_.bytes);
    return;
  }
  writing_ = true;
  since_ = loop_.now();
  with_stream([this](auto& stream) {
    boost::asio::async_write(
        stream, boost::asio::buffer(out_.bytes),
        [self = shared_from_this()](const error_code& error, std::size_t) { self->written(error); });
  });
}

void Connection::written(const error_code& error) {
  writing_ = false;
  if (state_ == State::Closed) return;
  if (error) return close();
  or_close([this] {
    out_.bytes.clear();
    settle();
    pump();
    read();
  });
}

void Connection::settle() {
  for (Output::Part& part : std::exchange(out_.parts, {})) {
    part.answer->sent(part.bytes);
    if (part.last) part.answer->close();
  }
}

void Connection::tick() {
  or_close([this] {
    const ServerOptions& options = loop_.server().options;
    const Ticks age = loop_.now() - since_;
    bool patient = true;
    if (state_ == State::Handshake || state_ == State::Sniffing) {
      patient = age < loop_.server().ticks(options.header_timeout);
    } else if (state_ == State::Open) {
      patient = session_->tick() && (!writing_ || age < loop_.server().ticks(options.idle_timeout));
    }
    if (!patient) return close();
    pump();
  });
}

void Connection::drain() {
  if (state_ == State::Handshake || state_ == State::Sniffing) return close();
  if (state_ != State::Open) return;
  or_close([this] {
    session_->drain();
    pump();
  });
}

// A peer that reads gets everything written before the cut; one that does not is not waited for.
void Connection::cut_soon() {
  if (std::exchange(cutting_, true)) return;
  timer_.expires_after(kCutPatience);
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error) self->reset();
  });
}

void Connection::reset() {
  error_code error;
  socket_.set_option(tcp::socket::linger(true, 0), error);
  close();
}

// Closing while the peer still sends would reset the connection, and the peer might never see the answer. So the end
// is announced, and what still comes is read and dropped until the peer closes too.
void Connection::linger() {
  state_ = State::Lingering;
  timer_.expires_after(kLinger);
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error) self->close();
  });
  if (tls_) {
    tls_->async_shutdown([self = shared_from_this()](const error_code&) {});
  } else {
    error_code error;
    socket_.shutdown(tcp::socket::shutdown_send, error);
  }
  loop_.retire(*this);
  queue_->close();
  session_->detach();
  read();
}

void Connection::close() {
  if (state_ == State::Closed) return;
  const auto self = shared_from_this();
  state_ = State::Closed;
  error_code error;
  timer_.cancel();
  socket_.close(error);
  loop_.remove(*this);
  if (queue_) queue_->close();
  if (session_) session_->detach();
  for (Output::Part& part : std::exchange(out_.parts, {})) part.answer->close();
}

}  // namespace kubexx::httpd
// NOLINTEND(bugprone-unused-return-value)
