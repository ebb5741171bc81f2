#include "live_table.hpp"

#include <algorithm>

#include "kubexx/base/stop.hpp"

namespace kubexx::app {
namespace {

using namespace std::chrono_literals;
constexpr Duration kHighlight = 2s;
constexpr Duration kFrame = 100ms;  // no more than ten pictures a second

}  // namespace

class LiveRows::Handler final : public informer::ResourceEventHandler {
 public:
  explicit Handler(LiveRows& rows) : rows_(rows) {}
  void on_add(const meta::Object& object, bool initial, const informer::EventContext&) override {
    rows_.put(object, nullptr, initial);
  }
  void on_update(const meta::Object& before, const meta::Object& after, const informer::EventContext&) override {
    rows_.put(after, &before, false);
  }
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext&) override {
    rows_.remove(gone.object_key());
  }

 private:
  LiveRows& rows_;
};

LiveRows::LiveRows(Printer printer, std::function<void()> changed)
    : printer_(std::move(printer)), changed_(std::move(changed)) {
  text_.widen(printer_.headers());
}

std::shared_ptr<informer::ResourceEventHandler> LiveRows::handler() {
  return std::make_shared<Handler>(*this);
}

void LiveRows::put(const meta::Object& object, const meta::Object* before, bool initial) {
  std::uint64_t cells = 0;
  const auto now = Clock::system().now();
  if (before) {
    const auto wall = Clock::system().wall();  // one moment for both: a grown age is no change
    const auto old_cells = printer_.cells(*before, wall);
    const auto new_cells = printer_.cells(object, wall);
    for (std::size_t i = 0; i < new_cells.size() && i < 64; ++i) {
      if (i >= old_cells.size() || old_cells[i] != new_cells[i]) cells |= std::uint64_t{1} << i;
    }
  }
  {
    const std::lock_guard lock(mutex_);
    auto key = meta::ObjectKey::of(object);
    auto& row = rows_[key];
    row.object = object;
    if (before && cells != 0) {
      // What an earlier change still highlights stays.
      row.cells = row.state == State::Changed && now - row.since < kHighlight ? row.cells | cells : cells;
      row.state = State::Changed;
      row.since = now;
    } else if (!before) {
      row = {object, initial ? State::Steady : State::Added, 0, now};
    }
    if (row.state != State::Steady) recent_.insert(std::move(key));
  }
  changed_();
}

void LiveRows::remove(const meta::ObjectKey& key) {
  {
    const std::lock_guard lock(mutex_);
    const auto row = rows_.find(key);
    if (row == rows_.end()) return;
    row->second.state = State::Gone;
    row->second.since = Clock::system().now();
    recent_.insert(key);
  }
  changed_();
}

std::size_t LiveRows::size() const {
  const std::lock_guard lock(mutex_);
  return rows_.size();
}

bool LiveRows::settle(TimePoint now) {
  const std::lock_guard lock(mutex_);
  for (auto key = recent_.begin(); key != recent_.end();) {
    const auto row = rows_.find(*key);
    if (row != rows_.end() && row->second.state != State::Steady && now - row->second.since < kHighlight) {
      ++key;
      continue;
    }
    if (row != rows_.end() && row->second.state == State::Gone) {
      rows_.erase(row);
    } else if (row != rows_.end()) {
      row->second.state = State::Steady;
    }
    key = recent_.erase(key);
  }
  return !recent_.empty();
}

std::string LiveRows::header(std::size_t width) const {
  return text_.line(printer_.headers(), width, 0, "", kBold);
}

std::vector<std::string> LiveRows::lines(std::size_t offset, std::size_t count, std::size_t width, TimePoint now) {
  std::vector<Row> rows;
  {
    const std::lock_guard lock(mutex_);
    if (offset >= rows_.size()) return {};
    auto at = std::next(rows_.begin(), static_cast<std::ptrdiff_t>(offset));
    for (; at != rows_.end() && rows.size() < count; ++at) rows.push_back(at->second);
  }
  std::vector<Printer::Cells> cells;
  const auto wall = Clock::system().wall();
  for (const auto& row : rows) {
    cells.push_back(printer_.cells(row.object, wall));
    text_.widen(cells.back());
  }
  text_.widen(printer_.headers());
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool recent = now - rows[i].since < kHighlight;
    const auto state = recent ? rows[i].state : State::Steady;
    const auto base = state == State::Added ? kGreen : state == State::Gone ? kRed : std::string_view();
    lines.push_back(text_.line(cells[i], width, state == State::Changed ? rows[i].cells : 0, kReverse, base));
  }
  return lines;
}

std::size_t LiveTables::height() {
  std::size_t height = tables_.empty() ? 0 : tables_.size() - 1;  // a blank line between two
  for (const auto& table : tables_) height += table->size() + 1;
  return height;
}

std::vector<std::string> LiveTables::body(std::size_t offset, std::size_t count, std::size_t width) {
  const auto now = Clock::system().now();
  std::vector<std::string> lines;
  for (const auto& table : tables_) {
    const auto rows = table->size();
    const auto height = rows + 2;
    if (offset >= height) {
      offset -= height;
      continue;
    }
    if (lines.size() >= count) break;
    const auto header_at = lines.size();
    lines.emplace_back();
    // Scrolled into a table, its header stands where its first visible row would.
    auto more = table->lines(offset, count - lines.size(), width, now);
    lines.insert(lines.end(), more.begin(), more.end());
    lines[header_at] = table->header(width);
    if (lines.size() < count) lines.emplace_back();
    offset = 0;
  }
  return lines;
}

void LiveTables::resized() {
  for (const auto& table : tables_) table->narrow();
}

bool LiveTables::restless() {
  bool restless = false;
  for (const auto& table : tables_) restless = table->settle(Clock::system().now()) || restless;
  return restless;
}

void run_live(LiveView& view, const Wakeup& wake, const std::stop_token& stop) {
  Screen screen;
  std::size_t offset = 0;
  bool at_end = false;  // after End the view stays at the end while rows still arrive
  Size last{0, 0};
  auto next_frame = Clock::system().now();
  while (!stop.stop_requested()) {
    const auto size = screen.size();
    if (size.rows != last.rows || size.columns != last.columns) view.resized();
    last = size;
    const bool restless = view.restless();
    auto lines = view.head(size);
    if (lines.size() > size.rows) lines.resize(size.rows);
    const auto room = size.rows - lines.size();
    const auto height = view.height();
    const auto page = room > 1 ? room - 1 : 1;
    const auto end = height > page ? height - page : 0;
    offset = at_end ? end : std::min(offset, end);
    const bool all = height <= room;
    const auto body = view.body(offset, all ? room : page, size.columns);
    lines.insert(lines.end(), body.begin(), body.end());
    if (!all && room > 0) {
      lines.resize(size.rows - 1);
      std::string where = std::string(" ").append(std::to_string(offset + 1)) + "-" +
                          std::to_string(std::min(offset + page, height)) + " of " + std::to_string(height) +
                          " lines   arrows and page keys scroll, q quits ";
      lines.push_back(styled(where.substr(0, size.columns), kReverse));
    }
    screen.draw(lines);
    next_frame = Clock::system().now() + kFrame;

    const auto keys = screen.wait(wake, stop, restless ? Duration(kFrame * 2) : Duration(1s));
    for (const auto key : keys) {
      if (key == Key::Quit) return;
      at_end = key == Key::End || (at_end && (key == Key::Down || key == Key::PageDown));
      if (key == Key::Up && offset > 0) --offset;
      if (key == Key::Down) ++offset;
      if (key == Key::PageUp) offset -= std::min(offset, page);
      if (key == Key::PageDown) offset += page;
      if (key == Key::Home) offset = 0;
      if (key == Key::End) offset = height;
    }
    // Many changes make one picture.
    if (keys.empty() && !stop.stop_requested()) {
      const auto now = Clock::system().now();
      if (now < next_frame) wait_for_stop(stop, next_frame - now);
    }
  }
}

}  // namespace kubexx::app
