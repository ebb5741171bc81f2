#include "unit/httpd/raw_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace kubexx::httpd {

struct RawClient::Tls {
  SSL_CTX* context = nullptr;
  SSL* connection = nullptr;
  ~Tls() {
    SSL_free(connection);
    SSL_CTX_free(context);
  }
};

namespace {

void use_identity(SSL_CTX* context, const KeyPair& identity) {
  BIO* in = BIO_new_mem_buf(identity.certificate.data(), static_cast<int>(identity.certificate.size()));
  X509* certificate = PEM_read_bio_X509(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  in = BIO_new_mem_buf(identity.key.data(), static_cast<int>(identity.key.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  SSL_CTX_use_certificate(context, certificate);
  SSL_CTX_use_PrivateKey(context, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

void trust(SSL_CTX* context, const std::string& pem) {
  BIO* in = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* authority = PEM_read_bio_X509(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
  X509_free(authority);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
}

}  // namespace

RawClient::RawClient(std::uint16_t port, const ClientTls* tls, int receive_buffer) {
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{30, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const int yes = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (receive_buffer > 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    error_ = errno;
    close();
    return;
  }
  if (tls == nullptr) return;
  tls_ = std::make_unique<Tls>();
  tls_->context = SSL_CTX_new(TLS_client_method());
  if (!tls->ca.empty()) trust(tls_->context, tls->ca);
  if (!tls->identity.certificate.empty()) use_identity(tls_->context, tls->identity);
  if (tls->max_version != 0) SSL_CTX_set_max_proto_version(tls_->context, tls->max_version);
  SSL_CTX_set_min_proto_version(tls_->context, TLS1_VERSION);
  tls_->connection = SSL_new(tls_->context);
  if (!tls->protocols.empty()) {
    const std::string offer = static_cast<char>(tls->protocols.size()) + tls->protocols;
    SSL_set_alpn_protos(tls_->connection, reinterpret_cast<const unsigned char*>(offer.data()),
                        static_cast<unsigned>(offer.size()));
  }
  SSL_set1_host(tls_->connection, "localhost");
  SSL_set_fd(tls_->connection, fd_);
  if (SSL_connect(tls_->connection) != 1) {
    ERR_clear_error();
    error_ = EPROTO;
    close();
  }
}

RawClient::~RawClient() {
  close();
}

void RawClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::string RawClient::negotiated() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(tls_->connection, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

bool RawClient::ended_by_notice() const {
  return (SSL_get_shutdown(tls_->connection) & SSL_RECEIVED_SHUTDOWN) != 0;
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = tls_ ? SSL_write(tls_->connection, bytes.data(), static_cast<int>(bytes.size()))
                              : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string RawClient::receive(std::size_t most) {
  std::string bytes(most, '\0');
  const ssize_t size =
      tls_ ? SSL_read(tls_->connection, bytes.data(), static_cast<int>(most)) : ::recv(fd_, bytes.data(), most, 0);
  if (size < 0 && errno == ECONNRESET) reset_ = true;
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) timed_out_ = true;
  if (tls_) ERR_clear_error();
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return bytes;
}

bool RawClient::silent_for(int milliseconds) {
  if (tls_ && SSL_pending(tls_->connection) > 0) return false;
  pollfd waiting{fd_, POLLIN, 0};
  return ::poll(&waiting, 1, milliseconds) == 0;
}

bool RawClient::fill() {
  const std::string bytes = receive();
  buffer_ += bytes;
  return !bytes.empty();
}

bool RawClient::fill_until(std::string_view mark) {
  while (buffer_.find(mark) == std::string::npos) {
    if (!fill()) return false;
  }
  return true;
}

std::string RawClient::rest() {
  while (fill()) {
  }
  return std::exchange(buffer_, {});
}

RawClient::Reply RawClient::reply_head() {
  Reply reply;
  if (!fill_until("\r\n\r\n")) return reply;
  const std::size_t end = buffer_.find("\r\n\r\n");
  std::string head = buffer_.substr(0, end + 2);
  buffer_.erase(0, end + 4);
  reply.status = std::atoi(head.c_str() + std::string_view("HTTP/1.1 ").size());
  std::size_t line = head.find("\r\n") + 2;
  while (line < head.size()) {
    const std::size_t stop = head.find("\r\n", line);
    const std::size_t colon = head.find(": ", line);
    std::string name = head.substr(line, colon - line);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    reply.headers[name] = head.substr(colon + 2, stop - colon - 2);
    line = stop + 2;
  }
  return reply;
}

RawClient::Reply RawClient::reply(bool head) {
  Reply reply = reply_head();
  if (reply.status == 0) return reply;
  if (head || reply.status == 204 || reply.status == 304 || reply.status / 100 == 1) {
    reply.complete = true;
  } else if (const auto length = reply.headers.find("content-length"); length != reply.headers.end()) {
    const std::size_t size = std::stoul(length->second);
    while (buffer_.size() < size && fill()) {
    }
    reply.complete = buffer_.size() >= size;
    reply.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
  } else if (reply.headers.contains("transfer-encoding")) {
    while (fill_until("\r\n")) {
      const std::size_t line = buffer_.find("\r\n");
      const std::size_t size = std::stoul(buffer_.substr(0, line), nullptr, 16);
      while (buffer_.size() < line + 2 + size + 2 && fill()) {
      }
      if (buffer_.size() < line + 2 + size + 2) break;
      reply.body += buffer_.substr(line + 2, size);
      buffer_.erase(0, line + 2 + size + 2);
      reply.complete = size == 0;
      if (reply.complete) break;
    }
  } else {
    reply.body = rest();
    reply.complete = !reset_;
  }
  return reply;
}

}  // namespace kubexx::httpd
