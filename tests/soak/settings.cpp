#include "soak/settings.hpp"

#include <charconv>
#include <cmath>
#include <random>

namespace kubexx::soak {
namespace {

constexpr const char* kUsage = "usage: soak [--minutes N | --seconds N] [--seed S] [--verbose]";
constexpr double kLongest = 60.0 * 60 * 24 * 30;

template <class T>
Result<T> number(const std::string& flag, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return Error::config(flag + ": \"" + text + "\" is no number that fits; " + kUsage);
}

}  // namespace

Result<Settings> parse_settings(const std::vector<std::string>& words) {
  Settings settings;
  settings.seed = std::random_device()();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& flag = words[i];
    if (flag == "--verbose") {
      settings.verbose = true;
      continue;
    }
    if (flag != "--minutes" && flag != "--seconds" && flag != "--seed")
      return Error::config("what is " + flag + "? " + kUsage);
    if (++i == words.size()) return Error::config(flag + " wants a number; " + kUsage);
    if (flag == "--seed") {
      const auto seed = number<std::uint64_t>(flag, words[i]);
      if (!seed) return seed.error();
      settings.seed = *seed;
      continue;
    }
    const auto amount = number<double>(flag, words[i]);
    if (!amount) return amount.error();
    const double seconds = flag == "--minutes" ? *amount * 60 : *amount;
    if (!std::isfinite(seconds) || seconds <= 0 || seconds > kLongest)
      return Error::config(flag + ": more than nothing and at most 30 days; " + kUsage);
    settings.length = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  }
  return settings;
}

}  // namespace kubexx::soak
