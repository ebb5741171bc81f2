#include "soak/figures.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "kubexx/base/metrics.hpp"
#include "soak/settings.hpp"

namespace kubexx::soak {
namespace {

constexpr std::size_t kFewestPictures = 9;
constexpr double kMegabyte = 1 << 20;

/// One figure and how much of it comes and goes: connections and handlers' threads as they are needed, memory that the
/// allocator keeps (under a sanitizer also what was freed).
struct Bounded {
  const char* name = "";
  double Figures::* figure = nullptr;
  double factor = 1;
  double more = 0;
  double unit = 1;
};
constexpr Bounded kBounded[] = {
    {"threads", &Figures::threads, 1, 12, 1},
    {"descriptors", &Figures::descriptors, 1, 32, 1},
    {"memory in MB", &Figures::memory, 1.3, 32 * kMegabyte* kSlowness, kMegabyte},
};

std::string in_units(double value, const Bounded& bounded) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", value / bounded.unit);
  return text;
}

/// Its least and its most value.
std::pair<double, double> extremes(const Bounded& bounded, std::vector<Figures>::const_iterator from,
                                   std::vector<Figures>::const_iterator to) {
  const auto [least, most] = std::minmax_element(
      from, to, [&](const Figures& a, const Figures& b) { return a.*bounded.figure < b.*bounded.figure; });
  return {(*least).*bounded.figure, (*most).*bounded.figure};
}

}  // namespace

Figures read_figures() {
  static const auto registry = [] {
    auto made = std::make_shared<MetricsRegistry>();
    made->add_process_figures();
    return made;
  }();
  Figures figures;
  registry->for_each([&](const MetricFamily& family) {
    const double value = family.points.front().value;
    if (family.name == "process_resident_memory_bytes") figures.memory = value;
    if (family.name == "process_threads") figures.threads = value;
    if (family.name == "process_open_fds") figures.descriptors = value;
  });
  return figures;
}

std::optional<std::string> Flatness::growth() const {
  if (pictures_.size() < kFewestPictures) return std::nullopt;
  const auto third = static_cast<std::ptrdiff_t>(pictures_.size() / 3);
  for (const auto& bounded : kBounded) {
    const auto before = extremes(bounded, pictures_.begin(), pictures_.begin() + third).second;
    const auto now = extremes(bounded, pictures_.end() - third, pictures_.end()).first;
    if (now > before * bounded.factor + bounded.more) {
      return std::string(bounded.name) + " grew from at most " + in_units(before, bounded) +
             " in the first third to at least " + in_units(now, bounded) + " in the last";
    }
  }
  return std::nullopt;
}

std::string Flatness::range() const {
  std::string text;
  if (pictures_.empty()) return "no picture was taken";
  for (const auto& bounded : kBounded) {
    const auto [least, most] = extremes(bounded, pictures_.begin(), pictures_.end());
    if (!text.empty()) text += ", ";
    text += std::string(bounded.name) + " " + in_units(least, bounded) + " to " + in_units(most, bounded);
  }
  return text;
}

}  // namespace kubexx::soak
