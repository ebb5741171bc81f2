#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/value.hpp"

namespace kubexx::meta {

/// A field that is a number or a text: a port by number or name, a count or a percentage.
class KUBEXX_EXPORT IntOrString {
 public:
  IntOrString() = default;  ///< 0
  explicit IntOrString(std::int32_t number) : state_(number) {}
  explicit IntOrString(std::string text) : state_(std::move(text)) {}
  /// "8080" is a number, everything else ("http", "25%", numbers beyond 32 bits) a text.
  static IntOrString parse(std::string_view text);
  /// A field of an object: an integer of 32 bits or a string.
  static Result<IntOrString> from_value(Value value);

  /// Which of the two it is.
  bool is_int() const noexcept { return state_.index() == 0; }
  bool is_string() const noexcept { return state_.index() == 1; }
  std::int32_t int_or(std::int32_t fallback) const noexcept;  ///< the number; the fallback for a text
  std::string to_string() const;
  /// The number itself, or for "N%" that share of `total`, rounded up or down. Other texts are an Error.
  Result<std::int64_t> scaled(std::int64_t total, bool round_up) const;
  friend bool operator==(const IntOrString&, const IntOrString&) = default;

 private:
  std::variant<std::int32_t, std::string> state_;
};

}  // namespace kubexx::meta
