#include "tour.hpp"

#include "kubexx/base/stop.hpp"
#include "output.hpp"
#include "terminal.hpp"
#include "tour_stage.hpp"

namespace kubexx::app {
namespace {

using namespace std::chrono_literals;
constexpr Duration kDeadline = 30s;  // of what a step promises; most take less than three seconds

class Tour {
 public:
  Tour(TourWorld& world, TourStage& stage, std::stop_token stop)
      : world_(world), stage_(stage), stop_(std::move(stop)) {}

  /// False: it was ended before.
  Result<bool> run() {
    const auto steps = tour_steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (auto went_on = play(steps[i], i + 1, steps.size()); !went_on || !*went_on) return went_on;
    }
    return true;
  }
  std::size_t missed() const noexcept { return missed_; }

 private:
  Result<bool> play(const TourStep& step, std::size_t number, std::size_t of) {
    TourFrame frame{number, of, &step, TourPhase::Told, nullptr, &log_, {}, world_.page_url()};
    log_.begin(world_.look());
    began_ = Clock::system().now();
    if (!pause(frame)) return false;

    world_.begin_step();
    log_.begin(world_.before());
    began_ = Clock::system().now();
    frame.phase = TourPhase::Acting;
    if (auto done = step.act(world_); !done) {
      if (stop_.stop_requested()) return false;
      return done.error().with_context(std::string(step.title));
    }
    while (true) {
      const auto now = look(frame);
      const bool reached = step.reached(world_, now);
      if (reached || Clock::system().now() - began_ > kDeadline) {
        if (!reached) ++missed_;
        frame.outcome = reached ? step.seen(world_, now) : "this was not to be seen within half a minute";
        break;
      }
      if (stage_.wait() == TourStage::Wish::Quit || stop_.stop_requested()) return false;
    }
    frame.phase = TourPhase::Seen;
    return pause(frame);
  }

  /// Shows the frame once or, where there are keys, until one is pressed. False: the tour is to end.
  bool pause(TourFrame& frame) {
    while (true) {
      look(frame);
      if (stop_.stop_requested()) return false;
      if (!stage_.has_keys()) return true;
      const auto wish = stage_.wait();
      if (wish == TourStage::Wish::Quit || stop_.stop_requested()) return false;
      if (wish == TourStage::Wish::GoOn) return true;
    }
  }

  Picture look(TourFrame& frame) {
    auto now = world_.look();
    log_.note(now, Clock::system().now() - began_);
    frame.now = &now;
    stage_.show(frame);
    frame.now = nullptr;
    return now;
  }

  TourWorld& world_;
  TourStage& stage_;
  std::stop_token stop_;
  TourLog log_;
  TimePoint began_{};
  std::size_t missed_ = 0;
};

}  // namespace

int run_tour(DemoCluster& cluster, const std::stop_token& stop) {
  LinkedStop end{stop, out().broken()};
  auto world = TourWorld::start(cluster, end.token());
  if (!world) return fail(world.error());
  auto stage = has_screen_and_keys() ? make_screen_stage(end.token()) : make_line_stage(end.token());
  Tour tour(**world, *stage, end.token());
  const auto whole = tour.run();
  stage.reset();  // gives the terminal back
  end.request_stop();
  if (!whole) return fail(whole.error());
  if (tour.missed() > 0) {
    return fail(Error::config(std::to_string(tour.missed()) + " of the tour's steps did not show what they promise"));
  }
  if (*whole) {
    out().write("\nThat was the tour. docs/guide/15-operating.md has what each failure looks like and what to do.\n");
  }
  return 0;
}

}  // namespace kubexx::app
