#include "transport/dial.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>

namespace kubexx::transport {
namespace {

constexpr long kTunnelBuffer = 256 * 1024;

/// libcurl 7 says "again" also when OpenSSL has failed for good, as it does for want of memory, and would do so for
/// ever. The error is in OpenSSL's queue then, which `action` finds empty.
template <class Action>
CURLcode told_apart(CURLcode failed, Action action) {
  ERR_clear_error();
  const CURLcode code = action();
  if (code != CURLE_AGAIN || ERR_peek_error() == 0) return code;
  ERR_clear_error();
  return failed;
}

}  // namespace

void Dial::prepare_tls(ssl_ctx_st& tls) {
  // libcurl would speak HTTP/2 itself if it had offered it.
  static constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";
  SSL_CTX_set_alpn_protos(&tls, kProtocols, sizeof kProtocols - 1);
  // Fewer system calls for large bodies: OpenSSL otherwise asks the socket for each record's header and body.
  SSL_CTX_set_read_ahead(&tls, 1);
  SSL_CTX_set_default_read_buffer_len(&tls, 64 * 1024);
  // libcurl has each buffer given back as soon as it is empty, which is after every read here.
  SSL_CTX_clear_mode(&tls, SSL_MODE_RELEASE_BUFFERS);
}

Dial::Dial(CurlMulti& multi, Endpoint endpoint, Done done)
    : EndpointTransfer(multi, std::move(endpoint), "/"), done_(std::move(done)) {
  set(CURLOPT_CONNECT_ONLY, 1L);
  set(CURLOPT_SSL_ENABLE_ALPN, 0L);
  set(CURLOPT_BUFFERSIZE, kTunnelBuffer);
  start();
}

void Dial::on_done(CURLcode code) {
  Done done = std::move(done_);  // it may destroy this object
  if (code != CURLE_OK) return done(*this, error_of(code));
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(easy(), CURLINFO_ACTIVESOCKET, &socket);
  socket_ = socket;
  learn_protocol();
  if (last_ != CURLE_OK) return done(*this, failure());
  done(*this, std::nullopt);
}

void Dial::learn_protocol() {
  // The handle finds its connection again in the first read; before that libcurl has no TLS session to show.
  char first[16 * 1024];
  std::size_t count = 0;
  last_ = told_apart(CURLE_RECV_ERROR, [&] { return curl_easy_recv(easy(), first, sizeof first, &count); });
  if (last_ == CURLE_AGAIN) last_ = CURLE_OK;
  early_.assign(first, count);
  curl_tlssessioninfo* session = nullptr;
  if (curl_easy_getinfo(easy(), CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session || !session->internals) return;
  tls_ = static_cast<SSL*>(session->internals);
  const unsigned char* protocol = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(tls_, &protocol, &length);
  http2_ = length == 2 && std::memcmp(protocol, "h2", 2) == 0;
}

Dial::Io Dial::read(char* buffer, std::size_t size, std::size_t& count) {
  if (!early_.empty()) {
    count = std::min(size, early_.size());
    std::memcpy(buffer, early_.data(), count);
    early_.erase(0, count);
    return Io::Done;
  }
  last_ = told_apart(CURLE_RECV_ERROR, [&] { return curl_easy_recv(easy(), buffer, size, &count); });
  if (last_ == CURLE_AGAIN) return Io::Again;
  if (last_ != CURLE_OK) return Io::Failed;
  return count == 0 ? Io::Closed : Io::Done;
}

bool Dial::may_have_more(std::size_t asked, std::size_t got) const noexcept {
  // Behind an https proxy there is a session below this one.
  if (!early_.empty() || endpoint().proxy.starts_with("https://")) return true;
  return tls_ ? SSL_has_pending(tls_) == 1 : got == asked;
}

Dial::Io Dial::write(const char* data, std::size_t size, std::size_t& count) {
  last_ = told_apart(CURLE_SEND_ERROR, [&] { return curl_easy_send(easy(), data, size, &count); });
  if (last_ == CURLE_AGAIN) return Io::Again;
  return last_ == CURLE_OK ? Io::Done : Io::Failed;
}

Error Dial::failure() const {
  if (last_ == CURLE_OK || last_ == CURLE_AGAIN || last_ == CURLE_UNSUPPORTED_PROTOCOL)
    return Error::transport(TransportFailure::Eof, endpoint().target.address() + ": connection closed by the peer");
  return error_of(last_);
}

}  // namespace kubexx::transport
