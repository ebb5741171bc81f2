#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/value.hpp"

namespace kubexx::meta {

/// An amount of a resource ("250m", "1.5Gi", "12e6"): an exact fixed-point number, never a floating-point one.
///
/// Nothing finer than a billionth (nano) is kept: parsing rounds such amounts away from zero. Binary amounts are capped
/// at 2^63-1 when parsed; decimal ones may have up to 1000 digits before the point. Equality and order look at the
/// number only, so 1Ki == 1024.
class KUBEXX_EXPORT Quantity {
 public:
  /// The family of suffixes in which to_string() writes; parsing remembers it.
  enum class Format : std::uint8_t {
    DecimalSI,        ///< n u m "" k M G T P E
    BinarySI,         ///< Ki Mi Gi Ti Pi Ei
    DecimalExponent,  ///< e3, e6, ...
  };

  Quantity() = default;  ///< 0
  /// So many; so many thousandths; or what a manifest says ("1500m", "2Gi").
  static Quantity from_int(std::int64_t value, Format format = Format::DecimalSI);
  static Quantity from_milli(std::int64_t value, Format format = Format::DecimalSI);
  static Result<Quantity> parse(std::string_view text);
  /// A field of an object: a string, or a number; null and Absent are 0.
  static Result<Quantity> from_value(Value value);

  /// How it is written. Changing that does not change the amount.
  Format format() const noexcept { return format_; }
  void set_format(Format format) noexcept { format_ = format; }
  /// Of the amount: whether there is none, and -1, 0 or 1.
  bool is_zero() const noexcept { return limbs_.empty(); }
  int sign() const noexcept { return is_zero() ? 0 : negative_ ? -1 : 1; }

  /// Canonical: no fraction, the largest suffix that loses nothing. A binary amount under 1024 or with a fraction is
  /// written with decimal suffixes, a decimal one too large for E with an exponent.
  std::string to_string() const;
  /// The whole number it is, or nullopt when it has a fraction or exceeds int64.
  std::optional<std::int64_t> as_int64() const noexcept;
  std::int64_t value() const noexcept { return scaled_value(0); }         ///< as scaled_value(0)
  std::int64_t milli_value() const noexcept { return scaled_value(-3); }  ///< as scaled_value(-3)
  /// The amount in units of 10^scale (scale -9 .. 18), rounded away from zero, held at the ends of int64.
  std::int64_t scaled_value(int scale) const noexcept;
  double as_double() const noexcept;

  /// A zero takes the other's format, as in Go.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  Quantity operator-() const;
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) noexcept;
  friend bool operator==(const Quantity& a, const Quantity& b) noexcept { return (a <=> b) == 0; }

 private:
  using Limbs = std::vector<std::uint32_t>;
  void add_signed(const Limbs& limbs, bool negative);

  Limbs limbs_;  // the amount in nano, base 10^9, least first, no zero at the end: limbs_[0] is the fraction
  bool negative_ = false;
  Format format_ = Format::DecimalSI;
};
KUBEXX_EXPORT std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) noexcept;

}  // namespace kubexx::meta
