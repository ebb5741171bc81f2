#include "httpd/tls.hpp"

#include <openssl/x509v3.h>

#include <string_view>

#include "httpd/openssl.hpp"

namespace kubexx::httpd {
namespace {

constexpr std::string_view kOfferHttp2 = "\x02h2\x08http/1.1";
constexpr std::string_view kOfferHttp1 = "\x08http/1.1";

Result<void> use_certificate(SSL_CTX* context, const std::string& pem) {
  const auto chain = read_certificates(pem);
  if (chain.empty()) return openssl_error("server certificate");
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1) return openssl_error("server certificate");
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1) return openssl_error("server certificate chain");
  }
  return {};
}

Result<void> use_key(SSL_CTX* context, const std::string& pem) {
  const KeyPtr key = read_key(pem);
  if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1) return openssl_error("server key");
  if (SSL_CTX_check_private_key(context) != 1) return openssl_error("server key does not belong to the certificate");
  return {};
}

Result<void> ask_for_client_certificates(SSL_CTX* context, const std::string& pem) {
  const auto authorities = read_certificates(pem);
  if (authorities.empty()) return openssl_error("client CA");
  for (const CertificatePtr& authority : authorities) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1 ||
        SSL_CTX_add_client_CA(context, authority.get()) != 1) {
      return openssl_error("client CA");
    }
  }
  // A bad certificate does not end the handshake: the server above answers 401, which a client can read.
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });
  return {};
}

int select_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in, unsigned in_size,
                    void* argument) {
  const std::string_view offer = static_cast<const ServerOptions*>(argument)->http2 ? kOfferHttp2 : kOfferHttp1;
  unsigned char* selected = nullptr;
  if (SSL_select_next_proto(&selected, out_size, reinterpret_cast<const unsigned char*>(offer.data()),
                            static_cast<unsigned>(offer.size()), in, in_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = selected;
  return SSL_TLSEXT_ERR_OK;
}

std::string name_entry(const X509_NAME_ENTRY* entry) {
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
  if (size < 0) return {};
  std::string value(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return value;
}

}  // namespace

Result<SslContext> make_server_tls(const ServerOptions& options) {
  if (auto ready = openssl_ready(); !ready) return ready.error();
  SslContext context(SSL_CTX_new(TLS_server_method()));
  if (!context) return openssl_error("TLS");
  SSL_CTX* raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  // No resumption: every connection shows its certificate, and none outlives its expiry that way.
  SSL_CTX_set_options(
      raw, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(raw, 0);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
  // What RFC 9113 allows under TLS 1.2; TLS 1.3 has its own list.
  if (SSL_CTX_set_cipher_list(raw, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) return openssl_error("TLS ciphers");
  if (auto done = use_certificate(raw, options.certificate); !done) return done.error();
  if (auto done = use_key(raw, options.key); !done) return done.error();
  if (!options.client_ca.empty()) {
    if (auto done = ask_for_client_certificates(raw, options.client_ca); !done) return done.error();
  }
  SSL_CTX_set_alpn_select_cb(raw, select_protocol, const_cast<ServerOptions*>(&options));
  return context;
}

PeerIdentity peer_identity(const SSL* connection) {
  PeerIdentity identity;
  const CertificatePtr certificate(SSL_get1_peer_certificate(connection));
  if (!certificate) return identity;
  if (const long result = SSL_get_verify_result(connection); result != X509_V_OK) {
    identity.error = X509_verify_cert_error_string(result);
    return identity;
  }
  const X509_NAME* subject = X509_get_subject_name(certificate.get());
  for (int i = 0; i < X509_NAME_entry_count(subject); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(subject, i);
    const int nid = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    if (nid == NID_commonName) identity.common_name = name_entry(entry);
    if (nid == NID_organizationName) identity.organizations.push_back(name_entry(entry));
  }
  return identity;
}

bool negotiated_http2(const SSL* connection) {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(connection, &name, &size);
  return std::string_view(reinterpret_cast<const char*>(name), size) == "h2";
}

}  // namespace kubexx::httpd
