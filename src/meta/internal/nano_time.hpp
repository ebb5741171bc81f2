#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "kubexx/meta/time.hpp"

namespace kubexx::meta {

/// A time as the lines of a log have it: with nine digits of a fraction, always, in UTC.
inline std::string to_nano_text(WallTime time) {
  const Time seconds = Time::from_wall(time);
  std::string text = seconds.to_string();
  const std::string digits = std::to_string(1'000'000'000 + (time - seconds.wall()).count());  // "1" and the nine
  text.back() = '.';
  return text.append(digits, 1).append("Z");
}

/// RFC 3339 to the nanosecond, with any offset; digits behind the ninth do not count. Nothing: it is none, or one that
/// WallTime cannot say.
inline std::optional<WallTime> parse_nano_text(std::string_view text) {
  const auto seconds = Time::parse(text);
  if (!seconds) return std::nullopt;
  const WallTime whole = seconds->wall();
  if (Time::from_wall(whole) != *seconds || whole > WallTime::max() - std::chrono::seconds(1)) return std::nullopt;
  Duration::rep nanos = 0;
  Duration::rep unit = 100'000'000;
  for (std::size_t at = text.find_first_of(".,") + 1; at > 0 && at < text.size() && unit > 0; ++at, unit /= 10) {
    if (text[at] < '0' || text[at] > '9') break;
    nanos += (text[at] - '0') * unit;
  }
  return whole + Duration(nanos);
}

}  // namespace kubexx::meta
