#include "unit/transport/support/socket_server.hpp"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <stdexcept>

namespace kubexx::transport::test {

Listener::Listener(const std::string& unix_path, int backlog) : path_(unix_path) {
  signal(SIGPIPE, SIG_IGN);  // the servers here write to peers that left; the client must not need this
  fd_ = socket(path_.empty() ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (!path_.empty()) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path_.c_str(), sizeof name.sun_path - 1);
    if (bind(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) throw std::runtime_error("bind");
  } else {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) throw std::runtime_error("bind");
    socklen_t size = sizeof name;
    getsockname(fd_, reinterpret_cast<sockaddr*>(&name), &size);
    port_ = ntohs(name.sin_port);
  }
  if (listen(fd_, backlog) != 0) throw std::runtime_error("listen");
}

Listener::~Listener() {
  close(fd_);
  if (!path_.empty()) unlink(path_.c_str());
}

int Listener::accept() const {
  return accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
}
void Listener::shut_down() {
  shutdown(fd_, SHUT_RDWR);
}

Peer::~Peer() {
  if (ssl_) {
    SSL_shutdown(ssl_);
    SSL_free(ssl_);
  }
  close(fd_);
}

bool Peer::secure(ssl_ctx_st* context) {
  ssl_ = SSL_new(context);
  SSL_set_fd(ssl_, fd_);
  return SSL_accept(ssl_) == 1;
}

bool Peer::http2() const {
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  if (ssl_) SSL_get0_alpn_selected(ssl_, &protocol, &size);
  return size == 2 && std::memcmp(protocol, "h2", 2) == 0;
}

std::string Peer::client_name() const {
  X509* certificate = ssl_ ? SSL_get1_peer_certificate(ssl_) : nullptr;
  if (!certificate) return {};
  char name[128] = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
  X509_free(certificate);
  return name;
}

ssize_t Peer::read(char* buffer, std::size_t size) {
  if (ssl_) {
    int count = SSL_read(ssl_, buffer, static_cast<int>(size));
    return count > 0 ? count : (SSL_get_error(ssl_, count) == SSL_ERROR_ZERO_RETURN ? 0 : -1);
  }
  return recv(fd_, buffer, size, 0);
}

bool Peer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ssl_ ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                         : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool Peer::readable(int milliseconds) {
  if (ssl_ && SSL_pending(ssl_) > 0) return true;
  pollfd waiting{fd_, POLLIN, 0};
  return poll(&waiting, 1, milliseconds) > 0;
}

std::string Peer::read_request() {
  std::string text;
  char c = 0;
  while (text.size() < 1 << 20 && read(&c, 1) == 1) {
    text += c;
    if (text.size() >= 4 && text.compare(text.size() - 4, 4, "\r\n\r\n") == 0) return text;
  }
  return {};
}

void Peer::reset() {
  linger at_once{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  if (ssl_) SSL_set_quiet_shutdown(ssl_, 1);
}

namespace {

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size,
                    void* context) {
  const auto* wanted = static_cast<const std::string*>(context);
  unsigned char* chosen = nullptr;
  int found = SSL_select_next_proto(&chosen, out_size, reinterpret_cast<const unsigned char*>(wanted->data()),
                                    static_cast<unsigned>(wanted->size()), in, in_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

ssl_ctx_st* make_server_context(const ServerTls& tls) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  BIO* bio = BIO_new_mem_buf(tls.identity.certificate.data(), static_cast<int>(tls.identity.certificate.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  bio = BIO_new_mem_buf(tls.identity.key.data(), static_cast<int>(tls.identity.key.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  if (tls.newest != 0) {  // also what this machine's settings forbid
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, tls.newest);
  }
  SSL_CTX_use_certificate(context, certificate);
  SSL_CTX_use_PrivateKey(context, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  if (!tls.client_ca.empty()) {
    bio = BIO_new_mem_buf(tls.client_ca.data(), static_cast<int>(tls.client_ca.size()));
    X509* authority = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
    X509_free(authority);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  if (!tls.protocols.empty()) {
    auto* list = new std::string;
    for (std::size_t at = 0; at <= tls.protocols.size();) {
      std::size_t end = std::min(tls.protocols.find(',', at), tls.protocols.size());
      *list += static_cast<char>(end - at);
      list->append(tls.protocols, at, end - at);
      at = end + 1;
    }
    SSL_CTX_set_ex_data(context, 0, list);
    SSL_CTX_set_alpn_select_cb(context, &choose_protocol, list);
  }
  return context;
}

void free_server_context(ssl_ctx_st* context) {
  if (!context) return;
  delete static_cast<std::string*>(SSL_CTX_get_ex_data(context, 0));
  SSL_CTX_free(context);
}

SocketServer::SocketServer(Handler handler, std::optional<ServerTls> tls, const std::string& unix_path)
    : handler_(std::move(handler)), listener_(unix_path), context_(tls ? make_server_context(*tls) : nullptr) {
  acceptor_ = std::jthread([this] { accept_all(); });
}

SocketServer::~SocketServer() {
  listener_.shut_down();
  acceptor_.join();
  std::list<std::jthread> threads;
  {
    std::lock_guard lock(mutex_);
    for (int fd : fds_) shutdown(fd, SHUT_RDWR);
    threads.swap(threads_);
  }
  threads.clear();
  free_server_context(context_);
}

void SocketServer::accept_all() {
  for (int fd = listener_.accept(); fd >= 0; fd = listener_.accept()) {
    ++accepted_;
    std::lock_guard lock(mutex_);
    fds_.push_back(fd);
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void SocketServer::serve(int fd) {
  ++open_;
  Peer peer(fd);
  if (!context_ || peer.secure(context_)) handler_(peer);
  --open_;
  std::lock_guard lock(mutex_);
  fds_.remove(fd);
}

}  // namespace kubexx::transport::test
