#include "unit/transport/support/certificates.hpp"

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>

namespace kubexx::transport::test {
namespace {

struct Free {
  void operator()(X509* p) const { X509_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(BIO* p) const { BIO_free(p); }
};
using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

template <class Write>
std::string to_pem(Write&& write) {
  std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
  write(bio.get());
  char* data = nullptr;
  long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

void extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate make(const std::string& name, EVP_PKEY* key, long from, long to) {
  static std::atomic<long> serial{1};
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), from);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), to);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

}  // namespace

struct Authority::State {
  Key key{EVP_EC_gen("P-256")};
  Certificate certificate;
};

Authority::Authority(const std::string& name) : state_(std::make_unique<State>()) {
  state_->certificate = make(name, state_->key.get(), -3600, 3600);
  X509* own = state_->certificate.get();
  X509_set_issuer_name(own, X509_get_subject_name(own));
  extend(own, own, NID_basic_constraints, "critical,CA:TRUE");
  extend(own, own, NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(own, own, NID_subject_key_identifier, "hash");
  X509_sign(own, state_->key.get(), EVP_sha256());
  pem_ = to_pem([&](BIO* bio) { PEM_write_bio_X509(bio, own); });
}

Authority::~Authority() = default;

Identity Authority::issue(const std::vector<std::string>& names, bool expired) const {
  Key key(EVP_EC_gen("P-256"));
  Certificate certificate = make(names.front(), key.get(), -7200, expired ? -3600 : 3600);
  X509* issuer = state_->certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
  std::string alternatives;
  for (const auto& name : names) {
    unsigned char address[16];
    bool is_address = inet_pton(AF_INET, name.c_str(), address) == 1 || inet_pton(AF_INET6, name.c_str(), address) == 1;
    alternatives += (alternatives.empty() ? "" : ",") + std::string(is_address ? "IP:" : "DNS:") + name;
  }
  extend(certificate.get(), issuer, NID_subject_alt_name, alternatives);
  extend(certificate.get(), issuer, NID_ext_key_usage, "serverAuth,clientAuth");
  X509_sign(certificate.get(), state_->key.get(), EVP_sha256());
  Identity identity;
  identity.certificate = to_pem([&](BIO* bio) { PEM_write_bio_X509(bio, certificate.get()); });
  identity.key =
      to_pem([&](BIO* bio) { PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  return identity;
}

}  // namespace kubexx::transport::test
