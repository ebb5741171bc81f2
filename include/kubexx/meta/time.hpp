#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx::meta {

/// A timestamp in whole seconds, as most fields of the API have them ("2026-01-31T08:00:00Z"). Years 1 to 9999.
struct KUBEXX_EXPORT Time {
  std::int64_t unix_seconds = 0;

  /// RFC 3339: date, `T`, `t` or a space, time, an optional fraction (cut off), and `Z`, `z` or an offset like +02:00.
  static Result<Time> parse(std::string_view text);
  static Time from_wall(WallTime wall) noexcept;  ///< rounded down
  WallTime wall() const noexcept;                 ///< held at the ends of what WallTime can say (1677 to 2262)
  std::string to_string() const;                  ///< in UTC
  friend auto operator<=>(const Time&, const Time&) = default;
};

/// A timestamp in microseconds (leases, events): "2026-01-31T08:00:00.123456Z".
struct KUBEXX_EXPORT MicroTime {
  std::int64_t unix_micros = 0;

  /// The same forms as Time; digits behind the sixth of a fraction are cut off.
  static Result<MicroTime> parse(std::string_view text);
  static MicroTime from_wall(WallTime wall) noexcept;
  WallTime wall() const noexcept;
  std::string to_string() const;
  friend auto operator<=>(const MicroTime&, const MicroTime&) = default;
};

}  // namespace kubexx::meta
