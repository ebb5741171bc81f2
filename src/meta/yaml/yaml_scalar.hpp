#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kubexx::meta {

/// What an unquoted YAML 1.1 scalar means.
struct YamlScalar {
  enum class Kind : std::uint8_t { String, Null, Bool, Int, Double };
  Kind kind = Kind::String;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
};

YamlScalar resolve_yaml_scalar(std::string_view text);

/// What becomes of a double on its way through JSON: a whole number that fits int64 is an Int.
YamlScalar through_json(double number);

/// The text would be read (by someone) as a date, or as a number to the base 60.
bool looks_like_yaml_timestamp(std::string_view text);
bool looks_like_base60(std::string_view text);

/// As Go's strconv formats with 'g' and the shortest precision: 1.5, 1e-05, 1.2345675e+06.
std::string format_yaml_double(double number);
std::string format_yaml_key(double number);  ///< with the precision of a float, as keys are

}  // namespace kubexx::meta
