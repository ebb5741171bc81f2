#include "kubexx/base/random.hpp"

#include <random>

#include "kubexx/base/clock.hpp"

namespace kubexx {

namespace {

std::uint64_t system_seed() noexcept {
  try {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
  } catch (...) {
    return static_cast<std::uint64_t>(Clock::system().wall().time_since_epoch().count());
  }
}

}  // namespace

Random::Random(std::uint64_t seed) : state_(seed) {}

Random& Random::process() noexcept {
  static Random random(system_seed());
  return random;
}

// SplitMix64: the state is a counter, so one atomic addition makes it safe from any thread.
std::uint64_t Random::next() noexcept {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  std::uint64_t z = state_.fetch_add(kStep, std::memory_order_relaxed) + kStep;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::uniform() noexcept {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::uint64_t Random::below(std::uint64_t bound) noexcept {
  if (bound == 0) return 0;
  // The 2^64 mod bound lowest values are refused: the rest is a multiple of the bound.
  const std::uint64_t refused = (0 - bound) % bound;
  std::uint64_t value = next();
  while (value < refused) value = next();
  return value % bound;
}

}  // namespace kubexx
