#pragma once

#include <array>
#include <memory>
#include <string>

#include "kubexx/base/result.hpp"
#include "kubexx/transport/http_transport.hpp"

struct x509_store_st;

namespace kubexx::transport {

/// PEM text of one moment. Empty `ca`: the system's roots. Never changed once made.
struct TlsMaterial {
  std::string ca;
  std::string certificate;
  std::string key;
  ~TlsMaterial();  ///< wipes the key
};

/// The system's roots, read once a process as Go's client does. The first call takes a good 50 ms.
x509_store_st* system_roots();

/// Whether two PEM texts are a certificate and its key, or both empty. The Error repeats nothing of them.
Result<void> check_client_certificate(const std::string& certificate_pem, const std::string& key_pem);

/// The PEM text of TlsOptions, re-read when a file changed. Text beats a file of the same kind.
///
/// Not thread-safe: it belongs to the I/O thread.
class TlsSource {
 public:
  static Result<TlsSource> create(const TlsOptions& options);

  /// The same pointer as long as nothing changed. A file that cannot be used keeps what was read before.
  const std::shared_ptr<const TlsMaterial>& current();
  /// Instead of what options or files say, from now on. Checked by the caller.
  void replace_client(std::string certificate, std::string key);

 private:
  struct Signature {
    long long seconds = 0;
    long long nanoseconds = 0;
    unsigned long long inode = 0;
    long long size = -1;
    friend bool operator==(const Signature&, const Signature&) = default;
  };
  static Signature sign(const std::string& path);
  Result<std::shared_ptr<const TlsMaterial>> read() const;

  TlsOptions options_;
  std::array<Signature, 3> signatures_;
  std::shared_ptr<const TlsMaterial> current_;
};

}  // namespace kubexx::transport
