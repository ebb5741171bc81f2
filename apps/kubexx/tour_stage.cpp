#include "tour_stage.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "kubexx/base/stop.hpp"
#include "output.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

using namespace std::chrono_literals;
using reflector::ReflectorState;
constexpr Duration kLook = 50ms;  // how often the informers are looked at
constexpr std::size_t kWidest = 100;

std::string seconds_text(Duration time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", std::chrono::duration<double>(time).count());
  return text.data();
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    if (!lines.back().empty() && width_of(lines.back()) + 1 + width_of(word) > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string said_by(const InformerPicture& informer) {
  const auto& reflector = informer.status.reflector;
  auto text = std::string(to_string(reflector.state));
  const bool in_trouble = reflector.state == ReflectorState::BackingOff || reflector.state == ReflectorState::Parked;
  if (in_trouble && reflector.last_error) {
    text += ": " + one_line(reflector.last_error->message());
  }
  return text;
}

using Rows = std::vector<TableText::Cells>;

Rows informer_rows(const Picture& picture) {
  Rows rows{{"INFORMER", "STATE", "OBJECTS", "VERSION", "LISTS", "WATCHES", "CALLS BY WATCH", "BY NEW LIST"}};
  for (const auto& informer : picture.informers()) {
    const auto& status = informer.status;
    rows.push_back({informer.name, std::string(to_string(status.reflector.state)), grouped(status.objects),
                    cell_text(status.resource_version), grouped(status.reflector.lists),
                    grouped(status.reflector.watches), grouped(informer.by_watch), grouped(informer.by_relist)});
  }
  return rows;
}

Rows handler_rows(const Picture& picture) {
  Rows rows{{"HANDLER OF PODS", "CALLS", "WAITING", "OLDEST", "SLOWEST CALL"}};
  for (const auto& handler : picture.of("pods").status.handlers) {
    if (handler.name != "quick" && handler.name != "slow") continue;  // the inspector has one of its own
    rows.push_back({handler.name, grouped(handler.calls), grouped(handler.depth),
                    handler.depth ? seconds_text(handler.oldest) : "-", seconds_text(handler.slowest_call)});
  }
  return rows;
}

std::vector<std::string> table_lines(const Rows& rows) {
  TableText text;
  for (const auto& row : rows) text.widen(row);
  std::vector<std::string> lines;
  for (const auto& row : rows) lines.push_back(text.line(row));
  return lines;
}

std::string heading(const TourFrame& frame) {
  return std::to_string(frame.number) + " of " + std::to_string(frame.of) + "  " + std::string(frame.step->title);
}

class ScreenStage final : public TourStage {
 public:
  explicit ScreenStage(std::stop_token stop) : stop_(std::move(stop)) {}

  void show(const TourFrame& frame) override {
    const auto size = screen_.size();
    std::vector<std::string> lines;
    const auto add = [&](const std::string& text, std::string_view style = {}) {
      lines.push_back(styled(cut_to(text, size.columns), style));
    };
    // `rest`: what the column says while there is nothing to see.
    const auto add_table = [&](const Rows& rows, std::size_t column, std::string_view rest) {
      const auto text = table_lines(rows);
      add(text[0], kDim);
      for (std::size_t i = 1; i < rows.size(); ++i)
        add(text[i], rows[i][column] == rest ? std::string_view() : kYellow);
      lines.emplace_back();
    };
    add("Look:  " + frame.address, kCyan);
    lines.emplace_back();
    add(heading(frame), kBold);
    for (const auto& line : wrapped(frame.step->text, std::min(size.columns, kWidest))) add(line);
    lines.emplace_back();
    add_table(informer_rows(*frame.now), 1, "watching");
    add_table(handler_rows(*frame.now), 2, "0");
    std::vector<std::string> outcome;
    if (frame.phase == TourPhase::Seen) outcome = wrapped(frame.outcome, std::min(size.columns, kWidest));
    // What was seen and the keys stand at the bottom, and above them, where there is room, the last that was said.
    const auto height = size.rows - std::min(size.rows, outcome.size() + 1);
    const auto room = height > lines.size() ? height - lines.size() : 0;
    const auto& said = frame.log->lines();
    for (auto i = said.size() - std::min(said.size(), room); i < said.size(); ++i) add(said[i], kYellow);
    lines.resize(height);
    for (const auto& line : outcome) add(line, kGreen);
    add(keys(frame.phase), kReverse);
    screen_.draw(lines);
  }

  Wish wait() override {
    for (const auto key : screen_.wait(wake_, stop_, kLook)) {
      if (key == Key::Quit) return Wish::Quit;
      if (key == Key::Enter) return Wish::GoOn;
    }
    return Wish::None;
  }

  bool has_keys() const override { return true; }

 private:
  static std::string keys(TourPhase phase) {
    if (phase == TourPhase::Told) return " Enter does it, q ends the tour ";
    if (phase == TourPhase::Acting) return " waiting for what informers make of it, q ends the tour ";
    return " Enter goes on, q ends the tour ";
  }

  std::stop_token stop_;
  Wakeup wake_;
  Screen screen_;
};

class LineStage final : public TourStage {
 public:
  explicit LineStage(std::stop_token stop) : stop_(std::move(stop)) {}

  void show(const TourFrame& frame) override {
    std::string text;
    if (frame.number == 1 && frame.phase == TourPhase::Told) text += "Look:  " + frame.address + "\n";
    if (frame.phase == TourPhase::Told) {
      text += std::string("\n").append(heading(frame)) + "\n";
      add(text, wrapped(frame.step->text, kWidest));
    }
    if (frame.phase != std::exchange(phase_, frame.phase)) said_ = frame.phase == TourPhase::Seen ? said_ : 0;
    const auto& said = frame.log->lines();
    while (said_ < said.size()) text += "    " + said[said_++] + "\n";
    if (frame.phase == TourPhase::Seen) {
      add(text, table_lines(informer_rows(*frame.now)));
      add(text, table_lines(handler_rows(*frame.now)));
      text += "  => " + frame.outcome + "\n";
    }
    if (!text.empty()) out().write(text);
  }

  Wish wait() override {
    wait_for_stop(stop_, kLook);
    return Wish::None;
  }

  bool has_keys() const override { return false; }

 private:
  static void add(std::string& text, const std::vector<std::string>& lines) {
    for (const auto& line : lines) text += "  " + line + "\n";
  }

  std::stop_token stop_;
  TourPhase phase_ = TourPhase::Seen;
  std::size_t said_ = 0;  // lines of the log that were written; it begins anew with the step and with what is done
};

}  // namespace

void TourLog::begin(const Picture& now) {
  lines_.clear();
  last_.clear();
  for (const auto& informer : now.informers()) last_[informer.name] = said_by(informer);
}

void TourLog::note(const Picture& now, Duration since_begin) {
  for (const auto& informer : now.informers()) {
    if (informer.status.reflector.state == ReflectorState::Opening) continue;
    auto said = said_by(informer);
    auto& last = last_[informer.name];
    if (said == last) continue;
    lines_.push_back(seconds_text(since_begin) + "  " + informer.name + ": " + said);
    last = std::move(said);
  }
}

std::unique_ptr<TourStage> make_screen_stage(const std::stop_token& stop) {
  return std::make_unique<ScreenStage>(stop);
}

std::unique_ptr<TourStage> make_line_stage(const std::stop_token& stop) {
  return std::make_unique<LineStage>(stop);
}

}  // namespace kubexx::app
