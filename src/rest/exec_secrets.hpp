#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kubexx::rest {

/// What a plugin printed, with other words in place of its secrets: reading JSON leaves copies in places that are not
/// wiped. Secrets are the strings with the keys "token" and "clientKeyData"; one that is written with a number for a
/// character (\u0041) stays where it is.
class ExecSecrets {
 public:
  explicit ExecSecrets(std::string_view output);
  ExecSecrets(const ExecSecrets&) = delete;
  ExecSecrets& operator=(const ExecSecrets&) = delete;
  ~ExecSecrets();  ///< wipes them

  const std::string& json() const noexcept { return json_; }
  /// The secret that this word of json() stands for, or the word.
  std::string value(std::string_view word) const;

 private:
  void take(std::string_view literal);

  std::string json_;
  std::vector<std::string> secrets_;
};

}  // namespace kubexx::rest
