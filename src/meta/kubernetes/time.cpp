#include "kubexx/meta/time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>

#include "meta/quote.hpp"

namespace kubexx::meta {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMicros = 1'000'000;
constexpr std::int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z

/// Reads a timestamp from left to right; the first thing that does not fit makes it fail.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }

  std::optional<int> number(std::size_t digits, int low, int high) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return value >= low && value <= high ? std::optional(value) : std::nullopt;
  }

  bool any_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
    last_ = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }
  char last() const { return last_; }

  /// Digits of a fraction as microseconds; nullopt when there is none.
  std::optional<int> fraction() {
    int micros = 0;
    std::size_t count = 0;
    for (; count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9'; ++count) {
      if (count < 6) micros = micros * 10 + (rest_[count] - '0');
    }
    if (count == 0) return std::nullopt;
    rest_.remove_prefix(count);
    for (; count < 6; ++count) micros *= 10;
    return micros;
  }

 private:
  std::string_view rest_;
  char last_ = 0;
};

std::optional<std::int64_t> scan_micros(std::string_view text) {
  Scanner scan(text);
  const auto year = scan.number(4, 1, 9999);
  if (!year || !scan.any_of("-")) return std::nullopt;
  const auto month = scan.number(2, 1, 12);
  if (!month || !scan.any_of("-")) return std::nullopt;
  const auto day = scan.number(2, 1, 31);
  if (!day || !scan.any_of("Tt ")) return std::nullopt;
  const auto hour = scan.number(2, 0, 23);
  if (!hour || !scan.any_of(":")) return std::nullopt;
  const auto minute = scan.number(2, 0, 59);
  if (!minute || !scan.any_of(":")) return std::nullopt;
  const auto second = scan.number(2, 0, 59);
  if (!second) return std::nullopt;
  int micros = 0;
  if (scan.any_of(".,")) {
    const auto fraction = scan.fraction();
    if (!fraction) return std::nullopt;
    micros = *fraction;
  }
  if (!scan.any_of("Zz+-")) return std::nullopt;
  int offset = 0;
  if (scan.last() == '+' || scan.last() == '-') {
    const int sign = scan.last() == '-' ? -1 : 1;
    const auto hours = scan.number(2, 0, 23);
    if (!hours || !scan.any_of(":")) return std::nullopt;
    const auto minutes = scan.number(2, 0, 59);
    if (!minutes) return std::nullopt;
    offset = sign * (*hours * 60 + *minutes) * 60;
  }
  if (!scan.done()) return std::nullopt;

  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = days * 86400 + *hour * 3600 + *minute * 60 + *second - offset;
  if (seconds < kFirstSecond || seconds > kLastSecond) return std::nullopt;
  return seconds * kMicros + micros;
}

Result<std::int64_t> parse_micros(std::string_view text) {
  if (const auto micros = scan_micros(text)) return *micros;
  return Error::decode("time " + quote(text) + " is not of the form 2006-01-02T15:04:05Z");
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// "2006-01-02T15:04:05"
std::string format_seconds(std::int64_t unix_seconds) {
  unix_seconds = std::clamp(unix_seconds, kFirstSecond, kLastSecond);
  const auto days = floor_divide(unix_seconds, 86400);
  const auto of_day = static_cast<int>(unix_seconds - days * 86400);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d",
                                 static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                 static_cast<unsigned>(date.day()), of_day / 3600, of_day / 60 % 60, of_day % 60);
  return {text.data(), static_cast<std::size_t>(size)};
}

/// count * unit as a WallTime, held at its ends.
WallTime to_wall(std::int64_t count, std::int64_t nanos_per_unit) {
  const auto limit = Duration::max().count() / nanos_per_unit;
  if (count > limit) return WallTime::max();
  if (count < -limit) return WallTime::min();
  return WallTime(Duration(count * nanos_per_unit));
}

}  // namespace

Result<Time> Time::parse(std::string_view text) {
  const auto micros = parse_micros(text);
  if (!micros) return micros.error();
  return Time{floor_divide(*micros, kMicros)};
}

Time Time::from_wall(WallTime wall) noexcept {
  return Time{floor_divide(wall.time_since_epoch().count(), 1'000'000'000)};
}

WallTime Time::wall() const noexcept {
  return to_wall(unix_seconds, 1'000'000'000);
}

std::string Time::to_string() const {
  return format_seconds(unix_seconds) + "Z";
}

Result<MicroTime> MicroTime::parse(std::string_view text) {
  const auto micros = parse_micros(text);
  if (!micros) return micros.error();
  return MicroTime{*micros};
}

MicroTime MicroTime::from_wall(WallTime wall) noexcept {
  return MicroTime{floor_divide(wall.time_since_epoch().count(), 1000)};
}

WallTime MicroTime::wall() const noexcept {
  return to_wall(unix_micros, 1000);
}

std::string MicroTime::to_string() const {
  const auto seconds = floor_divide(unix_micros, kMicros);
  const auto fraction = std::to_string(kMicros + (unix_micros - seconds * kMicros));  // "1" and the six digits
  return format_seconds(seconds) + "." + fraction.substr(1) + "Z";
}

}  // namespace kubexx::meta
