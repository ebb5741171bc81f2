#include "transport/tls_material.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <sys/stat.h>

#include "base/internal/file.hpp"
#include "base/internal/wipe.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::transport {
namespace {

// Read again on the I/O thread when it changed: a pipe that has nothing to say is not waited for.
constexpr FileLimits kPemFile{.bytes = 16 << 20, .patience = {}};

struct Free {
  void operator()(BIO* p) const noexcept { BIO_free(p); }
  void operator()(X509* p) const noexcept { X509_free(p); }
  void operator()(X509_STORE* p) const noexcept { X509_STORE_free(p); }
  void operator()(EVP_PKEY* p) const noexcept { EVP_PKEY_free(p); }
};
using Bio = std::unique_ptr<BIO, Free>;

// Refuses a passphrase instead of asking for it on the terminal.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

Bio memory(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::unique_ptr<X509, Free> first_certificate(const std::string& pem) {
  Bio bio = memory(pem);
  return std::unique_ptr<X509, Free>(bio ? PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr) : nullptr);
}

Result<void> check_ca(const std::string& pem) {
  bool usable = pem.empty() || first_certificate(pem);
  ERR_clear_error();
  if (!usable) return Error::config("the certificate authority holds no PEM certificate");
  return {};
}

Result<std::string> text_or_file(const std::string& text, const std::string& path) {
  if (!text.empty() || path.empty()) return text;
  auto content = read_file(path, kPemFile);
  if (content && content->empty()) return Error::config(path + ": is empty");
  return content;
}

}  // namespace

TlsOptions::~TlsOptions() {
  wipe(key_data);
}

TlsMaterial::~TlsMaterial() {
  wipe(key);
}

Result<void> check_client_certificate(const std::string& certificate_pem, const std::string& key_pem) {
  if (certificate_pem.empty() && key_pem.empty()) return {};
  if (certificate_pem.empty() || key_pem.empty())
    return Error::config("a client certificate needs both the certificate and its key");
  auto certificate = first_certificate(certificate_pem);
  Bio bio = memory(key_pem);
  std::unique_ptr<EVP_PKEY, Free> key(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr)
                                          : nullptr);
  bool matches = certificate && key && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!certificate) return Error::config("the client certificate holds no PEM certificate");
  if (!key) return Error::config("the client key is not an unencrypted PEM key");
  if (!matches) return Error::config("the client certificate and the key do not belong together");
  return {};
}

x509_store_st* system_roots() {
  static const std::unique_ptr<X509_STORE, Free> roots = [] {
    std::unique_ptr<X509_STORE, Free> store(X509_STORE_new());
    if (store) X509_STORE_set_default_paths(store.get());
    ERR_clear_error();
    return store;
  }();
  return roots.get();
}

TlsSource::Signature TlsSource::sign(const std::string& path) {
  struct stat info{};
  if (path.empty() || stat(path.c_str(), &info) != 0) return {};
  return {info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ino, info.st_size};
}

Result<TlsSource> TlsSource::create(const TlsOptions& options) {
  if (options.insecure_skip_verify && (!options.ca_data.empty() || !options.ca_file.empty()))
    return Error::config(
        "TLS: a certificate authority is given and insecure_skip_verify would ignore it: give one of both");
  TlsSource source;
  source.options_ = options;
  source.signatures_ = {sign(options.ca_file), sign(options.certificate_file), sign(options.key_file)};
  auto material = source.read();
  if (!material) return material.error().with_context("TLS");
  source.current_ = *material;
  if (source.current_->ca.empty() && !options.insecure_skip_verify) system_roots();  // here, not on the I/O thread
  return source;
}

Result<std::shared_ptr<const TlsMaterial>> TlsSource::read() const {
  auto ca = text_or_file(options_.ca_data, options_.ca_file);
  if (!ca) return ca.error();
  auto certificate = text_or_file(options_.certificate_data, options_.certificate_file);
  if (!certificate) return certificate.error();
  auto key = text_or_file(options_.key_data, options_.key_file);
  if (!key) return key.error();
  const WipedInTheEnd wiped(*key);
  if (auto checked = check_ca(*ca); !checked) return checked.error();
  if (auto checked = check_client_certificate(*certificate, *key); !checked) return checked.error();
  return std::make_shared<const TlsMaterial>(TlsMaterial{*ca, *certificate, *key});
}

const std::shared_ptr<const TlsMaterial>& TlsSource::current() {
  std::array<Signature, 3> signatures{sign(options_.ca_file), sign(options_.certificate_file), sign(options_.key_file)};
  if (signatures == signatures_) return current_;
  signatures_ = signatures;
  auto material = read();
  if (!material) {
    log(LogLevel::Warning, "TLS files changed and cannot be used, keeping the old ones",
        {{"error", material.error().message()}});
    return current_;
  }
  const TlsMaterial& fresh = **material;
  if (fresh.ca != current_->ca || fresh.certificate != current_->certificate || fresh.key != current_->key)
    current_ = *material;
  return current_;
}

void TlsSource::replace_client(std::string certificate, std::string key) {
  options_.certificate_file.clear();
  options_.key_file.clear();
  options_.certificate_data = certificate;
  wipe(options_.key_data);
  options_.key_data = key;
  signatures_[1] = signatures_[2] = Signature{};
  current_ = std::make_shared<const TlsMaterial>(TlsMaterial{current_->ca, std::move(certificate), std::move(key)});
}

}  // namespace kubexx::transport
