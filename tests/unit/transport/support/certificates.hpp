#pragma once

#include <memory>
#include <string>
#include <vector>

namespace kubexx::transport::test {

struct Identity {
  std::string certificate;  ///< PEM
  std::string key;          ///< PEM
};

/// A certificate authority made at run time.
class Authority {
 public:
  explicit Authority(const std::string& name = "test authority");
  ~Authority();
  const std::string& pem() const { return pem_; }
  /// Names may be DNS names or IP addresses.
  Identity issue(const std::vector<std::string>& names, bool expired = false) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string pem_;
};

}  // namespace kubexx::transport::test
