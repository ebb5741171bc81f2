#pragma once

#include <stop_token>
#include <string_view>

#include "soak/figures.hpp"
#include "soak/settings.hpp"
#include "soak/watchdog.hpp"
#include "soak/world.hpp"

namespace kubexx::soak {

/// Storms and quiet points in turn: in a storm things are written, broken, restarted and handed over at random; at a
/// quiet point everything is whole again, and everybody must come to what the server has.
class Rounds {
 public:
  Rounds(World& world, Watchdog& watchdog, Flatness& flatness)
      : world_(world), watchdog_(watchdog), flatness_(flatness) {}

  /// Until so long has passed, the token fires, or something is wrong. The last storm has its quiet point, unless the
  /// token fired.
  void run(Duration length, const std::stop_token& stop);

 private:
  void storm(Duration length, const std::stop_token& stop);
  void stir(double passed);
  void quiet_point(const std::stop_token& stop);
  /// At each step of both.
  void look(std::string_view waits_for = {});
  bool happens(double a_second, double passed) { return world_.random.uniform() < a_second * passed; }
  bool is_over(const std::stop_token& stop) const;

  World& world_;
  Watchdog& watchdog_;
  Flatness& flatness_;
  double write_rate_ = 0;  // a second
  double writes_due_ = 0;
  Duration next_collection_ = {};
  Duration next_line_ = std::chrono::seconds(10);
};

}  // namespace kubexx::soak
