#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::httpd {

/// A certificate and its private key, both PEM texts.
struct KeyPair {
  std::string certificate = {};
  std::string key = {};
};

/// What a certificate is to say. A client certificate's common name is the user, its organizations are the groups.
struct CertificateRequest {
  std::string common_name{};
  std::vector<std::string> organizations{};
  std::vector<std::string> dns_names{};     ///< "localhost", "*.example.com"
  std::vector<std::string> ip_addresses{};  ///< "127.0.0.1", "::1"
  bool server = false;                      ///< may identify a server
  bool client = false;                      ///< may identify a client
  /// Counted from now; clocks of the two sides may differ a little.
  Duration valid_from = -std::chrono::minutes(5);
  /// Counted from valid_from: {.valid_from = -2h, .valid_for = 1h} gives one that expired an hour ago.
  Duration valid_for = std::chrono::hours(24 * 365);
};

/// Makes certificates (ECDSA P-256) signed by a root of its own, in memory. Copies are the same authority.
///
/// Threads: every member is safe from any thread.
/// Errors: names or addresses that no certificate can carry are an Error of kind Config.
/// Example:
///
///     auto authority = httpd::CertificateAuthority::create("shop");
///     if (!authority) complain(authority.error());
///     auto pair = authority->issue({.common_name = "localhost", .dns_names = {"localhost"}, .server = true});
class KUBEXX_EXPORT CertificateAuthority {
 public:
  /// The clock must outlive the authority.
  static Result<CertificateAuthority> create(std::string common_name, Duration validity = std::chrono::hours(24 * 3650),
                                             const Clock& clock = Clock::system());
  /// A certificate with a new key.
  Result<KeyPair> issue(const CertificateRequest& request) const;
  const std::string& certificate_pem() const noexcept;

 private:
  struct Impl;
  explicit CertificateAuthority(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace kubexx::httpd
