#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace kubexx::apiserver {

/// The regular expressions of schemas, in the syntax of Go's regexp: matching takes time linear in the text, whatever
/// the expression. Compiled ones are kept, a few of them. Not thread-safe.
class Patterns {
 public:
  Patterns();
  ~Patterns();
  /// Why a text is no expression; empty when it is one.
  static std::string complaint(std::string_view pattern);
  /// Whether it occurs in the text; one that is no expression occurs in none.
  bool matches(std::string_view pattern, std::string_view text);
  /// How much a byte of text may cost, in simple steps.
  std::size_t weight(std::string_view pattern);

 private:
  const re2::RE2& compiled(std::string_view pattern);
  std::map<std::string, std::unique_ptr<re2::RE2>, std::less<>> known_;
};

}  // namespace kubexx::apiserver
