#include "transport/http1_transfer.hpp"

#include <charconv>

#include "base/internal/text.hpp"
#include "kubexx/base/error_sink.hpp"
#include "transport/limits.hpp"

namespace kubexx::transport {
namespace {

constexpr long kReceiveBuffer = 64 * 1024;
constexpr long kIdleSeconds = 90;
constexpr auto kCurlTooLarge = static_cast<CURLcode>(100);  // CURLE_TOO_LARGE, which libcurl 7 has no name for

}  // namespace

Http1Transfer::Http1Transfer(CurlMulti& multi, Endpoint endpoint, std::shared_ptr<Call> call, CallOwner& owner,
                             Http1Watchdog& watchdog)
    : EndpointTransfer(multi, std::move(endpoint), call->target.path),
      call_(std::move(call)),
      owner_(&owner),
      watchdog_(&watchdog),
      loop_(&multi.loop()),
      last_heard_(loop_->now()) {
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_HTTP09_ALLOWED, 0L);
  set(CURLOPT_HTTP_CONTENT_DECODING, 0L);
  set(CURLOPT_BUFFERSIZE, kReceiveBuffer);
  set(CURLOPT_MAXAGE_CONN, kIdleSeconds);
  set(CURLOPT_HEADERFUNCTION, &Http1Transfer::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &Http1Transfer::on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_PREREQFUNCTION, &Http1Transfer::before_request);
  set(CURLOPT_PREREQDATA, this);
  set_request();
  start();
  watchdog_->add(*this);
}

void Http1Transfer::set_request() {
  const Request& request = call_->request();
  if (request.method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (!request.body.empty() || request.method == "POST" || request.method == "PUT" ||
             request.method == "PATCH") {
    set(CURLOPT_POSTFIELDS, request.body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  } else {
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  for (const auto& [name, value] : request.headers.fields()) {
    if (equals_ignoring_case(name, "content-length") || equals_ignoring_case(name, "transfer-encoding")) continue;
    add(header_list_, value.empty() ? name + ";" : name + ": " + value);
  }
  // What libcurl would add on its own: the caller decides about these.
  if (!request.headers.find("accept")) add(header_list_, "Accept:");
  if (!request.headers.find("content-type")) add(header_list_, "Content-Type:");
  if (!request.headers.find("expect")) add(header_list_, "Expect:");
  if (!request.headers.find("host")) add(header_list_, "Host: " + call_->target.authority);
  if (call_->accepts_gzip) add(header_list_, "Accept-Encoding: gzip");
  set(CURLOPT_HTTPHEADER, header_list_);
}

/// The connection is there, nothing of the request has been sent.
int Http1Transfer::before_request(void* context, char*, char*, int, int) {
  auto* self = static_cast<Http1Transfer*>(context);
  const bool open = self->inside_libcurl([self] {
    self->connected_ = true;
    self->last_heard_ = self->loop_->now();
    if (const auto& gate = self->call_->request().gate) self->refused_ = gate->closed();
    return !self->refused_;
  });
  return open ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

std::size_t Http1Transfer::on_header(char* data, std::size_t size, std::size_t count, void* context) {
  auto* self = static_cast<Http1Transfer*>(context);
  return self->inside_libcurl([&] { return self->header_line({data, size * count}); }) ? size * count : 0;
}

/// No exception passes through libcurl: one ends the transfer, with an Error.
template <class Step>
bool Http1Transfer::inside_libcurl(Step step) noexcept {
  try {
    return step();
  } catch (...) {
    refused_ = current_exception_as_error();
    return false;
  }
}

bool Http1Transfer::header_line(std::string_view line) {
  last_heard_ = loop_->now();
  header_bytes_ += line.size();  // of trailers too: libcurl keeps every line it hands on
  if (header_bytes_ > kMaxHeaderBytes) {
    refused_ = header_too_large();
    return false;
  }
  if (call_->answered()) return true;  // trailers
  std::string_view text = trim(line);
  if (line.substr(0, 5) == "HTTP/") {
    auto space = text.find(' ');
    std::string_view code = space == std::string_view::npos ? std::string_view() : text.substr(space + 1, 3);
    status_ = 0;
    std::from_chars(code.data(), code.data() + code.size(), status_);
    headers_ = {};
  } else if (text.empty()) {
    if (status_ >= 200) {
      call_->headers(status_, std::move(headers_));
      if (call_->ended()) return false;
      watchdog_->answered(*this);
    }
    headers_ = {};
  } else if (auto colon = text.find(':'); colon != std::string_view::npos) {
    headers_.add(to_lower(text.substr(0, colon)), std::string(trim(text.substr(colon + 1))));
  }
  return true;
}

std::size_t Http1Transfer::on_body(char* data, std::size_t size, std::size_t count, void* context) {
  auto* self = static_cast<Http1Transfer*>(context);
  return self->inside_libcurl([&] { return self->body({data, size * count}); }) ? size * count : 0;
}

bool Http1Transfer::body(std::string_view bytes) {
  last_heard_ = loop_->now();
  if (!call_->answered()) {  // behind a 101 that nobody asked for
    refused_ = Error::decode(call_->target.address() + ": the answer is not HTTP: a body without a header");
    return false;
  }
  call_->data(bytes);
  call_->hand_over();
  if (call_->ended()) return false;
  if (call_->paused()) curl_easy_pause(easy(), CURLPAUSE_RECV);
  return true;
}

void Http1Transfer::resumed(Call& call, std::size_t) {
  if (call.ended()) {
    owner_->finished(call_, std::nullopt);
    owner_->retire(*this);
    return;
  }
  if (call.paused()) return;
  last_heard_ = loop_->now();  // its silence until now was ours
  curl_easy_pause(easy(), CURLPAUSE_CONT);
}

void Http1Transfer::give_up() {
  dead_ = true;
  const auto call = call_;
  CallOwner& owner = *owner_;
  owner.retire(*this);
  owner.finished(call, Error::transport(TransportFailure::Dead,
                                        call->target.address() + ": silent, and a probe was not answered"));
}

void Http1Transfer::on_done(CURLcode code) {
  std::optional<Error> error = std::move(refused_);
  if (!error && code != CURLE_OK) {
    try {
      error = failure(code);
    } catch (...) {  // there is no memory for its words
      error = current_exception_as_error();
    }
  }
  owner_->finished(call_, std::move(error));
  owner_->retire(*this);
}

Error Http1Transfer::header_too_large() const {
  return Error::transport(TransportFailure::TooLarge, call_->target.address() + ": header of the answer too large");
}

/// libcurl's results say "out of memory" and "connection reset" of answers that it does not like.
Error Http1Transfer::failure(CURLcode code) const {
  const std::string_view said = error_text();
  const auto says = [said](std::string_view words) { return said.find(words) != std::string_view::npos; };
  if (connected_) {
    // A line that is longer than the buffer for it: libcurl 7 and 8.
    if (code == CURLE_OUT_OF_MEMORY || code == kCurlTooLarge) return header_too_large();
    if (code == CURLE_RECV_ERROR && (says("response headers") || says("Out of memory"))) return header_too_large();
    if (code == CURLE_RECV_ERROR && says("chunk"))
      return Error::decode(call_->target.address() + ": the answer's chunks are not HTTP: " + std::string(said));
  }
  return error_of(code);
}

}  // namespace kubexx::transport
