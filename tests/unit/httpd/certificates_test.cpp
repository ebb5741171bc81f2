#include "kubexx/httpd/certificates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509v3.h>

#include <set>

#include "httpd/openssl.hpp"

namespace kubexx::httpd {
namespace {

using namespace std::chrono_literals;

std::string serial(X509* certificate) {
  BIGNUM* number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr);
  char* text = BN_bn2hex(number);
  std::string value = text;
  OPENSSL_free(text);
  BN_free(number);
  return value;
}

// 0 when the certificate is good for the purpose at that time, else OpenSSL's code.
int verify(const std::string& ca_pem, const std::string& pem, int purpose, WallTime at) {
  const auto ca = read_certificates(ca_pem);
  const auto leaf = read_certificates(pem);
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, ca.at(0).get());
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf.at(0).get(), nullptr);
  X509_STORE_CTX_set_purpose(context, purpose);
  X509_STORE_CTX_set_flags(context, X509_V_FLAG_X509_STRICT);
  X509_STORE_CTX_set_time(context, 0, std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count());
  X509_verify_cert(context);
  const int error = X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return error;
}

TEST(CertificatesTest, IssuedCertificatesVerifyForTheirUseAlone) {
  const CertificateAuthority ca = CertificateAuthority::create("ca").value();
  const KeyPair server = ca.issue({.common_name = "s", .dns_names = {"localhost"}, .server = true}).value();
  const KeyPair client = ca.issue({.common_name = "c", .client = true}).value();
  const WallTime now = Clock::system().wall();

  EXPECT_EQ(verify(ca.certificate_pem(), server.certificate, X509_PURPOSE_SSL_SERVER, now), X509_V_OK);
  EXPECT_EQ(verify(ca.certificate_pem(), client.certificate, X509_PURPOSE_SSL_CLIENT, now), X509_V_OK);
  EXPECT_EQ(verify(ca.certificate_pem(), client.certificate, X509_PURPOSE_SSL_SERVER, now), X509_V_ERR_INVALID_PURPOSE);
  EXPECT_EQ(verify(ca.certificate_pem(), server.certificate, X509_PURPOSE_SSL_CLIENT, now), X509_V_ERR_INVALID_PURPOSE);
}

TEST(CertificatesTest, AnotherAuthorityOfTheSameNameDoesNotVerifyThem) {
  const CertificateAuthority ca = CertificateAuthority::create("ca").value();
  const CertificateAuthority twin = CertificateAuthority::create("ca").value();
  const KeyPair pair = ca.issue({.common_name = "s", .server = true}).value();
  EXPECT_NE(verify(twin.certificate_pem(), pair.certificate, X509_PURPOSE_SSL_SERVER, Clock::system().wall()),
            X509_V_OK);
}

TEST(CertificatesTest, ValidityIsCountedFromTheClock) {
  FakeClock clock(WallTime(std::chrono::seconds(1'600'000'000)));
  const CertificateAuthority ca = CertificateAuthority::create("ca", 24h, clock).value();
  const KeyPair fresh = ca.issue({.common_name = "s", .server = true, .valid_from = -1h, .valid_for = 3h}).value();
  const KeyPair expired =
      ca.issue({.common_name = "s", .server = true, .valid_from = -3min, .valid_for = 1min}).value();
  const auto check = [&](const KeyPair& pair, Duration later) {
    return verify(ca.certificate_pem(), pair.certificate, X509_PURPOSE_SSL_SERVER, clock.wall() + later);
  };

  EXPECT_EQ(check(fresh, 0s), X509_V_OK);
  EXPECT_EQ(check(fresh, 119min), X509_V_OK);
  EXPECT_EQ(check(fresh, 121min), X509_V_ERR_CERT_HAS_EXPIRED);
  EXPECT_EQ(check(fresh, -61min), X509_V_ERR_CERT_NOT_YET_VALID);
  EXPECT_EQ(check(expired, 0s), X509_V_ERR_CERT_HAS_EXPIRED);
}

TEST(CertificatesTest, NamesAndAddressesAreMatched) {
  const CertificateAuthority ca = CertificateAuthority::create("ca").value();
  const KeyPair pair = ca.issue({.common_name = "s",
                                 .dns_names = {"localhost", "kubernetes.default.svc", "a,DNS:evil"},
                                 .ip_addresses = {"127.0.0.1", "::1"},
                                 .server = true})
                           .value();
  X509* certificate = nullptr;
  const auto all = read_certificates(pair.certificate);
  certificate = all.at(0).get();

  EXPECT_EQ(X509_check_host(certificate, "localhost", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(certificate, "kubernetes.default.svc", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(certificate, "evil", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(certificate, "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate, "::1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate, "127.0.0.2", 0), 0);
}

TEST(CertificatesTest, EveryCertificateHasItsOwnSerialAndKey) {
  const CertificateAuthority ca = CertificateAuthority::create("ca").value();
  std::set<std::string> serials;
  std::set<std::string> keys;
  for (int i = 0; i < 10; ++i) {
    const KeyPair pair = ca.issue({.common_name = "same", .client = true}).value();
    serials.insert(serial(read_certificates(pair.certificate).at(0).get()));
    keys.insert(pair.key);
    EXPECT_EQ(X509_check_private_key(read_certificates(pair.certificate).at(0).get(), read_key(pair.key).get()), 1);
  }
  EXPECT_EQ(serials.size(), 10U);
  EXPECT_EQ(keys.size(), 10U);
}

TEST(CertificatesTest, WhatNoCertificateCanSayIsAnError) {
  const CertificateAuthority ca = CertificateAuthority::create("ca").value();
  EXPECT_EQ(ca.issue({.common_name = std::string(65, 'x')}).error().kind(), ErrorKind::Config);
  EXPECT_EQ(ca.issue({.common_name = "x", .organizations = {""}}).error().kind(), ErrorKind::Config);
  EXPECT_EQ(ca.issue({.common_name = "x", .organizations = {std::string(65, 'x')}}).error().kind(), ErrorKind::Config);
  EXPECT_EQ(ca.issue({.common_name = "x", .dns_names = {""}}).error().kind(), ErrorKind::Config);
  EXPECT_EQ(ca.issue({.common_name = "x", .ip_addresses = {"300.1.1.1"}}).error().kind(), ErrorKind::Config);
  EXPECT_EQ(CertificateAuthority::create(std::string(65, 'x')).error().kind(), ErrorKind::Config);
}

}  // namespace
}  // namespace kubexx::httpd
