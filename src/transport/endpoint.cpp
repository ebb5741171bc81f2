#include "transport/endpoint.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/internal/text.hpp"
#include "transport/proxy.hpp"

namespace kubexx::transport {
namespace {

constexpr long kKeepaliveSeconds = 30;  // of Go's dialer
constexpr unsigned kUserTimeoutMilliseconds = 60'000;

int prepare_socket(void*, curl_socket_t fd, curlsocktype) {
  fcntl(fd, F_SETFD, FD_CLOEXEC);  // a program that the user starts does not keep our connections open
  // Unacknowledged data of a host that vanished; keepalive alone only covers silence. Fails on unix sockets, rightly.
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMilliseconds, sizeof kUserTimeoutMilliseconds);
  return CURL_SOCKOPT_OK;
}

long milliseconds(Duration duration) {
  auto count = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<long>(std::clamp<std::int64_t>(count, 1, 24 * 3600 * 1000));
}

curl_blob blob(const std::string& text) {
  return curl_blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

}  // namespace

EndpointTransfer::EndpointTransfer(CurlMulti& multi, Endpoint endpoint, const std::string& path)
    : CurlTransfer(multi), endpoint_(std::move(endpoint)) {
  const Target& target = endpoint_.target;
  const std::string& name = endpoint_.options->tls.server_name;
  // A server name of its own is what the URL says (so it is sent and verified); connect_to leads to the real host.
  Target shown = target;
  if (target.tls() && !name.empty()) {
    shown.host = name;
    add(connect_to_, "::" + target.address());
    set(CURLOPT_CONNECT_TO, connect_to_);
  }
  set(CURLOPT_URL, (shown.origin() + path).c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(endpoint_.options->connect_timeout));
  set(CURLOPT_TCP_NODELAY, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, kKeepaliveSeconds);
  set(CURLOPT_TCP_KEEPINTVL, kKeepaliveSeconds);
  set(CURLOPT_SOCKOPTFUNCTION, &prepare_socket);
  set_tls();
  set_route();
}

void EndpointTransfer::set_tls() {
  const TlsMaterial& tls = *endpoint_.tls;
  const long verify = endpoint_.options->tls.insecure_skip_verify ? 0L : 1L;
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_SSL_VERIFYPEER, verify);
  set(CURLOPT_SSL_VERIFYHOST, verify * 2L);
  set(CURLOPT_PROXY_SSL_VERIFYPEER, verify);
  set(CURLOPT_PROXY_SSL_VERIFYHOST, verify * 2L);
  set(CURLOPT_PROXY_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_SSL_SESSIONID_CACHE, 0L);  // a resumed session would carry a replaced client certificate
  set(CURLOPT_CA_CACHE_TIMEOUT, 0L);     // a changed authority is seen by the next connection
  set(CURLOPT_CAINFO, static_cast<const char*>(nullptr));
  set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  set(CURLOPT_PROXY_CAINFO, static_cast<const char*>(nullptr));
  set(CURLOPT_PROXY_CAPATH, static_cast<const char*>(nullptr));
  set(CURLOPT_SSL_CTX_FUNCTION, &EndpointTransfer::on_tls_context);
  set(CURLOPT_SSL_CTX_DATA, this);
  if (!tls.ca.empty()) {
    curl_blob ca = blob(tls.ca);
    set(CURLOPT_CAINFO_BLOB, &ca);
    set(CURLOPT_PROXY_CAINFO_BLOB, &ca);
  }
  if (!tls.certificate.empty()) {
    curl_blob certificate = blob(tls.certificate);
    curl_blob key = blob(tls.key);
    set(CURLOPT_SSLCERT_BLOB, &certificate);
    set(CURLOPT_SSLCERTTYPE, "PEM");
    set(CURLOPT_SSLKEY_BLOB, &key);
    set(CURLOPT_SSLKEYTYPE, "PEM");
  }
}

CURLcode EndpointTransfer::on_tls_context(CURL*, void* context, void* data) {
  auto* self = static_cast<EndpointTransfer*>(data);
  auto* tls = static_cast<SSL_CTX*>(context);
  // libcurl would parse the system's bundle for each connection, on this thread.
  if (self->endpoint_.tls->ca.empty() && !self->endpoint_.options->tls.insecure_skip_verify)
    SSL_CTX_set1_cert_store(tls, system_roots());
  // An https proxy comes first.
  bool to_proxy = self->endpoint_.proxy.rfind("https://", 0) == 0 && !std::exchange(self->proxy_prepared_, true);
  if (!to_proxy) self->prepare_tls(*tls);
  return CURLE_OK;
}

void EndpointTransfer::set_route() {
  set(CURLOPT_NOPROXY, "");  // decided already; keeps libcurl from asking the environment
  set(CURLOPT_PROXY, endpoint_.proxy.c_str());
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
  if (endpoint_.target.tls()) set(CURLOPT_HTTPPROXYTUNNEL, 1L);
  if (!endpoint_.options->unix_socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, endpoint_.options->unix_socket.c_str());
}

Error EndpointTransfer::error_of(CURLcode code) const {
  const std::string& socket = endpoint_.options->unix_socket;
  std::string address = socket.empty() ? endpoint_.target.address() : socket;
  std::string connect = "connect " + address;
  if (!endpoint_.proxy.empty()) connect += " through proxy " + proxy_address(endpoint_.proxy);
  long os_error = 0;
  long proxy_answer = 0;
  curl_easy_getinfo(easy(), CURLINFO_OS_ERRNO, &os_error);
  curl_easy_getinfo(easy(), CURLINFO_HTTP_CONNECTCODE, &proxy_answer);
  auto cause = [&](std::string_view otherwise) {
    return os_error ? std::generic_category().message(static_cast<int>(os_error)) : std::string(otherwise);
  };
  if (!endpoint_.proxy.empty() && proxy_answer >= 300)
    return Error::transport(TransportFailure::Proxy, connect + ": the proxy answered " + std::to_string(proxy_answer));
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return Error::transport(TransportFailure::Resolve, connect + ": no such host");
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Error::transport(TransportFailure::Resolve, connect + ": no such proxy host");
    case CURLE_COULDNT_CONNECT:
      if (os_error == ECONNREFUSED) return Error::transport(TransportFailure::Refused, connect + ": refused");
      return Error::transport(TransportFailure::Other, connect + ": " + cause("failed"));
    case CURLE_OPERATION_TIMEDOUT:
      return Error::timeout(connect + ": timed out");
    case CURLE_PROXY:
      return Error::transport(TransportFailure::Proxy, connect + ": the proxy refused");
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CLIENTCERT:
      return Error::transport(TransportFailure::Tls,
                              "TLS with " + address + ": " + (*error_text() ? error_text() : curl_easy_strerror(code)));
    case CURLE_GOT_NOTHING:
      return Error::transport(TransportFailure::Eof, address + ": closed without an answer");
    case CURLE_PARTIAL_FILE:
      return Error::transport(TransportFailure::Eof, address + ": closed in the middle of the answer");
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      return Error::transport(TransportFailure::Reset, address + ": " + cause("connection reset"));
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_CONTENT_ENCODING:
      return Error::decode(address + ": the answer is not HTTP" + (*error_text() ? ": " : "") + error_text());
    default:
      return Error::transport(TransportFailure::Other, address + ": " + curl_easy_strerror(code));
  }
}

}  // namespace kubexx::transport
