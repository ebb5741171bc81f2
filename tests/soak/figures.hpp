#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kubexx::soak {

/// What the process has of the system.
struct Figures {
  double memory = 0;  ///< resident bytes
  double threads = 0;
  double descriptors = 0;
};

Figures read_figures();

/// Whether a process grows: of pictures taken whenever nothing happens, the least of the last third may not be above
/// the most of the first third by more than what comes and goes.
class Flatness {
 public:
  void add(const Figures& figures) { pictures_.push_back(figures); }
  /// What grew, and from what to what; absent: nothing, or there are too few pictures to say.
  std::optional<std::string> growth() const;
  /// "threads 61 to 64, ..." of all pictures.
  std::string range() const;

 private:
  std::vector<Figures> pictures_;
};

}  // namespace kubexx::soak
