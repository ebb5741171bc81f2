#pragma once

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/error.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::httpd {

template <auto Free>
struct OpensslDeleter {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};
using CertificatePtr = std::unique_ptr<X509, OpensslDeleter<&X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpensslDeleter<&EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, OpensslDeleter<&BIO_vfree>>;

/// Empties OpenSSL's queue of errors. An error when the library could not be initialized for want of memory: it does
/// not try that again, and most of its functions would crash.
Result<void> openssl_ready();

/// A Config error with OpenSSL's reason, whose queue of errors is emptied.
Error openssl_error(std::string_view context);

std::vector<CertificatePtr> read_certificates(const std::string& pem);  ///< those before the first unreadable one
KeyPtr read_key(const std::string& pem);                                ///< null: unreadable, or encrypted

}  // namespace kubexx::httpd
