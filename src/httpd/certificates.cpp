#include "kubexx/httpd/certificates.hpp"

#include <openssl/asn1.h>
#include <openssl/ec.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <utility>

#include "httpd/openssl.hpp"

namespace kubexx::httpd {
namespace {

using NamesPtr = std::unique_ptr<GENERAL_NAMES, OpensslDeleter<&GENERAL_NAMES_free>>;
using NamePtr = std::unique_ptr<GENERAL_NAME, OpensslDeleter<&GENERAL_NAME_free>>;
using TextPtr = std::unique_ptr<ASN1_STRING, OpensslDeleter<&ASN1_STRING_free>>;
using NumberPtr = std::unique_ptr<BIGNUM, OpensslDeleter<&BN_free>>;

constexpr std::size_t kMaxNameLength = 64;  // what X.520 grants a common or organization name

bool add_name(X509_NAME* name, int nid, const std::string& value) {
  return X509_NAME_add_entry_by_NID(name, nid, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_nconf_nid(nullptr, &context, nid, value);
  if (extension == nullptr) return false;
  const bool added = X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool add_general_name(GENERAL_NAMES* names, int type, TextPtr value) {
  NamePtr name(GENERAL_NAME_new());
  if (!name) return false;
  GENERAL_NAME_set0_value(name.get(), type, value.release());
  if (sk_GENERAL_NAME_push(names, name.get()) <= 0) return false;
  [[maybe_unused]] const GENERAL_NAME* theirs_now = name.release();
  return true;
}

Result<void> add_alternative_names(X509* certificate, const CertificateRequest& request) {
  if (request.dns_names.empty() && request.ip_addresses.empty()) return {};
  const NamesPtr names(GENERAL_NAMES_new());
  if (!names) return openssl_error("alternative names");
  for (const std::string& dns : request.dns_names) {
    if (dns.empty() || dns.find('\0') != std::string::npos) return Error::config("not a DNS name: \"" + dns + "\"");
    TextPtr text(ASN1_IA5STRING_new());
    if (!text || ASN1_STRING_set(text.get(), dns.data(), static_cast<int>(dns.size())) != 1 ||
        !add_general_name(names.get(), GEN_DNS, std::move(text))) {
      return openssl_error("DNS name " + dns);
    }
  }
  for (const std::string& address : request.ip_addresses) {
    TextPtr bytes(a2i_IPADDRESS(address.c_str()));
    if (!bytes) {
      ERR_clear_error();
      return Error::config("not an IP address: \"" + address + "\"");
    }
    if (!add_general_name(names.get(), GEN_IPADD, std::move(bytes))) return openssl_error("IP address " + address);
  }
  if (X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT) != 1) {
    return openssl_error("alternative names");
  }
  return {};
}

bool set_serial(X509* certificate) {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7f) | 0x01);  // positive and never short
  const NumberPtr number(BN_bin2bn(bytes, sizeof bytes, nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_times(X509* certificate, WallTime from, WallTime until) {
  const auto seconds = [](WallTime time) {
    return static_cast<std::time_t>(std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count());
  };
  return ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(from)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(until)) != nullptr;
}

// Everything but the signature and what differs between authority and leaf.
Result<CertificatePtr> draft(const CertificateRequest& request, EVP_PKEY* key, WallTime now) {
  if (request.common_name.size() > kMaxNameLength) return Error::config("a common name has at most 64 bytes");
  CertificatePtr certificate(X509_new());
  if (!certificate) return openssl_error("certificate");
  X509* raw = certificate.get();
  const WallTime from = now + request.valid_from;
  X509_NAME* subject = X509_get_subject_name(raw);
  bool good = X509_set_version(raw, X509_VERSION_3) == 1 && set_serial(raw) &&
              set_times(raw, from, from + request.valid_for) && X509_set_pubkey(raw, key) == 1;
  for (const std::string& organization : request.organizations) {
    good = good && add_name(subject, NID_organizationName, organization);
  }
  if (!request.common_name.empty()) good = good && add_name(subject, NID_commonName, request.common_name);
  if (!good) return openssl_error("certificate for " + request.common_name);
  return certificate;
}

Result<std::string> written(BIO* out, int done) {
  char* data = nullptr;
  const long size = done == 1 ? BIO_get_mem_data(out, &data) : 0;
  if (size <= 0) return openssl_error("PEM");
  return std::string(data, static_cast<std::size_t>(size));
}

Result<std::string> pem(X509* certificate) {
  const BioPtr out(BIO_new(BIO_s_mem()));
  return written(out.get(), out ? PEM_write_bio_X509(out.get(), certificate) : 0);
}

Result<std::string> pem(EVP_PKEY* key) {
  const BioPtr out(BIO_new(BIO_s_mem()));
  return written(out.get(), out ? PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) : 0);
}

}  // namespace

struct KUBEXX_HIDDEN CertificateAuthority::Impl {
  KeyPtr key;
  CertificatePtr certificate;
  std::string text;
  const Clock* clock;
};

CertificateAuthority::CertificateAuthority(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<CertificateAuthority> CertificateAuthority::create(std::string common_name, Duration validity,
                                                          const Clock& clock) {
  if (auto ready = openssl_ready(); !ready) return ready.error();
  KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return openssl_error("key of the authority");
  CertificateRequest request;
  request.common_name = std::move(common_name);
  request.valid_for = validity;
  auto certificate = draft(request, key.get(), clock.wall());
  if (!certificate) return certificate.error();
  X509* raw = certificate->get();
  if (X509_set_issuer_name(raw, X509_get_subject_name(raw)) != 1 ||
      !add_extension(raw, raw, NID_basic_constraints, "critical,CA:TRUE") ||
      !add_extension(raw, raw, NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign") ||
      !add_extension(raw, raw, NID_subject_key_identifier, "hash") || X509_sign(raw, key.get(), EVP_sha256()) == 0) {
    return openssl_error("certificate of the authority");
  }
  auto text = pem(raw);
  if (!text) return text.error();
  return CertificateAuthority(
      std::make_shared<const Impl>(Impl{std::move(key), std::move(*certificate), std::move(*text), &clock}));
}

Result<KeyPair> CertificateAuthority::issue(const CertificateRequest& request) const {
  ERR_clear_error();
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return openssl_error("key for " + request.common_name);
  auto certificate = draft(request, key.get(), impl_->clock->wall());
  if (!certificate) return certificate.error();
  X509* raw = certificate->get();
  X509* issuer = impl_->certificate.get();
  std::string usage = request.server ? "serverAuth" : "";
  if (request.client) usage += usage.empty() ? "clientAuth" : ",clientAuth";
  bool good = X509_set_issuer_name(raw, X509_get_subject_name(issuer)) == 1 &&
              add_extension(raw, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
              add_extension(raw, issuer, NID_key_usage, "critical,digitalSignature") &&
              add_extension(raw, issuer, NID_subject_key_identifier, "hash") &&
              add_extension(raw, issuer, NID_authority_key_identifier, "keyid");
  if (!usage.empty()) good = good && add_extension(raw, issuer, NID_ext_key_usage, usage.c_str());
  if (!good) return openssl_error("certificate for " + request.common_name);
  if (auto named = add_alternative_names(raw, request); !named) return named.error();
  if (X509_sign(raw, impl_->key.get(), EVP_sha256()) == 0) return openssl_error("sign " + request.common_name);
  auto certificate_text = pem(raw);
  if (!certificate_text) return certificate_text.error();
  auto key_text = pem(key.get());
  if (!key_text) return key_text.error();
  return KeyPair{std::move(*certificate_text), std::move(*key_text)};
}

const std::string& CertificateAuthority::certificate_pem() const noexcept {
  return impl_->text;
}

}  // namespace kubexx::httpd
