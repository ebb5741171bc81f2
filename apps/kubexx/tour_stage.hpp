#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "tour_steps.hpp"

namespace kubexx::app {

/// Lines of what informers say: which state they came into, and why. A watch that is being opened says nothing yet.
class TourLog {
 public:
  /// Empties it; states that are there already are no news.
  void begin(const Picture& now);
  /// Takes in a later picture.
  void note(const Picture& now, Duration since_begin);
  const std::vector<std::string>& lines() const noexcept { return lines_; }

 private:
  std::map<std::string, std::string> last_;  // by informer
  std::vector<std::string> lines_;
};

enum class TourPhase { Told, Acting, Seen };

/// What there is to show of a step.
struct TourFrame {
  std::size_t number;
  std::size_t of;
  const TourStep* step;
  TourPhase phase;
  const Picture* now;
  const TourLog* log;
  std::string outcome;  ///< what was seen, or that it was not; from TourPhase::Seen on
  std::string address;  ///< of the inspector's page
};

/// Where the tour is shown.
class TourStage {
 public:
  virtual ~TourStage() = default;
  virtual void show(const TourFrame& frame) = 0;
  enum class Wish { None, GoOn, Quit };
  /// Waits a moment, or for a key.
  virtual Wish wait() = 0;
  /// Whether somebody goes on by pressing keys.
  virtual bool has_keys() const = 0;
};

/// The whole terminal.
std::unique_ptr<TourStage> make_screen_stage(const std::stop_token& stop);
/// Lines on standard output.
std::unique_ptr<TourStage> make_line_stage(const std::stop_token& stop);

}  // namespace kubexx::app
