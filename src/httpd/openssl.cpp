#include "httpd/openssl.hpp"

namespace kubexx::httpd {

Result<void> openssl_ready() {
  if (OSSL_LIB_CTX_get0_global_default() == nullptr) return Error::config("OpenSSL cannot be initialized");
  ERR_clear_error();
  return {};
}

Error openssl_error(std::string_view context) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  std::string message(context);
  if (const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code)) message.append(": ").append(reason);
  return Error::config(std::move(message));
}

std::vector<CertificatePtr> read_certificates(const std::string& pem) {
  std::vector<CertificatePtr> certificates;
  const BioPtr in(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!in) return certificates;
  while (X509* certificate = PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr))
    certificates.emplace_back(certificate);
  if (!certificates.empty()) ERR_clear_error();
  return certificates;
}

KeyPtr read_key(const std::string& pem) {
  const BioPtr in(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const auto no_password = [](char*, int, int, void*) { return 0; };  // never asks on the terminal
  return KeyPtr(!in ? nullptr : PEM_read_bio_PrivateKey(in.get(), nullptr, no_password, nullptr));
}

}  // namespace kubexx::httpd
