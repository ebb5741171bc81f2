#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "kubexx/informer/event_handler.hpp"
#include "kubexx/meta/object_key.hpp"
#include "printer.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace kubexx::app {

/// The rows of one resource as its handler reports them, with what changed a moment ago.
///
/// Threads: handler() is called by the informer, everything else by the thread that draws.
class LiveRows {
 public:
  LiveRows(Printer printer, std::function<void()> changed);
  std::shared_ptr<informer::ResourceEventHandler> handler();

  const Printer& printer() const noexcept { return printer_; }
  std::size_t size() const;
  /// Rows that are no longer to be shown as gone leave; true while anything is highlighted.
  bool settle(TimePoint now);
  /// Lines of the rows from `offset` on, at most `count`, cut to `width`.
  std::vector<std::string> lines(std::size_t offset, std::size_t count, std::size_t width, TimePoint now);
  std::string header(std::size_t width) const;
  void narrow() { text_.narrow(); }

 private:
  class Handler;
  enum class State { Steady, Added, Changed, Gone };
  struct Row {
    meta::Object object;
    State state = State::Steady;
    std::uint64_t cells = 0;  // which of them changed
    TimePoint since{};
  };
  void put(const meta::Object& object, const meta::Object* before, bool initial);
  void remove(const meta::ObjectKey& key);

  Printer printer_;
  std::function<void()> changed_;
  TableText text_;
  mutable std::mutex mutex_;
  std::map<meta::ObjectKey, Row> rows_;  // guarded by mutex_
  std::set<meta::ObjectKey> recent_;     // guarded by mutex_; the rows that are not steady
};

/// What fills the terminal: fixed lines above, and a body that scrolls.
class LiveView {
 public:
  virtual ~LiveView() = default;
  virtual std::vector<std::string> head(Size size) = 0;
  virtual std::size_t height() = 0;
  virtual std::vector<std::string> body(std::size_t offset, std::size_t count, std::size_t width) = 0;
  virtual void resized() {}
  /// True: draw again soon, for something that is highlighted.
  virtual bool restless() { return false; }
};

/// The tables of several resources below each other; each keeps its header in sight.
class LiveTables : public LiveView {
 public:
  explicit LiveTables(std::vector<std::shared_ptr<LiveRows>> tables) : tables_(std::move(tables)) {}
  std::size_t height() override;
  std::vector<std::string> body(std::size_t offset, std::size_t count, std::size_t width) override;
  void resized() override;
  bool restless() override;

 private:
  std::vector<std::shared_ptr<LiveRows>> tables_;
};

/// Shows the view until the token fires or the user quits (q). The terminal is as before when it returns.
void run_live(LiveView& view, const Wakeup& wake, const std::stop_token& stop);

}  // namespace kubexx::app
